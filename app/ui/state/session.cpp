#include "ui/state/session.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/paths.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/views.h"
#include "session/autosave.h"
#include "session/document.h"
#include "session/scene.h"
#include "session/session_file.h"
#include "session/trusted_texts.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/window_state.h"

// What windows left behind that were not closed, or closed unsaved.

namespace tilescope {
namespace {

// What the window's documents refer to by name.
[[nodiscard]] inline SessionNames names_of(const WindowState& state) {
  return {state.workbench.catalogue(), *state.workbench.devices()};
}

}  // namespace

namespace fs = std::filesystem;
namespace {

constexpr double kPauseSeconds = 0.4;  // between a change and its copy on disk

fs::path recent_list() { return data_directory() / "recent.json"; }

// Whether both ask for the same study.
bool same_study(const VariantDocument& a, const VariantDocument& b) {
  return a.kernel == b.kernel && a.file == b.file && same_text(a.text(), b.text()) &&
         a.parameters == b.parameters && a.extents == b.extents && a.factors == b.factors &&
         a.launch == b.launch && a.selection.block == b.selection.block;
}

// What moved by itself moves in the document too; what a person moved at the same time is theirs. A
// document that asked for another study stays: its successor moved, which was not seen yet.
void follow(const Workbench::Move& move, Document* document) {
  if (move.variant >= document->variants.size()) return;
  VariantDocument& variant = document->variants[move.variant];
  if (!same_study(variant, move.from)) return;
  const auto take = [](auto& value, const auto& from, const auto& to) {
    if (value == from) value = to;
  };
  const Selection& from = move.from.selection;
  take(variant.selection.event, from.event, move.to.event);
  take(variant.selection.warp, from.warp, move.to.warp);
  take(variant.selection.lane, from.lane, move.to.lane);
  take(variant.selection.block, from.block, move.to.block);
  take(variant.selection.line, from.line, move.to.line);
  take(variant.marks, move.from.marks, move.marks_to);
}

// A button or a key that repeats: what it changes is one step.
bool is_held() {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return true;
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
    if (ImGui::IsKeyDown(key) && !ImGui::IsKeyPressed(key, false)) return true;
  }
  return false;
}

constexpr std::string_view kReplaceRemedy =
    "Save under another name (Ctrl Shift S), or save again to replace it.";

// When the file was written last; nullopt: there is none.
std::optional<fs::file_time_type> time_of(const fs::path& file) {
  std::error_code failure;
  const fs::file_time_type time = fs::last_write_time(file, failure);
  return failure ? std::nullopt : std::optional(time);
}

}  // namespace

Session::Session(bool keep) : keep_(keep), folder_(data_directory() / "autosave") {
  if (keep_) recent_ = recent_files(recent_list());
}

Session::~Session() = default;

bool Session::changed() const { return begun_ && !same_content(history_.present(), saved_); }

bool Session::holds(const Measurements& measured) const {
  return saved_measured_ != nullptr ? *saved_measured_ == measured : measured.empty();
}

std::string Session::title() const {
  const std::string name = path_.empty() ? "" : fs::path(path_).filename().string();
  if (name.empty()) return changed() ? "not saved *" : "";
  return name + (changed() ? " *" : "");
}

Document Session::complete_document(const WindowState& state) const {
  if (held_) return held_->document;
  Document document = document_of(state, history_.present());
  document.arrangement.layout_text = layout_text_of();
  if (Measurements measured = measurements_of(state); !measured.empty()) {
    document.measured = std::make_shared<const Measurements>(std::move(measured));
  }
  for (std::size_t i = 0; i < document.variants.size(); ++i) {
    document.variants[i].allowed = state.workbench.may_run(state.workbench.variants()[i]);
  }
  if (document.own_kernels != nullptr) {
    auto own_kernels = std::make_shared<OwnKernels>(*document.own_kernels);
    for (OwnKernelDocument& own : *own_kernels) {
      own.allowed = state.workbench.trusted().knows(*own.text());
    }
    document.own_kernels = std::move(own_kernels);
  }
  return document;
}

