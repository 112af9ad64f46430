#include "ui/rate_chart.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "scene/rate_axis.h"
#include "ui/fonts.h"
#include "ui/rates.h"
#include "ui/style.h"

namespace tilescope {
namespace {

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

void draw_series(const ChartSeries& series, double scale, Theme theme, float px) {
  const Paint paint = variant_colour(series.variant);
  std::vector<ImVec2> line;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  for (const ChartPoint& point : series.points) {
    const ImVec2 at = ImPlot::PlotToPixels(point.x, point.rate / scale);
    const float low = ImPlot::PlotToPixels(point.x, point.low / scale).y;
    const float high = ImPlot::PlotToPixels(point.x, point.high / scale).y;
    list->AddRectFilled({at.x - px, high}, {at.x + px, low}, packed(paint, theme, 0.5F));
    line.push_back(at);
  }
  list->AddPolyline(line.data(), static_cast<int>(line.size()), packed(paint, theme), 0, 1.6F * px);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (series.points[i].chosen) {
      list->AddCircle(line[i], 8 * px, packed(ColourRole::kSelection, theme), 0, 1.6F * px);
    }
    list->AddCircleFilled(line[i], 4 * px, packed(paint, theme));
    if (series.points[i].source == Source::kRecorded) {  // a ring
      list->AddCircleFilled(line[i], 2.4F * px, packed(ColourRole::kPanel, theme));
    }
  }
  const char letter[2] = {static_cast<char>('A' + series.variant), '\0'};
  list->AddText({line.back().x + 12 * px, line.back().y - ImGui::GetFontSize() / 2},
                packed(paint, theme), letter);
}

// Thousands are separated as everywhere, round numbers have no decimals.
int write_tick(double value, char* words, int size, void* /*data*/) {
  const auto room = static_cast<std::size_t>(size);
  if (value < 1000) return std::snprintf(words, room, "%g", value);
  return std::snprintf(words, room, "%s", format(value, Unit::kNone).c_str());
}

// The reference beside each point: one level where it hardly varies, else a dashed line through
// them.
void draw_reference(const Sheet& sheet, const ChartFrame& frame, const ChartSeries& series,
                    const std::string& name, double scale, Theme theme) {
  double low = 0;
  double high = 0;
  for (const ChartPoint& point : series.points) {
    if (point.reference <= 0) continue;
    low = low == 0 ? point.reference : std::min(low, point.reference);
    high = std::max(high, point.reference);
  }
  if (high <= 0) return;
  if (high < 1.1 * low) {
    const double level = (low + high) / 2;
    draw_level(sheet, frame, level / scale, name + " " + figure_of(level / scale, Unit::kNone));
    return;
  }
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const unsigned ink = packed(ColourRole::kDim, theme);
  std::optional<ImVec2> before;
  ImVec2 last{};
  for (const ChartPoint& point : series.points) {
    if (point.reference <= 0) continue;
    last = ImPlot::PlotToPixels(point.x, point.reference / scale);
    if (before) dashed(list, *before, last, ink, sheet.scale());
    before = last;
  }
  const float width = ImGui::CalcTextSize(name.c_str()).x;
  list->AddText({last.x - width, last.y - ImGui::GetFontSize() - 6 * sheet.scale()}, ink,
                name.c_str());
}

// A hollow square with the GPU's name and the figure, where those before it leave room for the
// words: they end at *taken.
void draw_mark(const Sheet& sheet, const ChartMark& mark, double scale, float* taken) {
  const float px = sheet.scale();
  const ImVec2 at = ImPlot::PlotToPixels(mark.x, mark.rate / scale);
  const unsigned ink = packed(ColourRole::kDim, sheet.theme());
  ImDrawList* list = ImPlot::GetPlotDrawList();
  list->AddRect({at.x - 3.5F * px, at.y - 3.5F * px}, {at.x + 3.5F * px, at.y + 3.5F * px}, ink, 0,
                0, 1.3F * px);
  const std::string words =
      mark.label + " " + figure_of(mark.rate / scale, Unit::kNone) + " published";
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float right = ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x;
  const float begin = at.x + 8 * px + width < right ? at.x + 8 * px : at.x - 8 * px - width;
  if (begin < *taken) return;
  list->AddText({begin, at.y - ImGui::GetFontSize() - 2 * px}, ink, words.c_str());
  *taken = begin + width + 8 * px;
}

}  // namespace

