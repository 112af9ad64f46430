#include "ui/charts/rate_chart.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "scene/rates/rate_axis.h"
#include "scene/rates/rate_figure.h"
#include "scene/roofline/roofline_figure.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"
#include "ui/charts/chart_values.h"
#include "ui/charts/rate_marks.h"
#include "ui/desk/rates.h"
#include "ui/drawing/style.h"

namespace tilescope {
namespace {

// The roof over the active variant, where its rate is of the same kind.
double roof_of(const Desk& desk) {
  const Variant& active = desk.bench.active();
  if (active.study == nullptr || active.study->device == nullptr || active.prepared == nullptr ||
      active.prepared->diagnosis == nullptr)
    return 0;
  const RooflineFigure figure = roofline_figure(active.study->instance, *active.study->device,
                                                *active.prepared->diagnosis, nullptr);
  return figure.computes == (problem_of(active) == Problem::kGemm) ? figure.allowed() : 0;
}

const Spot* nearest(const std::vector<Spot>& spots, float reach) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Spot* found = nullptr;
  for (const Spot& spot : spots) {
    const float far = std::hypot(spot.at.x - mouse.x, spot.at.y - mouse.y);
    if (far > reach) continue;
    reach = far;
    found = &spot;
  }
  return found;
}

void explain_notes(Sheet& sheet, const std::vector<Note>& notes) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const Note& note : notes) {
    if (std::hypot(note.at.x - mouse.x, note.at.y - mouse.y) > 10 * sheet.scale()) continue;
    explain_point(sheet, note.figure, note.words);
    return;
  }
}

void explain_spot(Sheet& sheet, const ChartFrame& frame, const LinkedChart& chart,
                  const ChartValues& values, const Spot& spot) {
  const ChartPoint& point = chart.series[spot.series].points[spot.point];
  const ChartSeries& series = chart.series[spot.series];
  const auto written = [&](double rate) {
    const auto value = values.of(rate, series, point);
    return value ? format_in(*value, frame.unit) : std::string("–");
  };
  std::string figure = written(point.rate) + " (" + written(point.low) + " to " +
                       written(point.high) + "), " + std::string(name_of(point.source));
  if (point.source == Source::kRecorded) {
    figure += " on " + point.origin.under.gpu + (point.origin.date.empty() ? "" : ", ") +
              point.origin.date;
  }
  if (!series.apart.empty()) figure += "; another machine's, so no line joins it to the others";
  for (const auto& under_way : chart.under_way) {
    if (under_way.series == spot.series && under_way.point == spot.point) {
      figure = written(point.rate) + " after " + format_count(under_way.launches) +
               " launches, being measured";
    }
  }
  explain_point(sheet, figure,
                describe(chart.keys[spot.series][spot.point], sheet.desk().bench.active()) +
                    (point.chosen ? "" : "\nA click sets these."));
}

}  // namespace

void go_to(Desk& desk, const ChartKey& key) {
  const CatalogueEntry* entry = desk.bench.catalogue().find(key.kernel);
  const CatalogueEntry* active = desk.bench.active().entry;
  if (active != nullptr && key.kernel == edited_id(active->id)) entry = active;
  if (entry == nullptr) return;  // an edited text, or a file
  if (desk.bench.active().entry != entry) desk.bench.choose_kernel(*entry);
  for (const auto& [name, extent] : key.extents) desk.bench.set_extent(name, extent);
  for (const std::string& name : factor_names(*entry)) {
    desk.bench.set_factor(name, factor_of(key.factors, name));
  }
  desk.bench.apply(key.parameters);
}

RateScale scale_of(const Desk& desk, const LinkedChart& chart, const std::string& reference_name) {
  const Problem problem = problem_of(desk.bench.active());
  const RateUnit unit = shown_unit(desk, problem);
  const double peak = peak_of(desk, chart).rate;
  const ChartValues values(chart, problem, peak, unit, desk.bench.active_index());
  return scale_for(unit, values.largest(), reference_name);
}

void draw_rate_chart(Sheet& sheet, const Rect& area, const char* id, const LinkedChart& chart,
                     const std::string& reference_name) {
  Desk& desk = sheet.desk();
  const Problem problem = problem_of(desk.bench.active());
  if (!has_room_for_chart(sheet, area)) return;
  const RateUnit unit = shown_unit(desk, problem);
  const double peak = peak_of(desk, chart).rate;
  const ChartValues values(chart, problem, peak, unit, desk.bench.active_index());
  double most = values.largest();
  if (most <= 0) {
    sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                    unit == RateUnit::kReferenceShare
                        ? "No reference was measured beside these points."
                        : "What these points are a share of is not known.",
                    styled(12, ColourRole::kDim));
    return;
  }
  // Roofs that are near are shown; far ones would press the points down.
  const ChartLine peaks = values.line_of(peak);
  const ChartLine roofs = values.line_of(roof_of(desk));
  for (const ChartLine* line : {&peaks, &roofs}) {
    if (largest(*line) < 1.6 * most) most = std::max(most, largest(*line));
  }
  ChartFrame frame = chart_frame(area, most, scale_of(desk, chart, reference_name), unit);
  const PlaceAxis places = place_axis(chart);
  frame.x_low = places.first;
  frame.x_high = places.last;
  const Rect ground{frame.area.x + 30, frame.area.y, frame.area.w - 30, frame.area.h - 20};
  const Touch touch = sheet.control(id, ground);
  if (!begin_chart(sheet, id, frame)) return;
  std::vector<double> ticks;
  std::vector<const char*> names;
  for (const PlaceAxis::Tick& tick : places.ticks) {
    ticks.push_back(tick.place);
    names.push_back(tick.words.c_str());
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect(10 * sheet.scale());
  ChartLabels labels(sheet);
  if (unit != RateUnit::kReferenceShare || !values.references().empty()) {
    draw_line(sheet, frame, chart, values.references(), values.reference_now(), reference_name,
              LevelWords::kLeft, labels);
  }
  draw_line(sheet, frame, chart, peaks, std::nullopt, "peak", LevelWords::kCentre, labels);
  // Where the peak is the roof, its line says so already.
  if (std::abs(largest(roofs) - largest(peaks)) > 0.01 * largest(peaks)) {
    draw_line(sheet, frame, chart, roofs, std::nullopt, "roof here", LevelWords::kRight, labels);
  }
  const std::vector<Note> notes = draw_marks(sheet, frame, chart, values, labels);
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(sheet, frame, chart, values, i, &spots, labels);
  }
  labels.write();
  ImPlot::PopPlotClipRect();
  end_chart();
  const Spot* spot = touch.hovered ? nearest(spots, 14 * sheet.scale()) : nullptr;
  if (spot == nullptr) {
    if (touch.hovered) explain_notes(sheet, notes);
    return;
  }
  const ChartKey& key = chart.keys[spot->series][spot->point];
  desk.charts.touched = key;
  explain_spot(sheet, frame, chart, values, *spot);
  if (touch.clicked) {
    desk.bench.activate(chart.series[spot->series].variant);
    go_to(desk, key);
  }
}

}  // namespace tilescope
