#include "ui/state/presentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernel/catalogue/parameter_values.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "session/document.h"
#include "session/session_file.h"
#include "ui/state/session.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

namespace {

SceneMotion::Settle settle_of(const Scene& scene) {
  if (!scene.at_default) return {};
  return [view = scene.view](const Selection& /*selection*/, const KernelStudy& study,
                             const PreparedStudy& prepared) {
    return default_selection(view, study, prepared);
  };
}

}  // namespace

const Scenes& Presentation::scenes() const {
  static const Scenes kNone;
  return scenes_ != nullptr ? *scenes_ : kNone;
}

void Presentation::take(SharedScenes scenes) {
  scenes_ = std::move(scenes);
  choose(chosen_);
}

void Presentation::choose(std::size_t index) {
  chosen_ = scenes().empty() ? 0 : std::min(index, scenes().size() - 1);
}

void Presentation::put(Scenes scenes) {
  take(scenes.empty() ? nullptr : std::make_shared<const Scenes>(std::move(scenes)));
}

void Presentation::add(WindowState& state) {
  if (presents()) return;
  Scene scene = scene_of(document_of(state, state.session.history().present()));
  std::string name = name_for(scene, state.workbench.catalogue());
  insert(state, {NamedScene{std::move(name), {}, std::move(scene), {}}});
}

void Presentation::add_family(WindowState& state) {
  const Workbench& workbench = state.workbench;
  const CatalogueEntry* own = workbench.active().entry;
  if (presents() || own == nullptr) return;
  Scene like = scene_of(document_of(state, state.session.history().present()));
  if (descriptor_of(like.view).needs.variants) like.view = View::kTiling;
  like.at_default = true;
  const VariantDocument present = like.variants[static_cast<std::size_t>(like.active)];
  like.active = 0;
  Scenes added;
  for (const CatalogueEntry* step : ladder_of(workbench)) {
    VariantDocument variant = present;
    if (step != own) {
      variant = {};
      variant.kernel = step->id;
      variant.original = share_text(step->source);
      variant.parameters = default_parameters(*step);
      variant.extents = present.extents;
      variant.factors = present.factors;
      const auto instance = instance_of(variant, workbench.catalogue(), workbench.device_model());
      if (!instance) continue;
      variant.selection.block = default_block(instance->grid);
    }
    Scene scene = like;
    scene.variants = {std::move(variant)};
    added.push_back({step->title, {}, std::move(scene), {}});
  }
  insert(state, std::move(added));
}

void Presentation::insert(WindowState& state, Scenes added) {
  if (scenes().size() + added.size() > kMostScenes) {
    state.note = fmt::format("A session has at most {} scenes.", kMostScenes);
    return;
  }
  Scenes all = copy();
  const std::size_t place = all.empty() ? 0 : chosen_ + 1;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), added.begin(), added.end());
  put(std::move(all));
  choose(place);
  state.panel_open["Scenes"] = true;
  // In a small window the list would lie over the view of which the next scene is to be made.
  if (!state.compact) state.focus_panel = "Scenes";
  state.frame_wanted = true;
}

void Presentation::replace(const WindowState& state) {
  if (presents() || scenes().empty()) return;
  Scenes all = copy();
  all[chosen_].scene = scene_of(document_of(state, state.session.history().present()));
  put(std::move(all));
}

void Presentation::rename(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (scenes().empty() || name.empty() || name == present().name) return;
  Scenes all = copy();
  all[chosen_].name = std::move(name);
  put(std::move(all));
}

void Presentation::set_note(std::string note) {
  if (scenes().empty() || note == present().note || note.size() > kMostSceneNoteBytes) return;
  Scenes all = copy();
  all[chosen_].note = std::move(note);
  put(std::move(all));
}

void Presentation::move(int by) {
  const auto to = static_cast<std::ptrdiff_t>(chosen_) + by;
  if (presents() || to < 0 || to >= std::ssize(scenes())) return;
  Scenes all = copy();
  std::swap(all[chosen_], all[static_cast<std::size_t>(to)]);
  put(std::move(all));
  choose(static_cast<std::size_t>(to));
}

void Presentation::remove() {
  if (presents() || scenes().empty()) return;
  Scenes all = copy();
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(chosen_));
  put(std::move(all));
}

void Presentation::show(WindowState& state, std::size_t index) {
  if (scenes().empty()) return;
  choose(index);
  motion_.show(state, present().scene, settle_of(present().scene));
}

const NamedScene* Presentation::next() const {
  return chosen_ + 1 < scenes().size() ? &scenes()[chosen_ + 1] : nullptr;
}

double Presentation::seconds(const WindowState& state) const {
  return began_ ? state.now - *began_ : 0;
}

std::optional<double> Presentation::due_seconds(double now) const {
  if (!began_) return std::nullopt;
  return *began_ + std::floor(now - *began_) + 1;
}

void Presentation::begin(WindowState& state) {
  if (presents() || scenes().empty()) return;
  state.learn.leave(state);
  state.practice.leave(state);
  state.session.hold(state);
  own_ = scene_of(document_of(state, state.session.history().present()));
  began_ = state.now;
  was_lecture_ = std::exchange(state.lecture, true);
  go_to(state, chosen_);
}

void Presentation::go_to(WindowState& state, std::size_t index) {
  if (!presents()) return;
  choose(index);
  state.aids.strokes.clear();
  state.aids.blank = false;
  look_ahead(state);
  motion_.show(state, present().scene, settle_of(present().scene));
}

void Presentation::turn(WindowState& state, int by) {
  const auto to = static_cast<std::ptrdiff_t>(chosen_) + by;
  if (!presents()) return;
  state.aids.blank = false;
  if (to >= 0 && to < std::ssize(scenes())) go_to(state, static_cast<std::size_t>(to));
}

// The neighbours, and the person's own for when it ends.
void Presentation::look_ahead(WindowState& state) const {
  std::vector<const Scene*> next;
  for (const int by : {1, -1, 2}) {
    const auto place = static_cast<std::ptrdiff_t>(chosen_) + by;
    if (place < 0 || place >= std::ssize(scenes())) continue;
    next.push_back(&scenes()[static_cast<std::size_t>(place)].scene);
  }
  next.push_back(&own_);
  make_ready(state, present().scene, next);
}

void Presentation::end(WindowState& state) {
  drop();
  state.lecture = was_lecture_;
  state.frame_wanted = true;
}

void Presentation::leave(WindowState& state) {
  if (!presents()) return;
  end(state);
  state.session.give_back(state);
  state.workbench.make_ready({});
}

void Presentation::stay(WindowState& state) {
  if (!presents()) return;
  end(state);
  state.session.keep_shown(state);
  state.workbench.make_ready({});
}

void Presentation::drop() {
  motion_.stop();
  began_.reset();
  own_ = {};
}

}  // namespace tilescope
