#include "ui/panels/panel_window.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "ui/desk/desk.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/panels.h"

namespace tilescope {
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
    if (ImGui::MenuItem("Show its tab, to drag it elsewhere", nullptr,
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