void Session::observe(WindowState& state) {
  take_written(state);
  if (newest_left_.empty() && !left_.empty() && writer_.idle()) look_at_newest_left(state);
  if (held_) {
    (void)state.workbench.take_moves();  // of what a lesson shows
    if (due_ && state.now >= *due_) keep_copy(state, false);
    return;
  }
  Document now = document_of(state, history_.present());
  if (!begun_) {
    begun_ = true;
    history_.start(now);
    saved_ = kept_ = started_ = now;
  }
  const bool was_clean = !changed();
  const std::vector<Workbench::Move> moves = state.workbench.take_moves();
  if (std::exchange(absorb_next_, false)) {
    history_.absorb(now);
    if (was_clean || clean_next_) saved_ = now;
    clean_next_ = false;
  } else if (!moves.empty()) {
    Document settled = history_.present();
    for (const Workbench::Move& move : moves) follow(move, &settled);
    if (was_clean) saved_ = settled;
    history_.absorb(std::move(settled));
  }
  history_.observe(now, state.now, is_held());

  if (saving_ || (replaced_ && !writer_.idle())) state.frame_wanted = true;  // to see how it went
  const bool touched = slot_ || !same_content(now, started_);
  if (keep_ && touched && !due_ && !(now == kept_)) due_ = state.now + kPauseSeconds;
  if (due_ && state.now >= *due_) keep_copy(state, false);
}

void Session::keep_copy(WindowState& state, bool ended) {
  due_.reset();
  kept_ = history_.present();
  if (!slot_) {
    Result<AutosaveSlot> made = AutosaveSlot::make(folder_);
    report_copy(made ? ok_status() : Status(made.error()));
    if (!made) return;
    slot_ = *std::move(made);
  }
  const Recovery recovery{path_, !changed(), ended};
  writer_.write(slot_->file(),
                [document = complete_document(state), recovery,
                 catalogue = &state.workbench.catalogue(), devices = state.workbench.devices()] {
                  return session_text(document, {*catalogue, *devices}, recovery);
                });
}

// How it went with the copy: a problem is said once, until there is none or another one.
void Session::report_copy(const Status& kept) {
  const std::string problem =
      kept ? std::string() : "No copy of this session is kept: " + to_string(kept.error());
  if (problem == copy_problem_) return;
  std::erase_if(notices_, [&](const Notice& notice) { return notice.words == copy_problem_; });
  copy_problem_ = problem;
  if (!problem.empty()) notices_.push_back({problem, true});
}

void Session::end(WindowState& state) {
  if (!begun_) return;
  if (keep_ && changed()) {
    keep_copy(state, true);
    writer_.wait();
  } else {
    writer_.wait();
    if (slot_) std::move(*slot_).discard();
    slot_.reset();
  }
  if (replaced_) std::move(*replaced_).discard();
  replaced_.reset();
}

void Session::take_written(const WindowState& state) {
  for (FileWriter::Written& written : writer_.take()) {
    if (slot_ && written.file == slot_->file()) {
      report_copy(written.status);
      if (written.status && replaced_) {
        std::move(*replaced_).discard();
        replaced_.reset();
      }
      continue;
    }
    if (!saving_ || written.file != saving_->file) continue;
    const Saving saving = *std::exchange(saving_, std::nullopt);
    if (!written.status) {
      notices_.push_back({to_string(written.status.error()), true});
      continue;
    }
    path_ = saving.file.string();
    path_time_ = time_of(path_);
    saved_ = saving.document;
    saved_measured_ = saving.document.measured;
    remember_file(path_);
    if (slot_) due_ = state.now;
  }
}

void Session::remember_file(const std::string& file) {
  if (keep_) recent_ = add_recent_file(recent_list(), file);
}

// The text with the headers that it includes, where these are known to the last.
void Session::remember_allowed(WindowState& state, const Variant& variant) {
  const IncludedFiles* included = variant.included();
  const bool asks_leave = variant.own || variant.edited;
  if (!asks_leave || !state.workbench.may_run(variant)) return;
  const SharedText text = share_text(program_text(variant.source(), included));
  state.workbench.trusted().add(*text);
  if (included == nullptr || included->complete) remember_text(state, text);
}

void Session::remember_text(const WindowState& state, const SharedText& text) {
  const fs::path known = state.workbench.trusted().file_of(*text);
  std::error_code ignored;
  if (known.empty() || fs::exists(known, ignored)) return;
  writer_.write(known, [text] { return *text; });
}

