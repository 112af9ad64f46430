#include "ui/panels/latency_panel.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "analysis/time/instruction_cost.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

constexpr float kRow = 24;
constexpr float kValueWidth = 84;
constexpr float kMostWidth = 380;  // a value stays in sight of its name

float width_of(const Sheet& sheet) { return std::min(sheet.width(), kMostWidth); }

// True when the value was changed.
bool draw_constant(Sheet& sheet, const LatencyDescription& constant, double usual, float y,
                   double* value) {
  const float right = width_of(sheet) - 4;
  const float field = right - kValueWidth - 56;
  const bool is_usual = *value == usual;
  sheet.fitted(0, field - 8, y, constant.name,
               styled(12, is_usual ? ColourRole::kText : ColourRole::kStrong,
                      is_usual ? Weight::kRegular : Weight::kSemibold));
  sheet.explain({0, y - kRow / 2, field - 8, kRow},
                std::string(constant.name) + ": default " + format(usual, Unit::kNone) + " " +
                    std::string(constant.unit) + ". Source: " + std::string(constant.source) + ".");
  sheet.text(right, y, constant.unit,
             styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  const Point corner = sheet.screen({field, y - ImGui::GetFrameHeight() / sheet.scale() / 2});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(kValueWidth * sheet.scale());
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

void draw_latency_panel(Desk& desk) {
  Sheet sheet(desk);
  const LatencyModel usual = usual_latencies(desk.bench.device_model());
  LatencyModel model = desk.bench.latencies().value_or(usual);
  float y =
      sheet.paragraph(0, 8, width_of(sheet) - 60,
                      "Assumptions of the pipeline model about an SM. Drag, or Ctrl+click to type.",
                      styled(12, ColourRole::kDim));
  if (!(model == usual)) {
    const Rect reset{width_of(sheet) - 52, 0, 48, 22};
    const bool pressed = sheet.push("reset latencies", reset, "reset");
    sheet.explain(reset, "Resets all to the defaults.");
    if (pressed) {
      desk.bench.set_latencies(std::nullopt);
      return;
    }
  }
  y += 12;
  bool changed = false;
  for (const LatencyDescription& constant : latency_descriptions()) {
    const auto i = static_cast<std::size_t>(constant.latency);
    changed |= draw_constant(sheet, constant, usual.value[i], y, &model.value[i]);
    y += kRow;
  }
  if (changed) desk.bench.set_latencies(model);
  sheet.finish(y);
}

}  // namespace tilescope
