#include "ui/panels/ladder_rows.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/panel.h"

namespace tilescope {
namespace {

// Scrolls by whole rows when the active kernel changed, or the room for the ladder did. How far it
// can, is known a frame after the rows have changed: until it stands there it is asked for again.
void keep_in_sight(Sheet& sheet, const Rect& row, const std::string& id) {
  const float height = ImGui::GetWindowHeight();
  const std::pair<std::string, float> now{id, height};
  if (sheet.desk().ladder_shown == now) return;
  const float step = kLadderRow * sheet.scale();
  const float scroll = ImGui::GetScrollY();
  const float top = sheet.screen({0, row.y}).y - ImGui::GetWindowPos().y + scroll;
  const bool whole_rows = std::abs(std::remainder(scroll, step)) < 1;
  const float most = std::floor(ImGui::GetScrollMaxY() / step) * step;
  const float wanted = std::clamp(std::round((top - height / 2) / step) * step, 0.0F, most);
  const bool in_sight = whole_rows && top >= scroll && top + step <= scroll + height;
  if (in_sight || std::abs(scroll - wanted) < 1) {
    sheet.desk().ladder_shown = now;
    return;
  }
  ImGui::SetScrollY(wanted);
  sheet.desk().frame_wanted = true;
}

// The name of a row as it is typed: Enter or a click elsewhere takes it, Escape does not.
void draw_name_field(Sheet& sheet, const Rect& row) {
  Desk& desk = sheet.desk();
  Renaming& renaming = desk.renaming;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const Point corner = sheet.screen({10, row.y + 1});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::PushFont(desk.fonts.text(Weight::kRegular), 13);
  const float inner = ((row.h - 2) * sheet.scale() - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(desk.px(4), std::max(0.0F, inner)));
  ImGui::SetNextItemWidth((sheet.width() - 10) * sheet.scale());
  const bool appearing = renaming.frames == 0;
  if (appearing) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##name", &renaming.name,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  constexpr int kFramesToGetFocus = 3;
  const bool left = !ImGui::IsItemActive() && renaming.frames > kFramesToGetFocus;
  if (renaming.frames <= kFramesToGetFocus) desk.frame_wanted = true;
  ++renaming.frames;
  if (appearing) ImGui::SetScrollHereY();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(cursor);
  if (!entered && !left) return;
  // Escape has put the old name back.
  const Renaming done = std::exchange(renaming, {});
  desk.bench.rename_own(done.file, done.name);
  desk.frame_wanted = true;
}

// What is to be done with a row. A removal waits until all rows are drawn.
struct OwnRowAnswer {
  std::string open;
  std::string remove;
};

void offer_row_menu(Desk& desk, const OwnKernelDocument& own, OwnRowAnswer* answer) {
  if (!ImGui::BeginPopupContextItem("own kernel menu")) return;
  ImGui::TextDisabled("%s", own.name.c_str());
  if (ImGui::MenuItem("Open")) answer->open = own.file;
  if (ImGui::MenuItem("Rename", "Shift F2")) ask_for_name(desk, own.file);
  if (ImGui::MenuItem("Remove", "Delete")) answer->remove = own.file;
  ImGui::EndPopup();
}

std::string own_kernel_words(const OwnKernelDocument& own) {
  std::string words = own.is_pasted() ? own.name : own.file;
  if (own.is_pasted() && own.launch.kernel != own.name) words += ", kernel " + own.launch.kernel;
  return words + (own.edited ? ", edited" : "") +
         ". It is kept with the session.\nRight click: rename or remove it.";
}

void draw_own_row(Sheet& sheet, float y, const OwnKernelDocument& own, OwnRowAnswer* answer) {
  Desk& desk = sheet.desk();
  const Variant& shown = desk.bench.active();
  const bool active = shown.own && shown.own->file.path == own.file;
  const Rect row{-8, y - kLadderRow / 2, sheet.width() + 16, kLadderRow};
  if (desk.renaming.file == own.file) {
    draw_ladder_row(sheet, row, own.file, active, true);
    draw_name_field(sheet, row);
    return;
  }
  const Touch touch = sheet.control(own.file.c_str(), row);
  const bool has_keys = ImGui::IsItemFocused() && !ImGui::GetIO().WantTextInput;
  if (has_keys && ImGui::IsKeyPressed(ImGuiKey_Delete, false)) answer->remove = own.file;
  if (touch.clicked && !active) answer->open = own.file;
  if (touch.double_clicked) ask_for_name(desk, own.file);
  ImGui::PushID(own.file.c_str());
  offer_row_menu(desk, own, answer);
  ImGui::PopID();
  draw_ladder_row(sheet, row, own.file, active, touch.hovered);
  const float right = sheet.width() - (own.edited ? 52.0F : 4.0F);
  sheet.fitted(14, right, y, own.name,
               styled(13, active ? ColourRole::kStrong : ColourRole::kText,
                      active ? Weight::kSemibold : Weight::kRegular));
  if (own.edited) {
    sheet.text(sheet.width(), y, "edited",
               styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  }
  sheet.explain(row, own_kernel_words(own));
}

// A row that makes an own kernel: its sign is drawn by the caller. True when it was clicked.
bool draw_making_row(Sheet& sheet, float y, const char* id, const char* words, const char* right,
                     const char* meaning) {
  const Rect row{-8, y - kLadderRow / 2, sheet.width() + 16, kLadderRow};
  const Touch touch = sheet.control(id, row);
  if (touch.hovered) sheet.canvas().fill_rect(row, ColourRole::kHover, 4);
  sheet.text(14, y, words, styled(13, ColourRole::kText));
  sheet.text(sheet.width(), y, right,
             styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  sheet.explain(row, meaning);
  return touch.clicked;
}

}  // namespace

void draw_ladder_row(Sheet& sheet, const Rect& row, const std::string& id, bool active,
                     bool hovered) {
  if (active || hovered) {
    sheet.canvas().fill_rect(row, active ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (!active) return;
  sheet.canvas().fill_rect({row.x, row.y, 2, row.h}, ColourRole::kFirst, 0);
  keep_in_sight(sheet, row, id);
}

float draw_own_kernels(Sheet& sheet, float y) {
  Desk& desk = sheet.desk();
  sheet.text(0, y, "YOUR KERNELS", heading_style());
  sheet.text(sheet.width(), y, "drop a .cu or .ptx",
             styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  y += kLadderRow;
  OwnRowAnswer answer;
  // What a row does may make the list anew.
  const SharedOwnKernels all = desk.bench.shared_own_kernels();
  if (find_own_kernel(*all, desk.renaming.file) == all->end()) desk.renaming = {};
  for (const OwnKernelDocument& own : *all) {
    draw_own_row(sheet, y, own, &answer);
    y += kLadderRow;
  }
  if (!answer.open.empty()) {
    const auto own = find_own_kernel(desk.bench.own_kernels(), answer.open);
    desk.bench.open_own(static_cast<std::size_t>(own - desk.bench.own_kernels().begin()));
  }
  if (!answer.remove.empty()) desk.bench.remove_own(answer.remove);
  sheet.canvas().stroke_rect({0, y - 4.5F, 8, 9}, ColourRole::kDim, 1.3F, 1.5F);
  sheet.canvas().line({2.5F, y - 5}, {5.5F, y - 5}, ColourRole::kDim, 2);
  if (draw_making_row(
          sheet, y, "paste kernel", "Paste kernel", "Ctrl V",
          "Opens the CUDA or PTX text in the clipboard with a launch that is guessed.")) {
    paste_kernel(desk);
  }
  y += kLadderRow;
  sheet.canvas().line({0, y}, {8, y}, ColourRole::kDim, 1.3F);
  sheet.canvas().line({4, y - 4}, {4, y + 4}, ColourRole::kDim, 1.3F);
  if (draw_making_row(sheet, y, "new kernel", "New kernel", "example",
                      "Starts from a small complete kernel that you change.")) {
    start_kernel(desk);
  }
  return y;
}

}  // namespace tilescope
