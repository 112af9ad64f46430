#include "ui/interface.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/file.h"
#include "core/paths.h"
#include "store/recorded_library.h"
#include "ui/command_table.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/help.h"
#include "ui/dialogs/picture_export_dialog.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/panels.h"
#include "ui/panels/top_bar.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/time_control.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDockSpace = "dock space";

fs::path layout_file(LayoutKind kind) {
  return data_directory() / ("layout-" + std::string(name_of(kind)) + ".ini");
}

constexpr std::uintmax_t kMostLayoutBytes = 4U << 20;

// A home that cannot be written to costs the memory of it, nothing else.
void keep_layout(LayoutKind kind) {
  (void)write_own_file(layout_file(kind), ImGui::SaveIniSettingsToMemory());
}

std::string read_text(const fs::path& file) {
  return read_file(file, kMostLayoutBytes).value_or(std::string());
}

}  // namespace

Interface::Contexts::Contexts() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.IniFilename = nullptr;                      // kept per layout, by prepare_frame()
  io.ConfigIniSettingsSaveLastUsedDate = false;  // the same layout is the same text tomorrow
  io.ConfigInputTextCursorBlink = false;         // nothing moves by itself
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

Interface::Contexts::~Contexts() {
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

struct Interface::Parts {
  Parts(Workbench& bench, RecordedLibrary l, Fonts f, CellRenderer c, Remembered r, bool keep)
      : recorded(std::move(l)),
        fonts(f),
        cells(std::move(c)),
        remembered(std::move(r)),
        desk(bench, recorded, fonts, cells, editor, remembered.preferences, all_panels(),
             make_commands(bench.catalogue()), keep) {}

  RecordedLibrary recorded;
  Fonts fonts;
  CellRenderer cells;
  SourceEditor editor;
  Remembered remembered;
  Desk desk;
  std::unique_ptr<CommandPalette> palette;
  bool remember = false;
  float display_scale = 1;
  std::optional<LayoutKind> layout;  // that is in place
  bool layout_from_file = false;
  bool was_animating = true;
  std::optional<std::pair<Theme, float>> styled_for;
};

Interface::Interface(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Interface::~Interface() {
  parts_->desk.session.end(parts_->desk);
  if (!parts_->remember) return;
  parts_->remembered.panel_open = parts_->desk.panel_open;
  save_remembered(data_directory() / "interface.json", parts_->remembered);
  if (parts_->layout) keep_layout(*parts_->layout);
}

Result<std::unique_ptr<Interface>> Interface::create(Workbench& bench,
                                                     const InterfaceOptions& options) {
  Result<Fonts> fonts = Fonts::load();
  if (!fonts.ok()) return fonts.error();
  Result<CellRenderer> cells = CellRenderer::create();
  if (!cells.ok()) return cells.error();
  Remembered remembered;
  if (options.remember) remembered = load_remembered(data_directory() / "interface.json");
  if (options.theme) remembered.preferences.theme = *options.theme;
  Result<RecordedLibrary> library = RecordedLibrary::load_shipped(bench.catalogue());
  if (!library.ok()) return library.error();
  auto parts =
      std::make_unique<Parts>(bench, std::move(library).value(), fonts.value(),
                              std::move(cells).value(), std::move(remembered), options.keep);
  parts->remember = options.remember;
  parts->display_scale = options.scale;
  parts->desk.panel_open = parts->remembered.panel_open;
  for (const Panel& panel : all_panels())
    parts->desk.panel_open.try_emplace(panel.title, panel.at_start);
  parts->desk.lecture = options.lecture;
  parts->desk.view = options.view.value_or(View::kTiling);
  parts->desk.raise = parts->desk.view;
  parts->palette = std::make_unique<CommandPalette>();
  if (options.recover) parts->desk.session.recover(parts->desk);
  return std::unique_ptr<Interface>(new Interface(std::move(parts)));
}

Desk& Interface::desk() { return parts_->desk; }
bool Interface::animating() const { return parts_->was_animating; }
std::optional<double> Interface::due_seconds() const { return parts_->desk.session.due_seconds(); }

Status Interface::open_session(const std::string& file) {
  return parts_->desk.session.open(parts_->desk, file);
}

std::string Interface::title() const {
  const std::string session = parts_->desk.session.title();
  return session.empty() ? "Tilescope" : session + " – Tilescope";
}

void Interface::prepare_frame() {
  Desk& desk = parts_->desk;
  desk.scale = parts_->display_scale * desk.preferences.text_scale;
  const auto wanted = std::pair(desk.theme(), desk.scale);
  if (parts_->styled_for != wanted) {
    apply_style(desk.theme(), desk.scale);
    apply_chart_style(desk.theme(), desk.scale);
    parts_->editor.forget_colours();
    parts_->styled_for = wanted;
  }
  ImGuiIO& io = ImGui::GetIO();
  const float width = io.DisplaySize.x / desk.scale;
  const float height = io.DisplaySize.y / desk.scale;
  const LayoutKind kind = layout_for(desk, width, height);
  desk.compact = kind != LayoutKind::kLecture && !is_roomy(width, height);
  const bool brought = desk.layout_wanted && desk.layout_wanted->first == name_of(kind);
  if (parts_->layout == kind && !desk.reset_layout && !brought) return;
  if (parts_->remember && parts_->layout && parts_->layout != kind) keep_layout(*parts_->layout);
  std::string kept =
      parts_->remember && !desk.reset_layout ? read_text(layout_file(kind)) : std::string();
  if (brought) {
    kept = *desk.layout_wanted->second;
    desk.layout_wanted.reset();
    desk.reset_layout = false;
    desk.charts.folded.reset();
  }
  // Another arrangement of the same panels keeps in front what is.
  const bool stays = parts_->layout && shows_source(*parts_->layout);
  // What is about to be brought there comes before what is not seen yet.
  const std::string front = !stays                      ? std::string()
                            : !desk.focus_panel.empty() ? desk.focus_panel
                                                        : panel_in_front(desk.view);
  parts_->layout_from_file = !kept.empty();
  if (parts_->layout_from_file) {
    ImGui::LoadIniSettingsFromMemory(kept.data(), kept.size());
  } else {
    desk.reset_layout = true;  // built in frame(), inside the window that holds it
  }
  parts_->layout = kind;
  desk.layout = name_of(kind);
  desk.left_column_fit = 0;
  desk.charts.folded.reset();
  desk.charts.row_height = 0;
  desk.raise = desk.raise.value_or(desk.view);
  if (shows_source(kind)) desk.focus_panel = front.empty() ? "Source" : front;  // in front of that
}

void Interface::frame() {
  Desk& desk = parts_->desk;
  ImGuiIO& io = ImGui::GetIO();
  desk.frame_wanted = false;
  desk.now = desk.bench.now_seconds();
  desk.bench.set_view(desk.raise.value_or(desk.view));
  parts_->cells.begin_frame(io.DisplaySize.x, io.DisplaySize.y, io.DisplayFramebufferScale.x);
  handle_keys(desk);
  const Variant& active = desk.bench.active();
  desk.legal.update(active.entry, active.parameters, active.extents,
                    desk.bench.device_model(active));
  advance_playback(desk);

  desk.digest.update(active.study, desk.as_issued, desk.heat_column);
  desk.marks.update(active);
  desk.hardware.update(desk.bench, desk.opened, desk.recorded, active);
  desk.phases.update(desk.bench, desk.opened, active.study);
  desk.roofline.update(desk.bench, desk.opened, desk.recorded, active,
                       desk.view == View::kRoofline);
  desk.layouts.update(desk.bench, active, desk.view == View::kBanks);
  desk.compare.update(desk.bench, desk.opened, desk.recorded, desk.view == View::kCompare);
  if (desk.compare.pending() || desk.layouts.pending()) desk.frame_wanted = true;

  draw_top_bar(desk);
  const float top = desk.px(kTopBarHeight) + draw_notices(desk, desk.px(kTopBarHeight));
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({io.DisplaySize.x, std::max(1.0F, io.DisplaySize.y - top)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("desk", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus |
                   ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  const ImGuiID dock_space = ImGui::GetID(kDockSpace);
  if (desk.reset_layout) {
    build_layout(desk, *parts_->layout, dock_space, io.DisplaySize.x, io.DisplaySize.y - top);
    desk.reset_layout = false;
    desk.frame_wanted = true;
  }
  // The height of tabs follows from font and padding while the dock space is updated.
  push_tab_style(desk);
  ImGui::DockSpace(dock_space, {0, 0}, ImGuiDockNodeFlags_NoWindowMenuButton);
  pop_tab_style();
  ImGui::End();

  draw_panels(desk);
  if (desk.touched_line != desk.hovered_line) desk.frame_wanted = true;
  desk.hovered_line = std::exchange(desk.touched_line, 0);
  fit_left_column(desk);
  fit_bottom_row(desk);
  parts_->palette->draw(desk);
  draw_help(desk);
  draw_picture_export(desk);
  draw_file_dialog(desk);
  desk.session.observe(desk);
  parts_->was_animating = desk.frame_wanted || parts_->cells.uploading();
}

void Interface::open_dropped(const std::string& path) { open_path(parts_->desk, path); }

}  // namespace tilescope
