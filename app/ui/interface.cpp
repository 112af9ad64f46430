#include "ui/interface.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/file.h"
#include "core/paths.h"
#include "scene/views.h"
#include "session/glossary.h"
#include "store/recorded_library.h"
#include "ui/command_table.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/help.h"
#include "ui/dialogs/learn_page.h"
#include "ui/dialogs/picture_export_dialog.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/exercise_panel.h"
#include "ui/panels/gpu_menu.h"
#include "ui/panels/lecture_panel.h"
#include "ui/panels/lesson_panel.h"
#include "ui/panels/panels.h"
#include "ui/panels/presenter_page.h"
#include "ui/panels/program_bar.h"
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
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.IniFilename = nullptr;                      // kept per layout, by prepare_frame()
  io.ConfigIniSettingsSaveLastUsedDate = false;  // the same layout is the same text tomorrow
  io.ConfigInputTextCursorBlink = false;         // nothing moves by itself
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

Interface::Contexts::~Contexts() { ImGui::DestroyContext(); }

struct Interface::Parts {
  Parts(Workbench& workbench, std::shared_ptr<const RecordedLibrary> l, Glossary g, Fonts f,
        CellRenderer c, Remembered r, bool keep)
      : recorded(std::move(l)),
        glossary(std::move(g)),
        fonts(f),
        cells(std::move(c)),
        remembered(std::move(r)),
        state(workbench, *recorded, glossary, fonts, cells, editor, remembered.preferences,
              all_panels(), make_commands(workbench.catalogue()), keep) {}

  std::shared_ptr<const RecordedLibrary> recorded;
  Glossary glossary;
  Fonts fonts;
  CellRenderer cells;
  SourceEditor editor;
  Remembered remembered;
  WindowState state;
  std::unique_ptr<CommandPalette> palette;
  bool remember = false;
  float display_scale = 1;
  std::optional<LayoutKind> layout;  // that is in place
  bool layout_from_file = false;
  bool was_animating = true;
  std::optional<std::pair<Theme, float>> styled_for;
  PresenterPage presenter;
  WordTables word_tables;
};