void Session::save(WindowState& state, const fs::path& file) {
  std::error_code failure;
  fs::path whole = fs::absolute(file, failure);
  if (failure) whole = file;
  if (!is_session_file(whole.string())) whole += kSessionEnding;
  std::erase_if(notices_,
                [](const Notice& notice) { return notice.words.ends_with(kReplaceRemedy); });
  const auto now = time_of(whole);
  if (whole == path_ && now && now != path_time_ && !saving_) {
    path_time_ = now;
    notices_.push_back({fmt::format("{} was written elsewhere since it was opened here. {}",
                                    whole.filename().string(), kReplaceRemedy),
                        true});
    state.frame_wanted = true;
    return;
  }
  Document document = complete_document(state);
  // What may run here may run here again when the file comes back.
  if (keep_) {
    for (const Variant& variant : state.workbench.variants()) remember_allowed(state, variant);
    for (const OwnKernelDocument& own : state.workbench.own_kernels()) {
      if (state.workbench.trusted().knows(*own.text())) remember_text(state, own.text());
    }
  }
  saving_ = Saving{whole, document};
  state.frame_wanted = true;
  writer_.write(whole, [document = std::move(document), catalogue = &state.workbench.catalogue(),
                        devices = state.workbench.devices()] {
    return session_text(document, {*catalogue, *devices});
  });
}

// What is not in a file stays to be opened again.
void Session::set_aside(WindowState& state) {
  due_.reset();
  if (keep_ && changed()) {
    keep_copy(state, true);
    if (slot_) left_.insert(left_.begin(), std::move(*slot_));
    newest_left_.clear();
  } else if (slot_) {
    writer_.remove(slot_->file());
  }
  slot_.reset();
  // What was said of the document that goes; not that no copy can be kept.
  std::erase_if(notices_, [this](const Notice& notice) { return notice.words != copy_problem_; });
}

void Session::show(WindowState& state, LoadedSession loaded, const std::string& path) {
  held_.reset();
  state.learn.drop();
  state.practice.drop();
  state.presentation.drop();
  apply_document(loaded.document, state, Applied::kAll);
  state.opened = saved_measured_ = loaded.document.measured;
  path_ = path;
  path_time_ = time_of(path_);
  Document now = document_of(state, loaded.document);
  history_.start(now);
  saved_ = started_ = kept_ = std::move(now);
  begun_ = absorb_next_ = clean_next_ = true;
  for (std::string& remark : loaded.remarks) notices_.push_back({std::move(remark)});
  state.note.clear();
  state.frame_wanted = true;
}

Status Session::open(WindowState& state, const fs::path& file) {
  Result<LoadedSession> loaded = read_session(file, names_of(state));
  if (!loaded) return std::move(loaded).error();
  set_aside(state);
  std::error_code failure;
  const fs::path whole = fs::absolute(file, failure);
  show(state, *std::move(loaded), (failure ? file : whole).string());
  remember_file(path_);
  return ok_status();
}

namespace {

// What is selected is nobody's choice: the study says where to look, at once where it is there.
void show_as_new(Variant& variant, View view) {
  variant.placed = false;
  if (variant.study != nullptr && !variant.study_pending && variant.study->traced() &&
      variant.prepared != nullptr) {
    variant.selection = default_selection(view, *variant.study, *variant.prepared);
  }
  variant.put = variant.selection;
}

}  // namespace

void Session::make_new(WindowState& state) {
  set_aside(state);
  Document document = document_of(state, history_.present());
  VariantDocument variant;
  const CatalogueEntry* current = state.workbench.active().entry;
  if (const auto* chosen = current != nullptr ? current : state.workbench.usual_kernel()) {
    const CatalogueEntry& entry = *chosen;
    variant.kernel = entry.id;
    variant.original = share_text(entry.source);
    variant.extents = entry.default_extents;
    variant.parameters = default_parameters(entry);
    const auto instance =
        instance_of(variant, state.workbench.catalogue(), state.workbench.device_model());
    if (instance) variant.selection.block = default_block(instance->grid);
  }
  Document fresh;
  fresh.variants = {std::move(variant)};
  fresh.view = current != nullptr ? document.view : View::kCoalescing;
  // The person's, not the document's.
  fresh.theme = document.theme;
  fresh.text_scale = document.text_scale;
  fresh.reduce_motion = document.reduce_motion;
  fresh.panels = document.panels;
  show(state, {std::move(fresh), {}, {}}, "");
  show_as_new(state.workbench.active(), state.raise.value_or(state.view));
}

void Session::hold(WindowState& state) {
  if (held_) return;
  observe(state);  // what was done in this frame is the person's
  held_ = Held{complete_document(state), state.workbench.edits(),
               state.workbench.active().study == nullptr};
}

void Session::give_back(WindowState& state) {
  if (!held_) return;
  Held own = *std::exchange(held_, std::nullopt);
  // How the person likes to see things is theirs at once.
  own.document.theme = state.preferences.theme;
  own.document.text_scale = state.preferences.text_scale;
  own.document.reduce_motion = state.preferences.reduce_motion;
  own.document.lecture = state.lecture;
  apply_document(own.document, state, Applied::kAll);
  state.workbench.keep_edits(std::move(own.edits));
  if (own.fresh) show_as_new(state.workbench.active(), state.raise.value_or(state.view));
  (void)state.workbench.take_moves();
  state.frame_wanted = true;
}

