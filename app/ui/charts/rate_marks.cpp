#include "ui/charts/rate_marks.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>

#include "scene/rates/rate_axis.h"
#include "scene/rates/rate_figure.h"
#include "ui/drawing/style.h"

namespace tilescope {
namespace {

// What lies above the axis, named at the top edge with an arrow.
void name_beyond(const Sheet& sheet, const ChartFrame& frame, const std::string& name,
                 ChartLabels& labels) {
  const std::string words = name + " ↑";
  const ImVec2 corner = place(frame, frame.x_high, frame.top * frame.scale.divisor);
  const float px = sheet.scale();
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  ChartLabels::Label label{words, packed(ColourRole::kDim, sheet.theme()), {}};
  for (const float rows : {0.0F, 1.0F}) {
    label.corners.push_back(
        {corner.x - width - 8 * px, corner.y + 3 * px + rows * ImGui::GetFontSize()});
  }
  labels.add(std::move(label));
}

// A hollow square with the GPU's name and the figure, where there is room for the words.
void draw_published(const Sheet& sheet, const ChartFrame& frame, const ChartMark& mark, ImVec2 at,
                    double value, ChartLabels& labels) {
  const float px = sheet.scale();
  const unsigned ink = packed(ColourRole::kDim, sheet.theme());
  ImDrawList* list = ImPlot::GetPlotDrawList();
  list->AddRect({at.x - 3.5F * px, at.y - 3.5F * px}, {at.x + 3.5F * px, at.y + 3.5F * px}, ink, 0,
                0, 1.3F * px);
  const std::string words = mark.label + " " + on_axis(frame, value) + " published";
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  labels.keep_mark_free(at, 4 * px);
  ChartLabels::Label label{words, ink, {}};
  for (const float top : {at.y - ImGui::GetFontSize() - 2 * px, at.y + 3 * px}) {
    label.corners.push_back({at.x + 8 * px, top});
    label.corners.push_back({at.x - 8 * px - width, top});
  }
  labels.add(std::move(label));
}

}  // namespace

void draw_line(const Sheet& sheet, const ChartFrame& frame, const RateChart& chart,
               const ChartLine& line, std::optional<double> now, const std::string& name,
               LevelWords words, ChartLabels& labels) {
  if (line.empty()) return;
  double low = line.front().second;
  for (const auto& [x, value] : line) low = std::min(low, value);
  const double high = largest(line);
  if (low > frame.top * frame.scale.divisor) {
    name_beyond(sheet, frame, name + " " + on_axis(frame, low), labels);
    return;
  }
  if (high < 1.1 * low) {
    const double level = now.value_or((low + high) / 2);
    draw_level(sheet, frame, level, name + " " + on_axis(frame, level), labels, words);
    return;
  }
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const unsigned ink = packed(ColourRole::kDim, sheet.theme());
  for (std::size_t i = 1; i < line.size(); ++i) {
    const ImVec2 from = place(frame, chart.place(line[i - 1].first), line[i - 1].second);
    const ImVec2 to = place(frame, chart.place(line[i].first), line[i].second);
    dashed(list, from, to, ink, sheet.scale());
    labels.keep_line_free(from, to);
  }
  const float px = sheet.scale();
  const float width = ImGui::CalcTextSize(name.c_str()).x;
  ChartLabels::Label label{name, ink, {}, true};
  for (const auto& end : {line.back(), line.front()}) {
    const ImVec2 at = place(frame, chart.place(end.first), end.second);
    const float left = end == line.back() ? at.x - width : at.x;
    label.corners.push_back({left, at.y - ImGui::GetFontSize() - 6 * px});
    label.corners.push_back({left, at.y + 6 * px});
  }
  labels.add(std::move(label));
}

void draw_series(const Sheet& sheet, const ChartFrame& frame, const LinkedChart& chart,
                 const ChartValues& values, std::size_t index, std::vector<Spot>* spots,
                 ChartLabels& labels) {
  const ChartSeries& series = chart.series[index];
  const bool apart = !series.apart.empty();
  const Paint paint(variant_role(series.variant), apart ? 0.45F : 1.0F);
  const Theme theme = sheet.theme();
  const float px = sheet.scale();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const std::size_t first = spots->size();
  std::vector<ImVec2> line;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const ChartPoint& point = series.points[i];
    const auto value = values.of(point.rate, series, point);
    const auto low = values.of(point.low, series, point);
    const auto high = values.of(point.high, series, point);
    if (!value || !low || !high) continue;
    const ImVec2 at = place(frame, chart.place(point.x), *value);
    const float top = place(frame, chart.place(point.x), std::max(*low, *high)).y;
    const float bottom = place(frame, chart.place(point.x), std::min(*low, *high)).y;
    list->AddRectFilled({at.x - px, top}, {at.x + px, bottom}, packed(paint, theme, 0.5F));
    line.push_back(at);
    spots->push_back({at, index, i});
  }
  if (line.empty()) return;
  list->AddPolyline(line.data(), static_cast<int>(line.size()), packed(paint, theme), 0, 1.6F * px);
  const auto& hovered = sheet.desk().charts.hovered;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t at = (*spots)[first + i].point;
    const ChartPoint& point = series.points[at];
    const bool touched = !apart && hovered && *hovered == chart.keys[index][at];
    if ((point.chosen && !apart) || touched) {
      list->AddCircle(line[i], 8 * px, packed(ColourRole::kSelection, theme), 0,
                      (touched ? 2.4F : 1.6F) * px);
    }
    const bool refining = std::ranges::any_of(chart.under_way, [&](const auto& under_way) {
      return under_way.series == index && under_way.point == at;
    });
    list->AddCircleFilled(line[i], 4 * px, packed(paint, theme, refining ? 0.5F : 1.0F));
    if (point.source == Source::kRecorded) {  // a ring
      list->AddCircleFilled(line[i], 2.4F * px, packed(ColourRole::kPanel, theme));
    }
  }
  for (std::size_t i = 1; i < line.size(); ++i) labels.keep_line_free(line[i - 1], line[i]);
  for (const ImVec2& at : line) labels.keep_mark_free(at, 6 * px);
  const float pitch = ImGui::GetFontSize();
  std::string name(1, static_cast<char>('A' + series.variant));
  if (apart) name += " " + series.apart;
  const float name_width = ImGui::CalcTextSize(name.c_str()).x;
  ChartLabels::Label letter{
      std::move(name),
      packed(apart ? Paint(ColourRole::kDim) : Paint(variant_role(series.variant)), theme),
      {},
      true};
  for (const float rows : {0.0F, -1.0F, 1.0F, -1.5F, 1.5F, -2.0F, 2.0F}) {
    letter.corners.push_back({line.back().x + 12 * px, line.back().y + (rows - 0.5F) * pitch});
  }
  for (const float rows : {-1.5F, 1.5F}) {  // a long name, inwards
    if (!apart) break;
    letter.corners.push_back({line.back().x - name_width, line.back().y + (rows - 0.5F) * pitch});
  }
  labels.add(std::move(letter));
}

std::vector<Note> draw_marks(const Sheet& sheet, const ChartFrame& frame, const LinkedChart& chart,
                             const ChartValues& values, ChartLabels& labels) {
  std::vector<Note> notes;
  for (const ChartMark& mark : chart.marks) {
    const auto value = values.of(mark);
    if (!value) continue;
    const ImVec2 at = place(frame, chart.place(mark.x), *value);
    draw_published(sheet, frame, mark, at, *value, labels);
    notes.push_back({at, format_in(*value, frame.unit),
                     "Published by others, of the same idea on " + mark.label + "."});
  }
  for (const ChartMark& mark : chart.recorded) {
    const auto value = values.at(mark.rate, mark.x);
    if (!value) continue;
    notes.push_back({place(frame, chart.place(mark.x), *value), format_in(*value, frame.unit),
                     "Recorded earlier on " + mark.label + ", of exactly this."});
    ImPlot::GetPlotDrawList()->AddCircle(
        place(frame, chart.place(mark.x), *value), 3.2F * sheet.scale(),
        packed(ColourRole::kDim, sheet.theme()), 0, 1.3F * sheet.scale());
    labels.keep_mark_free(notes.back().at, 4 * sheet.scale());
  }
  return notes;
}

}  // namespace tilescope
