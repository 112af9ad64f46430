#include "ui/state/view_context.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernel/catalogue/parameter_values.h"
#include "scene/compare/compared.h"
#include "scene/views.h"
#include "session/document.h"
#include "ui/state/measurements.h"
#include "ui/state/window_state.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

ViewContext view_context(const WindowState& state, const KernelStudy* study,
                         const Variant& variant) {
  ViewContext context;
  static_cast<ViewFacts&>(context) = state.facts.shown();
  if (study != state.facts.study()) {
    context.phases = nullptr;
    context.alternatives = nullptr;
  }
  context.study = study;
  context.final = variant.is_final();
  context.prepared = variant.prepared;
  context.selection = variant.selection;
  context.camera = variant.camera;
  context.theme = state.theme();
  context.settings = state.view_settings;
  context.time_zoom = variant.time_zoom;
  context.devices = state.workbench.devices();
  context.entry = variant.entry;
  if (context.compared) {
    for (std::size_t i = 0; i < context.compared->variants.size(); ++i) {
      const ComparedVariant& shown = context.compared->variants[i];
      const Variant& own = state.workbench.variants()[i];
      Selection& at = context.compared_at.emplace_back(own.selection);
      TimeMarks ignored;
      // While a newer set is made, this one shows an older study.
      if (shown.study && shown.study != own.study) keep_inside(*shown.study, &at, &ignored);
    }
  }
  if (state.hovered.kind == HitKind::kLane) {
    context.hovered_lane = static_cast<int>(state.hovered.value);
  }
  if (state.hovered.kind == HitKind::kLine) {
    context.hovered_line = static_cast<std::uint32_t>(state.hovered.value);
    context.hovered_variant =
        state.hovered.variant >= 0 ? state.hovered.variant : state.workbench.active_index();
  } else if (state.hovered_line != 0) {
    context.hovered_line = state.hovered_line;
    context.hovered_variant = state.workbench.active_index();
  }
  context.text_scale = state.lecture ? kLectureText : 1.0F;
  return context;
}

std::string selection_words(const Variant& variant) {
  const Dim3& grid = variant.study->launch.grid;
  const Dim3 block = unflatten(variant.selection.block, grid);
  std::string words = "block " + std::to_string(block.x) + ", " + std::to_string(block.y);
  if (grid.z > 1) words += ", " + std::to_string(block.z);
  return words + "  ·  warp " + std::to_string(variant.selection.warp) + "  ·  lane " +
         std::to_string(variant.selection.lane);
}

namespace {

bool is_traced(const Variant& variant) {
  return variant.study != nullptr && variant.study->traced() &&
         !variant.study->trace->events.empty();
}

// Why a variant has no study.
std::string missing_words(const Variant& variant) {
  if (is_traced(variant)) return {};
  if (variant.error) return to_string(*variant.error);
  if (!variant.violations.empty()) return variant.violations.front().message;
  return variant.study_pending ? "compiling and tracing the block …" : "no kernel is chosen";
}

std::string name_of(const Variant& variant) {
  std::string name = variant.entry != nullptr ? variant.entry->title : variant.file_name();
  if (variant.is_edited()) name += ", edited";
  return name;
}

std::vector<ViewedVariant> viewed(const std::vector<Variant>& variants) {
  std::vector<ViewedVariant> all;
  for (const Variant& variant : variants) {
    all.push_back(
        {name_of(variant), variant.entry, variant.study, variant.prepared, missing_words(variant)});
  }
  return all;
}

}  // namespace

WindowFacts::WindowFacts(Workbench& workbench)
    : launches_(
          workbench.catalogue(),
          [&workbench](const std::string& tag, JobPool::Work work) {
            workbench.submit(tag, std::move(work));
          },
          /*workers=*/1),
      shown_(launches_, [this](const std::string& tag,
                               JobPool::Work work) { pool_.submit(tag, std::move(work)); }),
      in_file_(launches_, [this](const std::string& tag, JobPool::Work work) {
        pool_.submit(tag + " in its file", std::move(work));
      }) {}

void WindowFacts::update(const WindowState& state) {
  Workbench& workbench = state.workbench;
  const Variant& active = workbench.active();
  study_ = active.study;
  has_file_ = state.opened != nullptr;
  ViewNeeds needs = descriptor_of(state.view).needs;
  needs.times = needs.phases = needs.variants = needs.hardware = true;
  needs.stages = std::exchange(wants_stages_, false) && !active.study_pending;
  needs.layouts &= !active.study_pending && study_ != nullptr && study_->device != nullptr;
  const std::vector<ViewedVariant> variants = viewed(workbench.variants());
  const auto index = static_cast<std::size_t>(workbench.active_index());
  const auto ask = [&](ViewQueries& queries, Source opened_as) {
    // What cannot be had is left out of the picture, which is whole without it.
    (void)queries.ask(needs, variants, index, workbench.device_model(),
                      known_measurements(state, opened_as));
  };
  ask(shown_, Source::kRecorded);
  if (has_file_) ask(in_file_, Source::kMeasured);
}

