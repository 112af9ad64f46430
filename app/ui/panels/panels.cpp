#include "ui/panels/panels.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "scene/views.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/counters_panel.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/latency_panel.h"
#include "ui/panels/parameters_panel.h"
#include "ui/panels/result_panel.h"
#include "ui/panels/scenes_panel.h"
#include "ui/panels/source_panel.h"
#include "ui/panels/throughput_panel.h"
#include "ui/panels/transport_panel.h"
#include "ui/panels/tuner_panel.h"
#include "ui/panels/verdicts_panel.h"
#include "ui/panels/view_panel.h"
#include "ui/state/window_state.h"

namespace tilescope {

namespace {

constexpr std::array kLeft{
    Panel{"Kernels", "The kernels of each family, from naive to fast", Region::kLadder,
          draw_ladder_panel},
    Panel{"Parameters",
          "Compile-time parameters and problem size",
          Region::kParameters,
          draw_parameters_panel,
          {},
          true},
    Panel{"Costs", "Threads, registers and shared memory per block, and blocks per SM",
          Region::kCosts, draw_costs_panel},
};

constexpr std::array kOthers{
    Panel{"Tuner", "Tries all valid parameters and explains why the fastest is fastest",
          Region::kCentre, draw_tuner_panel},
    Panel{"Transport",
          "The time of the traced block",
          Region::kTransport,
          draw_transport_panel,
          {},
          true,
          false},
    Panel{"Source",
          "The kernel's CUDA, PTX and SASS, with the cost of each line",
          Region::kSource,
          draw_source_panel,
          {},
          false,
          false},
    Panel{"Why", "Why it is not faster: the largest causes", Region::kCounters,
          draw_verdicts_panel},
    Panel{"Counters", "The cost of each line, and its minimum", Region::kCounters,
          draw_counters_panel},
    Panel{"Latencies", "Assumptions of the pipeline model; each can be changed", Region::kCounters,
          draw_latency_panel},
    Panel{"Notes",
          "Your notes on this session; saved with it",
          Region::kCounters,
          draw_notes_panel,
          {},
          false,
          true,
          false},
    Panel{"Scenes",
          "The scenes of your lecture: each is what was on screen, with a note",
          Region::kCounters,
          draw_scenes_panel,
          {},
          false,
          true,
          false},
    Panel{"Throughput", "Measured rates over a parameter and over time", Region::kThroughput,
          draw_throughput_panel},
    Panel{"Result", "The numbers of the chosen point", Region::kResult, draw_result_panel},
};

// A tab of the centre for each view.
std::vector<Panel> make_panels() {
  std::vector<Panel> panels(kLeft.begin(), kLeft.end());
  for (const ViewDescriptor& view : view_descriptors()) {
    panels.push_back({.title = view.title.data(),
                      .purpose = view.purpose.data(),
                      .region = Region::kCentre,
                      .draw = nullptr,
                      .view = view.view,
                      .in_lecture = true,
                      .padded = false});
  }
  panels.insert(panels.end(), kOthers.begin(), kOthers.end());
  return panels;
}

}  // namespace

std::span<const Panel> all_panels() {
  static const std::vector<Panel> panels = make_panels();
  return panels;
}

namespace {

// Right click on empty ground of a panel.
void offer_window_menu(WindowState& state, const Panel& panel) {
  if (!ImGui::BeginPopupContextWindow(
          "panel menu", ImGuiPopupFlags_MouseButtonRight | ImGuiPopupFlags_NoOpenOverItems)) {
    return;
  }
  ImGui::TextDisabled("%s", panel.title);
  if (ImGui::MenuItem("Close")) state.panel_open[panel.title] = false;
  const ImGuiWindow* window = ImGui::GetCurrentWindow()->RootWindow;
  if (window->DockNode != nullptr) {
    if (ImGui::MenuItem("Show its tab (to drag it)", nullptr,
                        !window->DockNode->IsHiddenTabBar())) {
      window->DockNode->WantHiddenTabBarToggle = true;
    }
  }
  if (ImGui::MenuItem("Reset layout")) state.reset_layout = true;
  ImGui::EndPopup();
}

// A line under the tabs, and a stronger one under the tab in front.
void draw_tab_lines(const WindowState& state) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiDockNode* node = window->DockNode;
  if (node == nullptr || node->TabBar == nullptr || node->IsHiddenTabBar() || node->IsNoTabBar())
    return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float bottom = node->TabBar->BarRect.Max.y;
  list->PushClipRect(node->Rect().Min, node->Rect().Max, false);
  list->AddRectFilled({node->Pos.x, bottom - 1}, {node->Pos.x + node->Size.x, bottom},
                      packed(ColourRole::kLine, state.theme()));
  const ImRect tab = window->DC.DockTabItemRect;
  list->AddRectFilled({tab.Min.x + state.px(6), bottom - state.px(2)},
                      {tab.Max.x - state.px(6), bottom}, packed(ColourRole::kFirst, state.theme()));
  list->PopClipRect();
}

void draw_panel(WindowState& state, const Panel& panel) {
  bool& open = state.panel_open[panel.title];
  const ImGuiWindow* before = ImGui::FindWindowByName(panel.title);
  const bool docked = before != nullptr && before->DockIsActive;
  const bool in_front =
      (!panel.view || *panel.view == state.view) && (!docked || before->DockTabIsVisible);
  // The colour of a docked window's tab is the one that stands when its window is opened.
  ImGui::PushStyleColor(ImGuiCol_Text,
                        packed(in_front ? ColourRole::kStrong : ColourRole::kDim, state.theme()));
  ImGui::PushStyleColor(
      ImGuiCol_WindowBg,
      packed(panel.region == Region::kCentre ? ColourRole::kBackground : ColourRole::kPanel,
             state.theme()));
  // The corner that brings a hidden tab back shows itself when hovered.
  ImGui::PushStyleColor(ImGuiCol_Button, packed(Paint(ColourRole::kRaised, 0), state.theme()));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive,
                        packed(Paint(ColourRole::kRaised, 0), state.theme()));
  const ImVec2 usual = ImGui::GetStyle().WindowPadding;
  const ImVec2 padding = !panel.padded                     ? ImVec2(0, 0)
                         : panel.region == Region::kCentre ? ImVec2(state.px(kViewMargin), usual.y)
                                                           : usual;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  // Not below a page, which has the focus: once that is closed.
  const bool raises = state.raise && state.learn.page() == Learn::Page::kNone;
  if (raises && panel.view == state.raise) ImGui::SetNextWindowFocus();
  if (state.focus_panel == panel.title) {
    ImGui::SetNextWindowFocus();
    state.focus_panel.clear();
    state.frame_wanted = true;
  }
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing;
  if (!panel.padded) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowSize({state.px(480), state.px(360)}, ImGuiCond_FirstUseEver);
  ImGuiWindowClass of_window;
  if (has_one_view(state)) of_window.DockNodeFlagsOverrideSet = ImGuiDockNodeFlags_NoTabBar;
  ImGui::SetNextWindowClass(&of_window);
  // Where the content begins under a tab follows from font and padding at this moment.
  push_tab_style(state);
  // The many tabs of a small window and the large ones of a lecture have no room for crosses beside
  // their names: menus close them.
  const bool no_cross = docked && (state.compact || state.lecture);
  const bool visible = ImGui::Begin(panel.title, no_cross ? nullptr : &open, flags);
  pop_tab_style();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  if (visible) {
    const bool attended =
        ImGui::IsWindowAppearing() || ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
    if (panel.view && !state.raise && attended) state.view = *panel.view;
    draw_tab_lines(state);
    if (panel.view) {
      draw_view_panel(state, *panel.view);
    } else {
      panel.draw(state);
    }
    offer_window_menu(state, panel);
  }
  ImGui::End();
}

}  // namespace

