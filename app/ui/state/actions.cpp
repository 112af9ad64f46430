#include "ui/state/actions.h"

#include <imgui.h>

#include <algorithm>

#include "kernel/launch/instance.h"
#include "scene/views.h"
#include "session/glossary.h"
#include "ui/source/source_editor.h"
#include "ui/state/layout.h"
#include "ui/state/window_state.h"

namespace tilescope {

void paste_kernel(WindowState& state) {
  const char* text = ImGui::GetClipboardText();
  const Status opened = state.workbench.open_text(text != nullptr ? text : "");
  state.note = opened.ok() ? std::string() : to_string(opened.error());
}

void start_kernel(WindowState& state) {
  const Status opened = state.workbench.open_template();
  state.note = opened.ok() ? std::string() : to_string(opened.error());
  if (!opened.ok()) return;
  state.editing = true;
  state.panel_open["Source"] = true;
  state.source_tab = source_language(state.workbench.active());
}

void ask_for_name(WindowState& state, const std::string& file) {
  const auto own = find_own_kernel(state.workbench.own_kernels(), file);
  if (own == state.workbench.own_kernels().end()) return;
  state.renaming = {own->file, own->name};
  state.panel_open["Kernels"] = true;
}

void ask_for_name_of_active(WindowState& state) {
  const Variant& active = state.workbench.active();
  if (active.own) ask_for_name(state, active.own->file.path);
}

void open_path(WindowState& state, const std::string& path) {
  if (!is_session_file(path)) {
    state.workbench.open_file_soon(path);
    finish_opening(state);
    return;
  }
  const Status opened = state.session.open(state, path);
  if (!opened.ok()) state.session.notices().push_back({to_string(opened.error()), true});
}

void finish_opening(WindowState& state) {
  const auto opened = state.workbench.take_opened();
  if (!opened) return;
  state.note.clear();
  if (opened->status) {
    state.session.remember_file(opened->path);
  } else {
    state.session.notices().push_back({to_string(opened->status.error()), true});
  }
}

void go_to_problem(WindowState& state, int by) {
  const std::vector<SourceMark>& marks = state.marks.source;
  if (marks.empty()) return;
  std::vector<std::uint32_t> lines;
  for (const SourceMark& mark : marks) lines.push_back(mark.line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const auto after = std::ranges::upper_bound(lines, state.problem_line);
  const auto from = std::ranges::lower_bound(lines, state.problem_line);
  if (by > 0) {
    state.problem_line = after == lines.end() ? lines.front() : *after;
  } else {
    state.problem_line = from == lines.begin() ? lines.back() : *(from - 1);
  }
  state.panel_open["Source"] = true;
  if (state.editing) {
    state.editor.take_focus();
  } else {
    state.focus_panel = "Source";
  }
  state.source_tab = source_language(state.workbench.active());
  state.sought_line = state.problem_line;
}

void go_to_finding(WindowState& state) {
  go_to_problem(state, 1);
  const auto mark = std::ranges::find_if(state.marks.source, [&](const SourceMark& candidate) {
    return candidate.line == state.problem_line && candidate.finding;
  });
  // A copy: acting on it may make the marks anew.
  if (mark != state.marks.source.end()) state.workbench.go_to(Finding(*mark->finding));
}

void set_side_by_side(WindowState& state, bool on) {
  state.source_beside = on;
  if (on) state.panel_open["Source"] = true;
}

void set_lecture(WindowState& state, bool on) {
  if (state.presentation.presents()) {
    if (!on) state.presentation.stay(state);
    return;
  }
  const bool is_free = state.learn.lesson() == nullptr && state.practice.exercise() == nullptr;
  if (on && is_free && !state.presentation.scenes().empty()) {
    state.presentation.begin(state);
  } else {
    state.lecture = on;
  }
}

namespace {

bool open_scenes(WindowState& state) {
  if (state.presentation.scenes().empty() || state.presentation.presents()) return false;
  state.panel_open["Scenes"] = true;
  state.focus_panel = "Scenes";
  state.frame_wanted = true;
  return true;
}

}  // namespace

void rename_scene(WindowState& state) {
  if (!open_scenes(state)) return;
  state.scene_editing = {.typing = true, .name = state.presentation.present().name};
}

void write_scene_note(WindowState& state) {
  if (open_scenes(state)) state.scene_editing.focus_note = true;
}

void show_example(WindowState& state, const CatalogueEntry& entry, View view,
                  const ParameterSet& changes) {
  if (state.workbench.active().entry != &entry) state.workbench.choose_kernel(entry);
  const auto values = complete_parameters(entry, changes);
  if (values && !changes.empty()) state.workbench.apply(*values);
  state.raise = view;
}

void open_help(WindowState& state, const std::string& term) {
  state.help.open = true;
  state.help.focus_search = true;
  if (term.empty()) return;
  state.help.tab = HelpState::Tab::kTerms;
  state.help.words.clear();
  state.help.term = term;
  state.help.term_in_sight = true;
}

void toggle_help(WindowState& state) {
  if (state.help.open) {
    state.help.open = false;
    return;
  }
  const GlossaryEntry* term = state.hovered_term;
  if (term == nullptr && state.learn.lesson() != nullptr) {
    term = state.learn.nearest_term(state.glossary);
  }
  open_help(state, term != nullptr ? term->term : "");
}

void reset_layout(WindowState& state) {
  for (const Panel& panel : state.panels) state.panel_open[panel.title] = panel.at_start;
  state.reset_layout = true;
}

void choose_factors(WindowState& state, const GemmFactors& factors) {
  const CatalogueEntry* entry = state.workbench.active().entry;
  if (entry == nullptr || factor_names(*entry).empty()) {
    state.note = "this kernel has no alpha and beta; gemm kernels have them";
    return;
  }
  state.note.clear();
  for (const auto& [name, value] : factors) state.workbench.set_factor(name, value);
}

void move_lane(WindowState& state, int by) {
  int& lane = state.workbench.active().selection.lane;
  lane = std::clamp(lane + by, 0, 31);
}

void move_warp(WindowState& state, int by) {
  Variant& variant = state.workbench.active();
  if (variant.study == nullptr) return;
  const auto warps = static_cast<std::int64_t>((variant.study->launch.block.count() + 31) / 32);
  variant.selection.warp = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{variant.selection.warp} + by, 0, warps - 1));
}

