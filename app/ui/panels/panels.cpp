#include "ui/panels/panels.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/counters_panel.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/latency_panel.h"
#include "ui/panels/parameters_panel.h"
#include "ui/panels/result_panel.h"
#include "ui/panels/source_panel.h"
#include "ui/panels/throughput_panel.h"
#include "ui/panels/transport_panel.h"
#include "ui/panels/tuner_panel.h"
#include "ui/panels/verdicts_panel.h"
#include "ui/panels/view_panel.h"
#include "ui/state/window_state.h"

namespace tilescope {

std::span<const Panel> all_panels() {
  static constexpr std::array kPanels{
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
      Panel{"Tiling", "Which part of the matrices each block and thread uses, and when",
            Region::kCentre, [](Desk& desk) { draw_view_panel(desk, View::kTiling); },
            View::kTiling, true, false},
      Panel{"Coalescing", "The sectors that a warp's global access moves", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kCoalescing); }, View::kCoalescing, true,
            false},
      Panel{"Banks", "Bank conflicts: the wavefronts of a warp's shared access", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kBanks); }, View::kBanks, true, false},
      Panel{"Pipeline", "When the block's warps load, wait and compute, in modelled cycles",
            Region::kCentre, [](Desk& desk) { draw_view_panel(desk, View::kPipeline); },
            View::kPipeline, true, false},
      Panel{"Divergence", "Which lanes of a warp are active, and which wait", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kDivergence); }, View::kDivergence, true,
            false},
      Panel{"Occupancy", "How many blocks run on an SM, and what limits them", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kOccupancy); }, View::kOccupancy, true,
            false},
      Panel{"Roofline", "How fast the kernel is, and what limits it", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kRoofline); }, View::kRoofline, true,
            false},
      Panel{"Compare", "Two to four variants side by side, and why one is faster", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kCompare); }, View::kCompare, true, false},
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
      Panel{"Latencies", "Assumptions of the pipeline model; each can be changed",
            Region::kCounters, draw_latency_panel},
      Panel{"Notes",
            "Your notes on this session; saved with it",
            Region::kCounters,
            draw_notes_panel,
            {},
            false,
            true,
            false},
      Panel{"Throughput", "Measured rates over a parameter and over time", Region::kThroughput,
            draw_throughput_panel},
      Panel{"Result", "The numbers of the chosen point", Region::kResult, draw_result_panel},
  };
  return kPanels;
}

namespace {

// Right click on empty ground of a panel.
void offer_window_menu(Desk& desk, const Panel& panel) {
  if (!ImGui::BeginPopupContextWindow(
          "panel menu", ImGuiPopupFlags_MouseButtonRight | ImGuiPopupFlags_NoOpenOverItems)) {
    return;
  }
  ImGui::TextDisabled("%s", panel.title);
  if (ImGui::MenuItem("Close")) desk.panel_open[panel.title] = false;
  const ImGuiWindow* window = ImGui::GetCurrentWindow()->RootWindow;
  if (window->DockNode != nullptr) {
    if (ImGui::MenuItem("Show its tab (to drag it)", nullptr,
                        !window->DockNode->IsHiddenTabBar())) {
      window->DockNode->WantHiddenTabBarToggle = true;
    }
  }
  if (ImGui::MenuItem("Reset layout")) desk.reset_layout = true;
  ImGui::EndPopup();
}

// A line under the tabs, and a stronger one under the tab in front.
void draw_tab_lines(const Desk& desk) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiDockNode* node = window->DockNode;
  if (node == nullptr || node->TabBar == nullptr || node->IsHiddenTabBar() || node->IsNoTabBar())
    return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float bottom = node->TabBar->BarRect.Max.y;
  list->PushClipRect(node->Rect().Min, node->Rect().Max, false);
  list->AddRectFilled({node->Pos.x, bottom - 1}, {node->Pos.x + node->Size.x, bottom},
                      packed(ColourRole::kLine, desk.theme()));
  const ImRect tab = window->DC.DockTabItemRect;
  list->AddRectFilled({tab.Min.x + desk.px(6), bottom - desk.px(2)},
                      {tab.Max.x - desk.px(6), bottom}, packed(ColourRole::kFirst, desk.theme()));
  list->PopClipRect();
}

void draw_panel(Desk& desk, const Panel& panel) {
  bool& open = desk.panel_open[panel.title];
  const ImGuiWindow* before = ImGui::FindWindowByName(panel.title);
  const bool docked = before != nullptr && before->DockIsActive;
  const bool in_front =
      (!panel.view || *panel.view == desk.view) && (!docked || before->DockTabIsVisible);
  // The colour of a docked window's tab is the one that stands when its window is opened.
  ImGui::PushStyleColor(ImGuiCol_Text,
                        packed(in_front ? ColourRole::kStrong : ColourRole::kDim, desk.theme()));
  ImGui::PushStyleColor(
      ImGuiCol_WindowBg,
      packed(panel.region == Region::kCentre ? ColourRole::kBackground : ColourRole::kPanel,
             desk.theme()));
  // The corner that brings a hidden tab back shows itself when hovered.
  ImGui::PushStyleColor(ImGuiCol_Button, packed(Paint(ColourRole::kRaised, 0), desk.theme()));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(Paint(ColourRole::kRaised, 0), desk.theme()));
  const ImVec2 usual = ImGui::GetStyle().WindowPadding;
  const ImVec2 padding = !panel.padded                     ? ImVec2(0, 0)
                         : panel.region == Region::kCentre ? ImVec2(desk.px(kViewMargin), usual.y)
                                                           : usual;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  if (panel.view && desk.raise == panel.view) ImGui::SetNextWindowFocus();
  if (desk.focus_panel == panel.title) {
    ImGui::SetNextWindowFocus();
    desk.focus_panel.clear();
    desk.frame_wanted = true;
  }
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing;
  if (!panel.padded) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::SetNextWindowSize({desk.px(480), desk.px(360)}, ImGuiCond_FirstUseEver);
  // Where the content begins under a tab follows from font and padding at this moment.
  push_tab_style(desk);
  // The many tabs of a small window and the large ones of a lecture have no room for crosses beside
  // their names: menus close them.
  const bool no_cross = docked && (desk.compact || desk.lecture);
  const bool visible = ImGui::Begin(panel.title, no_cross ? nullptr : &open, flags);
  pop_tab_style();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  if (visible) {
    const bool attended =
        ImGui::IsWindowAppearing() || ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
    if (panel.view && !desk.raise && attended) desk.view = *panel.view;
    draw_tab_lines(desk);
    panel.draw(desk);
    offer_window_menu(desk, panel);
  }
  ImGui::End();
}

}  // namespace

void push_tab_style(const Desk& desk) {
  ImGui::PushFont(desk.fonts.text(Weight::kMedium), desk.lecture ? 19 : 13);
  // The many tabs of a small window stand closer.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(desk.px(desk.compact ? 6 : 12), desk.px(desk.lecture ? 10 : 13)));
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

void draw_panels(Desk& desk) {
  for (const Panel& panel : all_panels()) {
    if (desk.lecture && !panel.in_lecture) continue;
    if (desk.raise && panel.view == desk.raise) desk.panel_open[panel.title] = true;
    if (desk.panel_open[panel.title]) draw_panel(desk, panel);
  }
  if (desk.raise) {
    desk.view = *desk.raise;
    desk.raise.reset();
    desk.frame_wanted = true;
  }
}

}  // namespace tilescope