void Session::keep_shown(WindowState& state) {
  if (!held_) return;
  const Held own = *std::exchange(held_, std::nullopt);
  const Document& before = own.document;
  Document shown = document_of(state, before);
  shown.own_kernels = with_kernels_of(before.own_kernels, shown.variants);
  shown.panels = before.panels;
  shown.lecture = state.lecture;
  shown.arrangement.layout = before.arrangement.layout;
  shown.arrangement.layout_text = before.arrangement.layout_text;
  std::map<std::string, std::string> edits = own.edits;
  for (const VariantDocument& variant : shown.variants) edits.erase(variant.kernel);
  for (const auto& [kernel, text] : state.workbench.edits()) {
    const bool is_shown =
        std::ranges::find(shown.variants, kernel, &VariantDocument::kernel) != shown.variants.end();
    if (is_shown) edits[kernel] = text;
  }
  apply_document(shown, state, Applied::kAll);
  state.workbench.keep_edits(std::move(edits));
  (void)state.workbench.take_moves();
  state.frame_wanted = true;
}

void Session::undo(WindowState& state) {
  if (held_) return;
  if (const auto document = history_.undo()) {
    apply_document(*document, state, Applied::kContent);
    absorb_next_ = true;
  }
}

void Session::redo(WindowState& state) {
  if (held_) return;
  if (const auto document = history_.redo()) {
    apply_document(*document, state, Applied::kContent);
    absorb_next_ = true;
  }
}

namespace {

std::string kernels_in(const Document& document) {
  std::string text;
  std::set<std::string> shown;
  for (const VariantDocument& variant : document.variants) {
    if (variant.is_own()) shown.insert(variant.file);
    if (variant.has_kernel()) text += (text.empty() ? "" : ", ") + title_of(variant);
  }
  const std::size_t all = document.own_kernels != nullptr ? document.own_kernels->size() : 0;
  const std::size_t more = all - std::min(all, shown.size());
  if (more > 0) text += fmt::format(", and {} more of your kernels", more);
  return text;
}

}  // namespace

void Session::open_slot(WindowState& state, AutosaveSlot slot) {
  const std::string when = slot.when();
  Result<LoadedSession> loaded = read_session(slot.file(), names_of(state), true);
  if (!loaded) {
    notices_.push_back({to_string(loaded.error()), true});
    return;
  }
  const Recovery recovery = loaded->recovery.value_or(Recovery{});
  for (const VariantDocument& variant : loaded->document.variants) {
    if (variant.allowed && variant.text() != nullptr)
      state.workbench.trusted().add(*variant.text());
  }
  if (loaded->document.own_kernels != nullptr) {
    for (const OwnKernelDocument& own : *loaded->document.own_kernels) {
      if (own.allowed) state.workbench.trusted().add(*own.text());
    }
  }
  const std::string kernels = kernels_in(loaded->document);
  show(state, *std::move(loaded), recovery.path);
  clean_next_ = recovery.saved;
  if (!recovery.saved) {
    saved_ = Document{};  // whatever stands in the file, it is not this
    saved_measured_.reset();
    if (!recovery.path.empty()) {
      if (auto file = read_session(recovery.path, names_of(state))) {
        saved_ = file->document;
        saved_measured_ = file->document.measured;
      }
    }
    started_ = Document{};
    kept_ = Document{};
  }
  const std::string why =
      recovery.ended ? fmt::format("Restored your unsaved session of {}", when)
                     : fmt::format("Tilescope was not closed normally ({}). Restored", when);
  notices_.push_back({fmt::format("{}: {}.", why, kernels), false, true});
  replaced_ = std::move(slot);
}

void Session::recover(WindowState& state) {
  if (!keep_) return;
  left_ = AutosaveSlot::left_behind(folder_);
  if (!left_.empty()) open_slot(state, take_newest_left());
}

void Session::open_left_behind(WindowState& state) {
  if (left_.empty()) return;
  writer_.wait();
  AutosaveSlot slot = take_newest_left();
  set_aside(state);
  open_slot(state, std::move(slot));
}

void Session::discard_left_behind() {
  if (left_.empty()) return;
  writer_.wait();
  take_newest_left().discard();
}

AutosaveSlot Session::take_newest_left() {
  AutosaveSlot slot = std::move(left_.front());
  left_.erase(left_.begin());
  newest_left_.clear();
  return slot;
}