void move_block(WindowState& state, int by) {
  const Variant& variant = state.workbench.active();
  if (variant.study == nullptr) return;
  const std::uint64_t last = variant.study->launch.grid.count() - 1;
  const std::uint64_t block = std::min(variant.selection.block, last);
  state.workbench.select_block(by < 0 ? block - (block > 0 ? 1 : 0) : std::min(block + 1, last));
}

void zoom_view(WindowState& state, float factor) {
  Variant& variant = state.workbench.active();
  const ViewZoom zoom = descriptor_of(state.view).zoom;
  if (zoom == ViewZoom::kMatrices) {
    if (factor > 0) {
      state.zoom_wanted = factor;
      state.frame_wanted = true;
    } else {
      variant.camera = {};
    }
  }
  if (zoom == ViewZoom::kTime) {
    variant.time_zoom =
        factor > 0 ? std::clamp(variant.time_zoom * factor, kLeastTimeZoom, kMostTimeZoom) : 1;
  }
}

void move_view(WindowState& state, float across, float down) {
  if (descriptor_of(state.view).zoom == ViewZoom::kMatrices) {
    state.workbench.active().camera.move_by(across, down);
  }
}

void scale_text(WindowState& state, float factor) {
  float& scale = state.preferences.text_scale;
  scale = factor == 0 ? 1 : std::clamp(scale * factor, kLeastTextScale, kMostTextScale);
}

}  // namespace tilescope