ColourRole variant_colour(int variant) {
  constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                ColourRole::kFourth};
  return kColours[static_cast<std::size_t>(variant) % kColours.size()];
}

ChartFrame chart_frame(const Rect& title_area, double most, Unit unit) {
  ChartFrame frame;
  frame.area = {title_area.x - 4, title_area.y + kChartTitle, title_area.w + 4,
                title_area.h - kChartTitle};
  const RoundAxis axis = round_axis(1.08 * most / scale_of(unit));
  frame.top = axis.top;
  frame.ticks = axis.steps;
  return frame;
}

bool begin_chart(Sheet& sheet, const char* id, const ChartFrame& frame) {
  const Point corner = sheet.screen({frame.area.x, frame.area.y});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::PushFont(sheet.desk().fonts.figures(Weight::kRegular), 11);
  const ImVec2 size{frame.area.w * sheet.scale(), frame.area.h * sheet.scale()};
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

void draw_level(const Sheet& sheet, const ChartFrame& frame, double level,
                const std::string& words) {
  const ImVec2 from = ImPlot::PlotToPixels(frame.x_low, level);
  const ImVec2 to = ImPlot::PlotToPixels(frame.x_high, level);
  const unsigned ink = packed(ColourRole::kDim, sheet.theme());
  const float y = std::round(from.y) + 0.5F;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  dashed(list, {from.x, y}, {to.x, y}, ink, sheet.scale());
  list->AddText({from.x + 8 * sheet.scale(), y - ImGui::GetFontSize() - 4 * sheet.scale()}, ink,
                words.c_str());
}

void draw_chart_title(Sheet& sheet, const Rect& area, const std::string& words,
                      const std::string& more) {
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kSemibold);
  sheet.fitted(area.x, area.right(), area.y + 6, words, style);
  const float end = area.x + sheet.canvas().text_width(words, style) + 16;
  if (area.right() - end > 60) {
    sheet.fitted(end, area.right(), area.y + 6, more, styled(12, ColourRole::kDim));
  }
}

void draw_rate_chart(Sheet& sheet, const Rect& area, const char* id, const RateChart& chart,
                     const std::string& reference_name) {
  Desk& desk = sheet.desk();
  const Problem problem = problem_of(desk.bench.active());
  const Unit unit = rate_unit(problem);
  const double scale = scale_of(unit);
  double most = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points)
      most = std::max({most, point.high, point.reference});
  }
  for (const ChartMark& mark : chart.marks) most = std::max(most, mark.rate);
  ChartFrame frame = chart_frame(area, most, unit);
  frame.x_low = -0.5;
  frame.x_high = static_cast<double>(chart.labels.size()) - 0.5;
  if (!begin_chart(sheet, id, frame)) return;
  std::vector<double> ticks;
  std::vector<const char*> names;
  for (const std::string& label : chart.labels) {
    ticks.push_back(static_cast<double>(ticks.size()));
    names.push_back(label.c_str());
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect(10 * sheet.scale());
  draw_reference(sheet, frame, chart.series.front(), reference_name, scale, desk.theme());
  const double peak = peak_rate(desk.bench.active(), desk.bench.device_model());
  if (peak > 0 && peak / scale <= frame.top) {
    draw_level(sheet, frame, peak / scale, "peak " + figure_of(peak / scale, Unit::kNone));
  }
  float taken = 0;
  for (const ChartMark& mark : chart.marks) draw_mark(sheet, mark, scale, &taken);
  for (const ChartSeries& series : chart.series)
    draw_series(series, scale, desk.theme(), sheet.scale());
  ImPlot::PopPlotClipRect();
  end_chart();
}

}  // namespace tilescope
