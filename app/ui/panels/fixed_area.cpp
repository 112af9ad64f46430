#include "ui/panels/fixed_area.h"

#include <imgui.h>

#include <algorithm>

#include "ui/drawing/style.h"
#include "ui/state/window_state.h"

namespace tilescope {

FixedArea::FixedArea(const WindowState& state, const char* name, const Rect& px, ColourRole ground,
                     bool over_others) {
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::SetNextWindowPos({px.x, px.y});
  ImGui::SetNextWindowSize({std::max(1.0F, px.w), std::max(1.0F, px.h)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ground, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin(name, nullptr,
               over_others ? kFlags : kFlags | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

FixedArea::~FixedArea() { ImGui::End(); }

}  // namespace tilescope
