#include "ui/panels/latency_panel.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "analysis/time/instruction_cost.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

constexpr float kRateRow = 24;
constexpr float kValueWidth = 84;
constexpr float kMostRateWidth = 380;  // a value stays in sight of its name

float width_of(const PanelSurface& surface) { return std::min(surface.width(), kMostRateWidth); }

// True when the value was changed.
bool draw_constant(PanelSurface& surface, const LatencyDescription& constant, double usual, float y,
                   double* value) {
  const float right = width_of(surface) - 4;
  const float field = right - kValueWidth - 56;
  const bool is_usual = *value == usual;
  surface.fitted(0, field - 8, y, constant.name,
                 styled(12, is_usual ? ColourRole::kText : ColourRole::kStrong,
                        is_usual ? Weight::kRegular : Weight::kSemibold));
  surface.explain({0, y - kRateRow / 2, field - 8, kRateRow},
                  std::string(constant.name) + ": default " + format(usual, Unit::kNone) + " " +
                      std::string(constant.unit) + ". Source: " + std::string(constant.source) +
                      ".");
  surface.text(right, y, constant.unit,
               styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  const Point corner = surface.screen({field, y - ImGui::GetFrameHeight() / surface.scale() / 2});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(kValueWidth * surface.scale());
  auto edited = static_cast<float>(*value);
  const std::string id = "##" + std::string(constant.name);
  const bool is_rate = constant.unit != "cycles";
  if (!ImGui::DragFloat(id.c_str(), &edited, is_rate ? 0.1F : 1.0F,
                        static_cast<float>(constant.least), static_cast<float>(constant.most),
                        is_rate ? "%.1f" : "%.0f", ImGuiSliderFlags_AlwaysClamp)) {
    return false;
  }
  *value = static_cast<double>(edited);
  return true;
}

}  // namespace

void draw_latency_panel(WindowState& state) {
  PanelSurface surface(state);
  const LatencyModel usual = usual_latencies(state.workbench.device_model());
  LatencyModel model = state.workbench.latencies().value_or(usual);
  float y = surface.paragraph(
      0, 8, width_of(surface) - 60,
      "Assumptions of the pipeline model about an SM. Drag, or Ctrl+click to type.",
      styled(12, ColourRole::kDim));
  if (!(model == usual)) {
    const Rect reset{width_of(surface) - 52, 0, 48, 22};
    const bool pressed = surface.push("reset latencies", reset, "reset");
    surface.explain(reset, "Resets all to the defaults.");
    if (pressed) {
      state.workbench.set_latencies(std::nullopt);
      return;
    }
  }
  y += 12;
  bool changed = false;
  for (const LatencyDescription& constant : latency_descriptions()) {
    const auto i = static_cast<std::size_t>(constant.latency);
    changed |= draw_constant(surface, constant, usual.value[i], y, &model.value[i]);
    y += kRateRow;
  }
  if (changed) state.workbench.set_latencies(model);
  surface.finish(y);
}

}  // namespace tilescope