// Where the active one moved, the others follow; a variant that was only brought to the front
// moves nothing.
void LinkedTime::update(Workbench& workbench, bool compared) {
  std::vector<Variant>& all = workbench.variants();
  if (!compared || all.size() < 2) {
    stood_.clear();
    return;
  }
  const Variant& active = workbench.active();
  if (!is_traced(active)) return;
  stood_.resize(all.size());
  auto& [active_study, active_event] = stood_[static_cast<std::size_t>(workbench.active_index())];
  const bool moved = active_study != active.study || active_event != active.selection.event;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Variant& other = all[i];
    if (&other == &active || !is_traced(other)) continue;
    other.selection.lane = active.selection.lane;
    if (!moved && stood_[i].first == other.study) continue;
    Selection beside = selection_beside(*active.study, active.selection, *other.study);
    beside.block = other.selection.block;
    // Where a study has come, no person has moved anything.
    if (active_study == active.study && stood_[i].first == other.study) {
      other.selection = beside;
    } else {
      workbench.move_by_itself(i, beside);
    }
    stood_[i] = {other.study, other.selection.event};
  }
  active_study = active.study;
  active_event = active.selection.event;
}

void flip_compared(WindowState& state) {
  const auto& set = state.facts.shown().compared;
  if (set == nullptr) return;
  const Variant& variant = state.workbench.active();
  const ViewContext context = view_context(state, variant.study.get(), variant);
  ViewSettings& settings = state.view_settings;
  const auto base = static_cast<int>(base_of(context));
  const auto subject = static_cast<int>(subject_of(context));
  const bool one = settings.compare_mode == CompareMode::kOne;
  const int shown =
      settings.compare_pane >= 0 ? settings.compare_pane : state.workbench.active_index();
  settings.compare_mode = CompareMode::kOne;
  settings.compare_pane = one && shown != base ? base : subject;
}

std::vector<const CatalogueEntry*> ladder_of(const Workbench& workbench) {
  const CatalogueEntry* own = workbench.active().entry;
  const ParameterSet& extents = workbench.active().extents;
  std::vector<const CatalogueEntry*> steps;
  for (const CatalogueEntry& step : workbench.catalogue().entries) {
    const bool fits =
        step.family == own->family && step.arithmetic == own->arithmetic &&
        check_rules(step, default_parameters(step), extents, workbench.device_model()).empty();
    if (fits || &step == own) steps.push_back(&step);
  }
  return steps;
}

namespace {

// The first, the last, this one and what lies between them, in order.
std::vector<const CatalogueEntry*> four_of(std::vector<const CatalogueEntry*> steps,
                                           const CatalogueEntry* own) {
  constexpr std::size_t kMost = kMostDocumentVariants;
  if (steps.size() <= kMost) return steps;
  std::array<std::size_t, kMost> chosen{};
  for (std::size_t i = 0; i < kMost; ++i) chosen[i] = i * (steps.size() - 1) / (kMost - 1);
  const auto at = static_cast<std::size_t>(std::ranges::find(steps, own) - steps.begin());
  if (std::ranges::find(chosen, at) == chosen.end()) chosen[at < chosen[2] ? 1 : 2] = at;
  std::vector<const CatalogueEntry*> four;
  for (const std::size_t index : chosen) four.push_back(steps[index]);
  return four;
}

}  // namespace

void compare_ladder(Workbench& workbench) {
  const CatalogueEntry* own = workbench.active().entry;
  if (own == nullptr) return;
  const std::vector<const CatalogueEntry*> steps = four_of(ladder_of(workbench), own);
  // Each begins as a copy of the active one, which takes its place among them.
  while (workbench.variants().size() < steps.size()) workbench.add_variant();
  int own_place = 0;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const CatalogueEntry* step = steps[static_cast<std::size_t>(i)];
    if (step == own) own_place = i;
    workbench.activate(i);
    if (step != own) workbench.choose_kernel(*step);
  }
  workbench.activate(own_place);
}

void compare_gpus(Workbench& workbench) {
  if (workbench.variants().size() >= kMostDocumentVariants) return;
  const DeviceModel& own = workbench.device_model(workbench.active());
  const std::vector<GpuKind> workers = workbench.gpu().gpus();
  const auto rank = [&](const DeviceModel* model) {
    if (std::ranges::any_of(workers, [&](const auto& gpu) { return gpu.info.name == model->name; }))
      return 0;
    return model->compute_capability == own.compute_capability ? 1 : 2;
  };
  std::vector<const DeviceModel*> others = workbench.gpus().choices();
  std::erase_if(others, [&](const DeviceModel* model) { return model->name == own.name; });
  if (others.empty()) return;
  const std::string chosen = (*std::ranges::min_element(others, {}, rank))->name;
  workbench.add_variant();
  workbench.set_gpu(chosen);
}

}  // namespace tilescope
