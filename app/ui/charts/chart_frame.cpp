#include "ui/charts/chart_frame.h"

#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "scene/rates/rate_chart_data.h"
#include "scene/view/empty_view.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/imgui_canvas.h"
#include "ui/drawing/style.h"
#include "ui/state/measurements.h"

namespace tilescope {
namespace {

// Thousands are separated as everywhere, round numbers have no decimals.
int write_tick(double value, char* words, int size, void* /*data*/) {
  const auto room = static_cast<std::size_t>(size);
  if (value < 1000) return std::snprintf(words, room, "%g", value);
  return std::snprintf(words, room, "%s", format(value, Unit::kNone).c_str());
}

}  // namespace

void dashed(ImDrawList* list, ImVec2 from, ImVec2 to, unsigned ink, float px) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0) return;
  const ImVec2 unit{(to.x - from.x) / length, (to.y - from.y) / length};
  for (float at = 0; at < length; at += 9 * px) {
    const float end = std::min(at + 5 * px, length);
    list->AddLine({from.x + unit.x * at, from.y + unit.y * at},
                  {from.x + unit.x * end, from.y + unit.y * end}, ink, std::max(1.0F, px));
  }
}

std::string on_axis(const ChartFrame& frame, double value) {
  return figure_of(value / frame.scale.divisor, Unit::kNone);
}

ImVec2 place(const ChartFrame& frame, double x, double value) {
  return ImPlot::PlotToPixels(x, value / frame.scale.divisor);
}

bool has_room_for_chart(PanelSurface& surface, const Rect& title_area) {
  constexpr FigureSize kLeast{160, 56};
  ViewContext context;
  context.theme = surface.theme();
  Pen pen(surface.canvas(), context);
  return has_room(
      pen, {title_area.x, title_area.y + kChartTitle, title_area.w, title_area.h - kChartTitle},
      kLeast);
}

ChartFrame chart_frame(const Rect& title_area, double most, const RateScale& scale, RateUnit unit) {
  ChartFrame frame;
  frame.unit = unit;
  frame.scale = scale;
  frame.area = {title_area.x - 4, title_area.y + kChartTitle, title_area.w + 4,
                title_area.h - kChartTitle};
  const RoundAxis axis = round_axis(1.08 * most / frame.scale.divisor);
  frame.top = axis.top;
  frame.ticks = axis.steps;
  return frame;
}

bool begin_chart(PanelSurface& surface, const char* id, const ChartFrame& frame) {
  const Point corner = surface.screen({frame.area.x, frame.area.y});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::PushFont(surface.state().fonts.figures(Weight::kRegular), 11);
  const ImVec2 size{frame.area.w * surface.scale(), frame.area.h * surface.scale()};
  if (!ImPlot::BeginPlot(id, size,
                         ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs | ImPlotFlags_NoFrame)) {
    ImGui::PopFont();
    return false;
  }
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoGridLines);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, ImPlotAxisFlags_None);
  ImPlot::SetupAxisLimits(ImAxis_X1, frame.x_low, frame.x_high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, frame.top, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, write_tick);
  ImPlot::SetupAxisTicks(ImAxis_Y1, 0, frame.top, frame.ticks + 1);
  return true;
}

void end_chart() {
  ImPlot::EndPlot();
  ImGui::PopFont();
}

void draw_level(const PanelSurface& surface, const ChartFrame& frame, double value,
                const std::string& words, ChartLabels& labels, LevelWords place_of_words) {
  const ImVec2 from = place(frame, frame.x_low, value);
  const ImVec2 to = place(frame, frame.x_high, value);
  const float px = surface.scale();
  const unsigned ink = packed(ColourRole::kDim, surface.theme());
  const float y = std::round(from.y) + 0.5F;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  dashed(list, {from.x, y}, {to.x, y}, ink, px);
  labels.keep_line_free({from.x, y}, {to.x, y});
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float left = from.x + 8 * px;
  const float right = to.x - 8 * px - width;
  const float centre = (from.x + to.x - width) / 2;
  const std::array<float, 3> columns =
      place_of_words == LevelWords::kLeft    ? std::array{left, centre, right}
      : place_of_words == LevelWords::kRight ? std::array{right, centre, left}
                                             : std::array{centre, left, right};
  ChartLabels::Label label{words, ink, {}, true};
  for (const float top : {y - ImGui::GetFontSize() - 4 * px, y + 4 * px}) {
    for (const float x : columns) label.corners.push_back({x, top});
  }
  labels.add(std::move(label));
}

void draw_chart_title(PanelSurface& surface, const Rect& area, const std::string& words,
                      const std::string& more) {
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kSemibold);
  surface.fitted(area.x, area.right(), area.y + 6, words, style);
  const float end = area.x + surface.canvas().text_width(words, style) + 16;
  // Whole facts only: the last ones give way.
  const TextStyle dim = styled(12, ColourRole::kDim);
  std::string facts = more;
  while (!facts.empty() && end + surface.canvas().text_width(facts, dim) > area.right()) {
    const std::size_t comma = facts.rfind(", ");
    facts.resize(comma != std::string::npos ? comma : 0);
  }
  surface.text(end, area.y + 6, facts, dim);
}

void explain_point(PanelSurface& surface, const std::string& figure, const std::string& more) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(surface.state().px(360));
  ImGui::TextUnformatted(figure.c_str());
  ImGui::TextDisabled("%s", more.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

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
  const float px = surface_.scale();
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
    list->AddRectFilled(box.low, box.high, packed(ColourRole::kPanel, surface_.theme(), 0.85F),
                        2 * px);
    list->AddText(*at, label.ink, label.words.c_str());
    taken.push_back(box);
    if (TextAudit* audit = surface_.state().audit; audit != nullptr) {
      const ImVec2 low = list->GetClipRectMin();
      const ImVec2 high = list->GetClipRectMax();
      const bool cut =
          at->x < low.x || at->y < low.y || at->x + words.x > high.x || at->y + words.y > high.y;
      audit->texts.push_back({label.words, {at->x, at->y, words.x, words.y}, cut});
    }
  }
}

}  // namespace tilescope