void Session::look_at_newest_left(const WindowState& state) {
  newest_left_ = left_.front().when();
  const Result<LoadedSession> loaded = read_session(left_.front().file(), names_of(state), true);
  if (!loaded) return;  // opening it says why
  if (const std::string kernels = kernels_in(loaded->document); !kernels.empty())
    newest_left_ += ": " + kernels;
}

void Session::discard_recovered(WindowState& state) {
  saved_ = history_.present();  // nothing is to be kept of it
  if (replaced_) std::move(*replaced_).discard();
  replaced_.reset();
  if (path_.empty() || !open(state, path_).ok()) make_new(state);
}

namespace {

constexpr std::array<const char*, 3> kSourceNames{"cuda", "ptx", "sass"};  // by SourceLanguage

SharedText shared(const std::string& text, const SharedText& known) {
  return text.empty() ? nullptr : share_text(text, known);
}

Arrangement arrangement_of(const WindowState& state) {
  Arrangement arrangement;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  arrangement.layout = state.layout;
  arrangement.width = static_cast<int>(screen.x);
  arrangement.height = static_cast<int>(screen.y);
  arrangement.focused_parameter = state.focused_parameter;
  arrangement.family = state.open_family;
  arrangement.source = kSourceNames[static_cast<std::size_t>(state.source_tab)];
  arrangement.source_line = state.editor.first_line();
  arrangement.editing = state.editing;
  arrangement.side_by_side = state.source_beside;
  return arrangement;
}

void arrange(const Arrangement& arrangement, WindowState& state) {
  state.focused_parameter = arrangement.focused_parameter;
  state.open_family = arrangement.family;
  const auto source = std::ranges::find(kSourceNames, arrangement.source);
  state.source_tab = source == kSourceNames.end()
                         ? SourceLanguage::kCuda
                         : static_cast<SourceLanguage>(source - kSourceNames.begin());
  state.editing = arrangement.editing;
  if (arrangement.side_by_side != state.source_beside) {
    set_side_by_side(state, arrangement.side_by_side);
  }
  state.editor.show_from(arrangement.source_line);
  state.ladder_shown = {};
  if (arrangement.layout_text != nullptr && is_sound_layout(*arrangement.layout_text)) {
    state.layout_wanted = {arrangement.layout, arrangement.layout_text};
  }
}

}  // namespace

Document document_of(const WindowState& state, const Document& known) {
  Document document;
  for (const Variant& variant : state.workbench.variants()) {
    const std::size_t index = document.variants.size();
    document.variants.push_back(
        document_of(variant, index < known.variants.size() ? &known.variants[index] : nullptr));
  }
  document.own_kernels = state.workbench.shared_own_kernels();
  document.active = state.workbench.active_index();
  document.view = state.raise.value_or(state.view);
  document.settings = state.view_settings;
  document.latencies = state.workbench.latencies();
  document.theme = state.preferences.theme;
  document.text_scale = state.preferences.text_scale;
  document.reduce_motion = state.preferences.reduce_motion;
  document.lecture = state.lecture;
  document.as_issued = state.as_issued;
  document.heat_column = state.heat_column;
  document.cold_l2 = state.workbench.runs().cold();
  document.panels = state.panel_open;
  document.notes = shared(state.notes, known.notes);
  document.scenes = state.presentation.shared();
  document.arrangement = arrangement_of(state);
  document.unknown = state.unknown_fields;
  return document;
}

SharedText layout_text_of() {
  std::size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);
  return share_text({text, size});
}

void apply_document(const Document& document, WindowState& state, Applied what) {
  state.playback.playing = false;
  state.workbench.set_latencies(document.latencies);
  state.workbench.restore(document.variants, document.active, document.own_kernels);
  state.workbench.set_cold(document.cold_l2);
  if (document.view != state.raise.value_or(state.view)) state.raise = document.view;
  state.view_settings = document.settings;
  state.preferences.theme = document.theme;
  state.preferences.text_scale = document.text_scale;
  state.preferences.reduce_motion = document.reduce_motion;
  state.lecture = document.lecture;
  state.as_issued = document.as_issued;
  state.heat_column = document.heat_column;
  state.heat_view = document.view;
  for (const auto& [title, open] : document.panels) state.panel_open[title] = open;
  state.notes = document.notes != nullptr ? *document.notes : std::string();
  state.presentation.take(document.scenes);
  state.unknown_fields = document.unknown;
  if (what == Applied::kAll) arrange(document.arrangement, state);
}

}  // namespace tilescope
