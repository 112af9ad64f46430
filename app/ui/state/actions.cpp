#include "ui/state/actions.h"

#include <imgui.h>

#include <algorithm>

#include "ui/source/source_editor.h"
#include "ui/state/layout.h"
#include "ui/state/window_state.h"

namespace tilescope {

void paste_kernel(Desk& desk) {
  const char* text = ImGui::GetClipboardText();
  const Status opened = desk.bench.open_text(text != nullptr ? text : "");
  desk.note = opened.ok() ? std::string() : to_string(opened.error());
}

void start_kernel(Desk& desk) {
  const Status opened = desk.bench.open_template();
  desk.note = opened.ok() ? std::string() : to_string(opened.error());
  if (!opened.ok()) return;
  desk.editing = true;
  desk.panel_open["Source"] = true;
  desk.source_tab = source_language(desk.bench.active());
}

void ask_for_name(Desk& desk, const std::string& file) {
  const auto own = find_own_kernel(desk.bench.own_kernels(), file);
  if (own == desk.bench.own_kernels().end()) return;
  desk.renaming = {own->file, own->name};
  desk.panel_open["Kernels"] = true;
}

void ask_for_name_of_active(Desk& desk) {
  const Variant& active = desk.bench.active();
  if (active.own) ask_for_name(desk, active.own->file.path);
}

void open_path(Desk& desk, const std::string& path) {
  const bool session = is_session_file(path);
  const Status opened = session ? desk.session.open(desk, path) : desk.bench.open_file(path);
  if (!opened.ok()) {
    desk.session.notices().push_back({to_string(opened.error()), true});
  } else if (!session) {
    desk.session.remember_file(path);
  }
  if (!session) desk.note = opened.ok() ? std::string() : to_string(opened.error());
}

void go_to_problem(Desk& desk, int by) {
  const std::vector<SourceMark>& marks = desk.marks.source;
  if (marks.empty()) return;
  std::vector<std::uint32_t> lines;
  for (const SourceMark& mark : marks) lines.push_back(mark.line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const auto after = std::ranges::upper_bound(lines, desk.problem_line);
  const auto from = std::ranges::lower_bound(lines, desk.problem_line);
  if (by > 0) {
    desk.problem_line = after == lines.end() ? lines.front() : *after;
  } else {
    desk.problem_line = from == lines.begin() ? lines.back() : *(from - 1);
  }
  desk.panel_open["Source"] = true;
  if (desk.editing) {
    desk.editor.take_focus();
  } else {
    desk.focus_panel = "Source";
  }
  desk.source_tab = source_language(desk.bench.active());
  desk.sought_line = desk.problem_line;
}

void go_to_finding(Desk& desk) {
  go_to_problem(desk, 1);
  const auto mark = std::ranges::find_if(desk.marks.source, [&](const SourceMark& candidate) {
    return candidate.line == desk.problem_line && candidate.finding;
  });
  // A copy: acting on it may make the marks anew.
  if (mark != desk.marks.source.end()) desk.bench.go_to(Finding(*mark->finding));
}

void set_side_by_side(Desk& desk, bool on) {
  desk.source_beside = on;
  if (on) desk.panel_open["Source"] = true;
}

void reset_layout(Desk& desk) {
  for (const Panel& panel : desk.panels) desk.panel_open[panel.title] = panel.at_start;
  desk.reset_layout = true;
}

void choose_factors(Desk& desk, const GemmFactors& factors) {
  const CatalogueEntry* entry = desk.bench.active().entry;
  if (entry == nullptr || factor_names(*entry).empty()) {
    desk.note = "this kernel has no alpha and beta; gemm kernels have them";
    return;
  }
  desk.note.clear();
  for (const auto& [name, value] : factors) desk.bench.set_factor(name, value);
}

void move_lane(Desk& desk, int by) {
  int& lane = desk.bench.active().selection.lane;
  lane = std::clamp(lane + by, 0, 31);
}

void move_warp(Desk& desk, int by) {
  Variant& variant = desk.bench.active();
  if (variant.study == nullptr) return;
  const auto warps = static_cast<std::int64_t>((variant.study->launch.block.count() + 31) / 32);
  variant.selection.warp = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{variant.selection.warp} + by, 0, warps - 1));
}

void move_block(Desk& desk, int by) {
  const Variant& variant = desk.bench.active();
  if (variant.study == nullptr) return;
  const std::uint64_t last = variant.study->launch.grid.count() - 1;
  const std::uint64_t block = std::min(variant.selection.block, last);
  desk.bench.select_block(by < 0 ? block - (block > 0 ? 1 : 0) : std::min(block + 1, last));
}

void zoom_view(Desk& desk, float factor) {
  Variant& variant = desk.bench.active();
  if (desk.view == View::kTiling) {
    if (factor > 0) {
      variant.camera.zoom_by(factor);
    } else {
      variant.camera = {};
    }
  }
  if (desk.view == View::kPipeline) {
    variant.time_zoom =
        factor > 0 ? std::clamp(variant.time_zoom * factor, kLeastTimeZoom, kMostTimeZoom) : 1;
  }
}

void move_view(Desk& desk, float across, float down) {
  if (desk.view == View::kTiling) desk.bench.active().camera.move_by(across, down);
}

void scale_text(Desk& desk, float factor) {
  float& scale = desk.preferences.text_scale;
  scale = factor == 0 ? 1 : std::clamp(scale * factor, kLeastTextScale, kMostTextScale);
}

}  // namespace tilescope
