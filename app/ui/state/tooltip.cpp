#include "ui/state/tooltip.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr float kWidest = 380;  // units
constexpr float kGap = 6;       // units between a place that the keys reached and its tip

bool moves_focus(ImGuiKey key) {
  return key == ImGuiKey_Tab || (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow);
}

bool is_modifier(ImGuiKey key) {
  return (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper) ||
         key >= ImGuiKey_ReservedForModCtrl;
}

// Of keys and mouse buttons; ImGuiKey_None: nothing was pressed. A modifier alone does nothing yet.
ImGuiKey pressed_key() {
  for (int i = ImGuiKey_NamedKey_BEGIN; i < ImGuiKey_NamedKey_END; ++i) {
    const auto key = static_cast<ImGuiKey>(i);
    const bool wheel = key == ImGuiKey_MouseWheelX || key == ImGuiKey_MouseWheelY;
    if (!wheel && !is_modifier(key) && ImGui::IsKeyPressed(key, false)) return key;
  }
  return ImGuiKey_None;
}

// Whether the pointer still is where it was then, as far as a hand can hold it.
bool rests_at(Point then) {
  const ImVec2 now = ImGui::GetIO().MousePos;
  return std::abs(now.x - then.x) + std::abs(now.y - then.y) < 3;
}

}  // namespace

bool same_place(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

void Tooltip::begin_frame() {
  pointed_.reset();
  keyed_.reset();
  const ImGuiKey key = pressed_key();
  if (key == ImGuiKey_None) return;
  keys_lead_ = moves_focus(key);
  pressed_at_ = Point{ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
  silent_.reset();
}

void Tooltip::offer(std::string_view words, const Rect& place, std::string_view more) {
  if (!words.empty()) pointed_ = Offer{std::string(words), std::string(more), place};
}

void Tooltip::offer_for_item(std::string_view words) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 size = ImGui::GetItemRectSize();
  offer(words, {low.x, low.y, size.x, size.y});
}

void Tooltip::offer_to_keys(std::string_view words, const Rect& place) {
  if (!words.empty()) keyed_ = Offer{std::string(words), {}, place};
}

bool Tooltip::is_silent(const Offer& pointed) {
  if (!pressed_at_) return false;
  if (rests_at(*pressed_at_)) {
    silent_ = pointed.place;
    return true;
  }
  return silent_ && same_place(*silent_, pointed.place);
}

void Tooltip::show(float scale) {
  const bool silent = pointed_ && is_silent(*pointed_);
  if (!silent && pressed_at_ && !rests_at(*pressed_at_)) {
    pressed_at_.reset();
    silent_.reset();
  }
  const bool at_pointer = pointed_ && !silent;
  if (!at_pointer && !(keyed_ && keys_lead_)) return;
  const Offer* offer = at_pointer ? &*pointed_ : &*keyed_;
  const float wrap = kWidest * scale;
  if (!at_pointer) {  // Dear ImGui places one at the pointer, and keeps it in the window
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const ImVec2 text = ImGui::CalcTextSize(offer->words.c_str(), nullptr, false, wrap);
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const ImVec2 size{text.x + 2 * padding.x, text.y + 2 * padding.y};
    const float below = offer->place.bottom() + kGap * scale;
    const float y = below + size.y <= screen.y ? below : offer->place.y - kGap * scale - size.y;
    ImGui::SetNextWindowPos(
        {std::clamp(offer->place.x, 0.0F, std::max(0.0F, screen.x - size.x)), std::max(0.0F, y)});
  }
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(wrap);
  ImGui::TextUnformatted(offer->words.c_str());
  if (!offer->more.empty()) ImGui::TextDisabled("%s", offer->more.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace tilescope
