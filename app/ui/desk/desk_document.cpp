#include "ui/desk/desk_document.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/layout_text.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

constexpr std::array<const char*, 3> kSourceNames{"cuda", "ptx", "sass"};  // by SourceLanguage

SharedText shared(const std::string& text, const SharedText& known) {
  return text.empty() ? nullptr : share_text(text, known);
}

Arrangement arrangement_of(const Desk& desk) {
  Arrangement arrangement;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  arrangement.layout = desk.layout;
  arrangement.width = static_cast<int>(screen.x);
  arrangement.height = static_cast<int>(screen.y);
  arrangement.focused_parameter = desk.focused_parameter;
  arrangement.family = desk.open_family;
  arrangement.source = kSourceNames[static_cast<std::size_t>(desk.source_tab)];
  arrangement.source_line = desk.editor.first_line();
  arrangement.editing = desk.editing;
  arrangement.side_by_side = desk.source_beside;
  return arrangement;
}

void arrange(const Arrangement& arrangement, Desk& desk) {
  desk.focused_parameter = arrangement.focused_parameter;
  desk.open_family = arrangement.family;
  const auto source = std::ranges::find(kSourceNames, arrangement.source);
  desk.source_tab = source == kSourceNames.end()
                        ? SourceLanguage::kCuda
                        : static_cast<SourceLanguage>(source - kSourceNames.begin());
  desk.editing = arrangement.editing;
  if (arrangement.side_by_side != desk.source_beside) {
    set_side_by_side(desk, arrangement.side_by_side);
  }
  desk.editor.show_from(arrangement.source_line);
  desk.ladder_shown = {};
  if (arrangement.layout_text != nullptr && is_sound_layout(*arrangement.layout_text)) {
    desk.layout_wanted = {arrangement.layout, arrangement.layout_text};
  }
}

}  // namespace

Document document_of(const Desk& desk, const Document& known) {
  Document document;
  for (const Variant& variant : desk.bench.variants()) {
    const std::size_t index = document.variants.size();
    document.variants.push_back(Workbench::document_of(
        variant, index < known.variants.size() ? &known.variants[index] : nullptr));
  }
  document.own_kernels = desk.bench.shared_own_kernels();
  document.active = desk.bench.active_index();
  document.view = desk.raise.value_or(desk.view);
  document.settings = desk.view_settings;
  document.latencies = desk.bench.latencies();
  document.theme = desk.preferences.theme;
  document.text_scale = desk.preferences.text_scale;
  document.reduce_motion = desk.preferences.reduce_motion;
  document.lecture = desk.lecture;
  document.as_issued = desk.as_issued;
  document.heat_column = desk.heat_column;
  document.cold_l2 = desk.bench.cold();
  document.panels = desk.panel_open;
  document.notes = shared(desk.notes, known.notes);
  document.arrangement = arrangement_of(desk);
  document.unknown = desk.unknown_fields;
  return document;
}

SharedText layout_text_of() {
  std::size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);
  return share_text({text, size});
}

void apply_document(const Document& document, Desk& desk, Applied what) {
  desk.playback.playing = false;
  desk.bench.set_latencies(document.latencies);
  desk.bench.restore(document.variants, document.active, document.own_kernels);
  desk.bench.set_cold(document.cold_l2);
  if (document.view != desk.view) desk.raise = document.view;
  desk.view_settings = document.settings;
  desk.preferences.theme = document.theme;
  desk.preferences.text_scale = document.text_scale;
  desk.preferences.reduce_motion = document.reduce_motion;
  desk.lecture = document.lecture;
  desk.as_issued = document.as_issued;
  desk.heat_column = document.heat_column;
  for (const auto& [title, open] : document.panels) desk.panel_open[title] = open;
  desk.notes = document.notes != nullptr ? *document.notes : std::string();
  desk.unknown_fields = document.unknown;
  if (what == Applied::kAll) arrange(document.arrangement, desk);
}

}  // namespace tilescope