Interface::Interface(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Interface::~Interface() {
  parts_->state.session.end(parts_->state);
  if (!parts_->remember) return;
  parts_->state.learn.leave(parts_->state);
  parts_->state.practice.leave(parts_->state);
  parts_->state.presentation.leave(parts_->state);
  parts_->remembered.panel_open = parts_->state.panel_open;
  parts_->remembered.lessons = parts_->state.learn.progress();
  save_remembered(data_directory() / "interface.json", parts_->remembered);
  if (parts_->layout && is_kept(*parts_->layout)) keep_layout(*parts_->layout);
}

Result<std::unique_ptr<Interface>> Interface::create(Workbench& workbench,
                                                     const InterfaceOptions& options) {
  Result<Fonts> fonts = Fonts::load();
  if (!fonts.ok()) return fonts.error();
  Result<CellRenderer> cells = CellRenderer::create();
  if (!cells.ok()) return cells.error();
  Remembered remembered;
  if (options.remember) remembered = load_remembered(data_directory() / "interface.json");
  if (options.theme) remembered.preferences.theme = *options.theme;
  std::shared_ptr<const RecordedLibrary> recorded = options.recorded;
  if (recorded == nullptr) {
    Result<RecordedLibrary> library = RecordedLibrary::load_shipped(workbench.catalogue());
    if (!library.ok()) return library.error();
    recorded = std::make_shared<const RecordedLibrary>(std::move(library).value());
  }
  Result<Glossary> glossary = Glossary::load_shipped();
  if (!glossary.ok()) return glossary.error();
  auto parts = std::make_unique<Parts>(workbench, std::move(recorded), std::move(glossary).value(),
                                       fonts.value(), std::move(cells).value(),
                                       std::move(remembered), options.keep);
  parts->remember = options.remember;
  parts->display_scale = options.scale;
  parts->state.panel_open = parts->remembered.panel_open;
  for (const Panel& panel : all_panels())
    parts->state.panel_open.try_emplace(panel.title, panel.at_start);
  parts->state.lecture = options.lecture;
  parts->state.view = options.view.value_or(View::kTiling);
  parts->state.raise = parts->state.view;
  parts->palette = std::make_unique<CommandPalette>();
  parts->state.learn.remember(parts->remembered.lessons);
  if (options.greet && options.remember) show_easy_kernel(parts->state);
  if (options.greet && options.remember && parts->remembered.first_start) {
    parts->state.learn.show_page(Learn::Page::kStart);
    // Now, not at the end: a window that is killed has greeted all the same.
    save_remembered(data_directory() / "interface.json", parts->remembered);
  }
  if (options.recover) parts->state.session.recover(parts->state);
  if (options.view) parts->state.raise = options.view;
  return std::unique_ptr<Interface>(new Interface(std::move(parts)));
}

WindowState& Interface::state() { return parts_->state; }
bool Interface::animating() const { return parts_->was_animating; }
std::optional<double> Interface::due_seconds() const {
  const WindowState& state = parts_->state;
  std::optional<double> first;
  for (const std::optional<double>& due :
       {state.session.due_seconds(), state.practice.due_seconds(),
        state.presentation.due_seconds(state.workbench.now_seconds()), news_end(state),
        parts_->presenter.due_seconds(state.workbench.now_seconds())}) {
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

Status Interface::open_session(const std::string& file) {
  return parts_->state.session.open(parts_->state, file);
}

std::string Interface::title() const {
  const std::string session = parts_->state.session.title();
  return session.empty() ? "Tilescope" : session + " – Tilescope";
}

void Interface::prepare_frame() {
  WindowState& state = parts_->state;
  ImGuiIO& io = ImGui::GetIO();
  state.scale = parts_->display_scale * state.preferences.text_scale;
  if (state.lecture) {
    state.scale *= lecture_magnification(io.DisplaySize.x / parts_->display_scale,
                                         io.DisplaySize.y / parts_->display_scale);
  }
  state.words = state.fonts.has_wide_characters()
                    ? parts_->word_tables.of(state.preferences.language)
                    : nullptr;
  const auto wanted = std::pair(state.theme(), state.scale);
  if (parts_->styled_for != wanted) {
    // The columns beside a lecture are as wide as their words.
    const bool resized = parts_->styled_for && parts_->styled_for->second != state.scale;
    if (resized && parts_->layout == LayoutKind::kLecture) state.reset_layout = true;
    apply_style(state.theme(), state.scale);
    parts_->editor.forget_colours();
    parts_->styled_for = wanted;
  }
  const float width = io.DisplaySize.x / state.scale;
  const float height = io.DisplaySize.y / state.scale;
  const LayoutKind kind = layout_for(state, width, height);
  state.compact = kind != LayoutKind::kLecture && !is_roomy(width, height);
  const bool brought = state.layout_wanted && state.layout_wanted->first == name_of(kind);
  if (parts_->layout == kind && !state.reset_layout && !brought) return;
  const bool keeps = parts_->remember && is_kept(kind);
  const bool was_kept = parts_->remember && parts_->layout && is_kept(*parts_->layout);
  if (was_kept && parts_->layout != kind) keep_layout(*parts_->layout);
  std::string kept = keeps && !state.reset_layout ? read_text(layout_file(kind)) : std::string();
  if (brought) {
    kept = *state.layout_wanted->second;
    state.layout_wanted.reset();
    state.reset_layout = false;
    state.charts.folded.reset();
  }
  // Another arrangement of the same panels keeps in front what is.
  const bool stays = parts_->layout && shows_source(*parts_->layout);
  // What is about to be brought there comes before what is not seen yet.
  const std::string front = !stays                       ? std::string()
                            : !state.focus_panel.empty() ? state.focus_panel
                                                         : panel_in_front(state.view);
  // A tab that is no view: another size of the window keeps it in front, too.
  const std::string tab =
      parts_->layout && is_kept(*parts_->layout) ? panel_in_front(state.view) : std::string();
  const auto panel = std::ranges::find(all_panels(), tab, &Panel::title);
  const bool is_tab =
      panel != all_panels().end() && panel->region == Region::kCentre && !panel->view;
  parts_->layout_from_file = !kept.empty();
  if (parts_->layout_from_file) {
    ImGui::LoadIniSettingsFromMemory(kept.data(), kept.size());
  } else {
    state.reset_layout = true;  // built in frame(), inside the window that holds it
  }
  parts_->layout = kind;
  state.layout = name_of(kind);
  state.left_column_fit = 0;
  state.charts.folded.reset();
  state.charts.row_height = 0;
  state.raise = state.raise.value_or(state.view);
  if (shows_source(kind)) {
    state.focus_panel = front.empty() ? "Source" : front;  // in front of that
  } else if (is_kept(kind) && kind != LayoutKind::kLecture && is_tab && state.focus_panel.empty()) {
    state.focus_panel = tab;
  }
}

void Interface::frame() {
  WindowState& state = parts_->state;
  ImGuiIO& io = ImGui::GetIO();
  state.frame_wanted = false;
  state.tooltip.begin_frame();
  state.now = state.workbench.now_seconds();
  state.workbench.set_view(state.raise.value_or(state.view));
  parts_->cells.begin_frame(io.DisplaySize.x, io.DisplaySize.y, io.DisplayFramebufferScale.x);
  finish_opening(state);
  take_launches(state);
  handle_keys(state);
  state.learn.update(state);
  state.practice.update(state);
  state.presentation.update(state);
  const Variant& active = state.workbench.active();
  state.legal.update(active.entry, active.parameters, active.extents,
                     state.workbench.device_model(active));
  advance_playback(state);

  state.digest.update(active.study, state.as_issued, state.heat_column);
  state.marks.update(active);
  state.facts.update(state);
  state.linked_time.update(state.workbench, descriptor_of(state.view).needs.variants);
  if (state.facts.pending()) state.frame_wanted = true;

  float top = 0;
  if (!state.presentation.presents()) {
    draw_top_bar(state);
    top += state.px(kTopBarHeight);
    top += draw_notices(state, top);
    top += draw_program_bar(state, top);
  }
  const PanelInsets frame = draw_lesson(state, top);
  draw_lecture(state, frame);
  draw_exercise(state, top, frame.left);
  const ImVec2 corner{frame.left, top + frame.top};
  const ImVec2 room{std::max(1.0F, io.DisplaySize.x - corner.x),
                    std::max(1.0F, io.DisplaySize.y - corner.y - frame.bottom)};
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(room);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("desk", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus |
                   ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  const ImGuiID dock_space = ImGui::GetID(kDockSpace);
  if (state.reset_layout) {
    build_layout(state, *parts_->layout, dock_space, room.x, room.y);
    state.reset_layout = false;
    state.frame_wanted = true;
  }
  // The height of tabs follows from font and padding while the dock space is updated.
  push_tab_style(state);
  ImGui::DockSpace(dock_space, {0, 0}, ImGuiDockNodeFlags_NoWindowMenuButton);
  pop_tab_style();
  ImGui::End();

  draw_panels(state);
  draw_lesson_chart(state, top, frame);
  draw_lecture_overlay(state, top, frame);
  if (state.touched_line != state.hovered_line) state.frame_wanted = true;
  state.hovered_line = std::exchange(state.touched_line, 0);
  state.hovered_term = std::exchange(state.touched_term, nullptr);
  fit_left_column(state);
  fit_bottom_row(state);
  parts_->palette->draw(state);
  draw_learn_page(state);
  draw_help(state);
  draw_picture_export(state);
  draw_file_dialog(state);
  draw_lecture_aids(state);
  state.tooltip.show(state.scale);
  state.menu_open = ImGui::IsPopupOpen(
      "", ImGuiPopupFlags_AnyPopupId | static_cast<ImGuiPopupFlags>(ImGuiPopupFlags_AnyPopupLevel));
  if (!has_one_view(state)) state.shows_presenter = false;
  if (state.shows_presenter) {
    parts_->presenter.draw(state);
  } else {
    parts_->presenter.clear();
  }
  // In the frame in which the view is chosen: both are one step of undo.
  if (const View view = state.raise.value_or(state.view); state.heat_view != view) {
    state.heat_view = view;
    state.heat_column = heat_column_of(view).value_or(state.heat_column);
  }
  state.session.observe(state);
  parts_->was_animating = state.frame_wanted || parts_->cells.uploading();
}

ImDrawData* Interface::presenter_page() { return parts_->presenter.data(); }

void Interface::open_dropped(const std::string& path) { open_path(parts_->state, path); }

}  // namespace tilescope
