#include "ui/drawing/style.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

ImVec4 vector_of(Paint paint, Theme theme) {
  const Rgba c = colour(paint, theme);
  return {c.r, c.g, c.b, c.a};
}

using Role = ColourRole;

void set_sizes(ImGuiStyle& style) {
  style.WindowPadding = ImVec2(16, 12);
  style.FramePadding = ImVec2(8, 5);
  style.ItemSpacing = ImVec2(8, 8);
  style.ItemInnerSpacing = ImVec2(8, 4);
  style.CellPadding = ImVec2(8, 4);
  style.IndentSpacing = 16;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 12;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.TabBarBorderSize = 0;
  style.TabBarOverlineSize = 0;
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 6;
  style.PopupRounding = 8;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 6;
  style.TabRounding = 0;
  style.DockingSeparatorSize = 1;
  style.DockingNodeHasCloseButton = false;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.SeparatorTextBorderSize = 1;
  style.TabCloseButtonMinWidthSelected = 0;  // when hovered
  style.HoverDelayNormal = 0.35F;
}

void set_colours(ImGuiStyle& style, Theme theme) {
  const auto set = [&](ImGuiCol index, Paint paint) {
    style.Colors[index] = vector_of(paint, theme);
  };
  const Paint none(Role::kPanel, 0);
  set(ImGuiCol_Text, Role::kText);
  set(ImGuiCol_TextDisabled, Role::kDim);
  set(ImGuiCol_TextLink, Role::kFirst);
  set(ImGuiCol_WindowBg, Role::kPanel);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, Role::kRaised);
  set(ImGuiCol_Border, Role::kLine);
  set(ImGuiCol_BorderShadow, none);
  set(ImGuiCol_FrameBg, Role::kRaised);
  set(ImGuiCol_FrameBgHovered, Role::kHover);
  set(ImGuiCol_FrameBgActive, Role::kHover);
  set(ImGuiCol_TitleBg, Role::kPanel);
  set(ImGuiCol_TitleBgActive, Role::kPanel);
  set(ImGuiCol_TitleBgCollapsed, Role::kPanel);
  set(ImGuiCol_MenuBarBg, Role::kPanel);
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, Paint(Role::kFaint, 0.5F));
  set(ImGuiCol_ScrollbarGrabHovered, Role::kFaint);
  set(ImGuiCol_ScrollbarGrabActive, Role::kDim);
  set(ImGuiCol_CheckMark, Role::kFirst);
  set(ImGuiCol_SliderGrab, Role::kFirst);
  set(ImGuiCol_SliderGrabActive, Role::kFirst);
  set(ImGuiCol_Button, Role::kRaised);
  set(ImGuiCol_ButtonHovered, Role::kHover);
  set(ImGuiCol_ButtonActive, Role::kHover);
  set(ImGuiCol_Header, Role::kRaised);
  set(ImGuiCol_HeaderHovered, Role::kHover);
  set(ImGuiCol_HeaderActive, Role::kHover);
  set(ImGuiCol_Separator, Role::kLine);
  set(ImGuiCol_SeparatorHovered, Role::kFaint);
  set(ImGuiCol_SeparatorActive, Role::kFirst);
  set(ImGuiCol_ResizeGrip, none);
  set(ImGuiCol_ResizeGripHovered, Role::kHover);
  set(ImGuiCol_ResizeGripActive, Role::kFirst);
  set(ImGuiCol_Tab, none);
  set(ImGuiCol_TabHovered, Role::kRaised);
  set(ImGuiCol_TabSelected, none);
  set(ImGuiCol_TabSelectedOverline, none);
  set(ImGuiCol_TabDimmed, none);
  set(ImGuiCol_TabDimmedSelected, none);
  set(ImGuiCol_TabDimmedSelectedOverline, none);
  set(ImGuiCol_DockingPreview, Paint(Role::kFirst, 0.35F));
  set(ImGuiCol_DockingEmptyBg, Role::kBackground);
  set(ImGuiCol_TableHeaderBg, none);
  set(ImGuiCol_TableBorderStrong, Role::kLine);
  set(ImGuiCol_TableBorderLight, Role::kLine);
  set(ImGuiCol_TableRowBg, none);
  set(ImGuiCol_TableRowBgAlt, none);
  set(ImGuiCol_TextSelectedBg, Paint(Role::kFirst, 0.35F));
  set(ImGuiCol_DragDropTarget, Role::kFirst);
  set(ImGuiCol_NavCursor, Role::kFirst);
  set(ImGuiCol_ModalWindowDimBg, Paint(Role::kBackground, 0.6F));
}

}  // namespace

unsigned packed(Paint paint, Theme theme, float opacity) {
  const Rgba c = colour(paint, theme);
  return ImGui::ColorConvertFloat4ToU32(ImVec4(c.r, c.g, c.b, c.a * opacity));
}

void apply_style(Theme theme, float scale) {
  ImGuiStyle style;
  set_sizes(style);
  set_colours(style, theme);
  style.ScaleAllSizes(scale);
  style.DockingSeparatorSize = std::max(1.0F, std::floor(scale));
  style.PopupBorderSize = style.DockingSeparatorSize;
  style.FontSizeBase = 13;
  style.FontScaleMain = scale;
  ImGui::GetStyle() = style;
}

}  // namespace tilescope