void push_tab_style(const WindowState& state) {
  ImGui::PushFont(state.fonts.text(Weight::kMedium), state.lecture ? 19 : 13);
  // The many tabs of a small window stand closer.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(state.px(state.compact ? 6 : 12), state.px(state.lecture ? 10 : 13)));
}

void pop_tab_style() {
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

std::string panel_in_front(View view) {
  const auto panel = std::ranges::find(all_panels(), view, &Panel::view);
  const ImGuiWindow* window = ImGui::FindWindowByName(panel->title);
  const bool docked = window != nullptr && window->DockNode != nullptr;
  const ImGuiWindow* front = docked ? window->DockNode->VisibleWindow : nullptr;
  return front != nullptr ? front->Name : "";
}

void draw_panels(WindowState& state) {
  const bool one_view = has_one_view(state);
  const bool exercise = state.practice.exercise() != nullptr;
  for (const Panel& panel : all_panels()) {
    if (one_view ? !is_with_one_view(state, panel) : state.lecture && !panel.in_lecture) continue;
    if (exercise && !is_in_exercise(panel)) continue;
    if (one_view || exercise)
      state.panel_open[panel.title] = true;  // the person's own come back with the rest
    if (state.raise && panel.view == state.raise) state.panel_open[panel.title] = true;
    if (state.panel_open[panel.title]) draw_panel(state, panel);
  }
  if (state.raise && state.learn.page() == Learn::Page::kNone) {
    state.view = *state.raise;
    state.raise.reset();
    state.frame_wanted = true;
  }
}

}  // namespace tilescope
