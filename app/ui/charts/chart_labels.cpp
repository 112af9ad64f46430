#include "ui/charts/chart_labels.h"

#include <implot.h>

#include <algorithm>

#include "ui/drawing/style.h"

namespace tilescope {

void ChartLabels::keep_mark_free(ImVec2 center, float radius) {
  keep_free({center.x - radius, center.y - radius}, {center.x + radius, center.y + radius});
}

void ChartLabels::keep_line_free(ImVec2 from, ImVec2 to) {
  constexpr int kPieces = 16;
  for (int i = 0; i < kPieces; ++i) {
    const float begin = static_cast<float>(i) / kPieces;
    const float end = static_cast<float>(i + 1) / kPieces;
    const float y0 = from.y + (to.y - from.y) * begin;
    const float y1 = from.y + (to.y - from.y) * end;
    keep_free({from.x + (to.x - from.x) * begin, std::min(y0, y1) - 1},
              {from.x + (to.x - from.x) * end, std::max(y0, y1) + 1});
  }
}

bool ChartLabels::is_free(const Box& box, const std::vector<Box>& taken) {
  return std::ranges::none_of(taken, [&box](const Box& other) {
    return box.low.x < other.high.x && other.low.x < box.high.x && box.low.y < other.high.y &&
           other.low.y < box.high.y;
  });
}

void ChartLabels::write() const {
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  const float px = sheet_.scale();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  std::vector<Box> taken = taken_;
  std::vector<const Label*> order;
  for (const bool needed : {true, false}) {
    for (const Label& label : labels_) {
      if (label.needed == needed) order.push_back(&label);
    }
  }
  for (const Label* each : order) {
    const Label& label = *each;
    const ImVec2 words = ImGui::CalcTextSize(label.words.c_str());
    const auto box_at = [&](ImVec2 at) {
      return Box{{at.x - 2 * px, at.y}, {at.x + words.x + 2 * px, at.y + words.y}};
    };
    const auto fits = [&](ImVec2 at) {
      const Box box = box_at(at);
      const bool inside = box.low.x >= corner.x && box.low.y >= corner.y - 8 * px &&
                          box.high.x <= corner.x + size.x + 8 * px &&
                          box.high.y <= corner.y + size.y;
      return inside && is_free(box, taken);
    };
    auto at = std::ranges::find_if(label.corners, fits);
    if (at == label.corners.end() && label.needed) at = label.corners.begin();
    if (at == label.corners.end()) continue;
    const Box box = box_at(*at);
    list->AddRectFilled(box.low, box.high, packed(ColourRole::kPanel, sheet_.theme(), 0.85F),
                        2 * px);
    list->AddText(*at, label.ink, label.words.c_str());
    taken.push_back(box);
  }
}

}  // namespace tilescope
