#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "store/recorded_library.h"
#include "ui/chart_data.h"
#include "ui/chart_figures.h"
#include "ui/panel.h"
#include "ui/rate_chart.h"
#include "ui/rates.h"
#include "ui/style.h"

namespace tilescope {
namespace {

constexpr double kLiveSeconds = 60;

// Why a chart is empty, and what would fill it.
void draw_empty(Sheet& sheet, const Rect& area, const Variant& variant) {
  const auto device = sheet.desk().bench.gpu().device();
  std::string words;
  if (!device) {
    words = "Looking for a GPU …";
  } else if (!device->ok()) {
    words = "No GPU: " + why_no_gpu(device->error()) +
            ". Nothing is measured here, and nothing was recorded for exactly these parameters.";
  } else if (variant.measure_error) {
    words = to_string(*variant.measure_error);
  } else if (variant.measure_pending) {
    words = "Measuring …";
  } else {
    words = "Not measured yet: drag a parameter, or measure this point.";
  }
  const bool failed = variant.measure_error.has_value();
  const float y =
      sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F), words,
                      styled(12, failed ? ColourRole::kExcess : ColourRole::kDim));
  if (device && device->ok() && !variant.measure_pending && variant.study != nullptr &&
      sheet.push("measure", {area.x, y + 4, 120, 26}, "Measure now")) {
    sheet.desk().bench.measure_again();
  }
}

// Where the points of a chart come from.
std::string origin_of(const Desk& desk, const RateChart& chart) {
  bool measured = false;
  bool recorded = false;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      (point.source == Source::kMeasured ? measured : recorded) = true;
    }
  }
  const std::string from = measured && recorded
                               ? "measured here, rings recorded on " + desk.recorded.gpu()
                           : recorded ? "recorded on " + desk.recorded.gpu()
                                      : "measured here";
  return from + ", median, p5 to p95";
}

RateChart parameter_chart(Desk& desk) {
  const ParameterSpec* spec = charted_parameter(desk);
  return spec != nullptr ? chart_over_parameter(desk, *spec) : RateChart{};
}

// Where one chart alone has room: nothing will fill the one over the parameter.
bool only_sizes_are_known(Desk& desk) {
  const auto device = desk.bench.gpu().device();
  return device && !device->ok() && parameter_chart(desk).series.empty() &&
         !chart_over_size(desk).series.empty();
}

// A chart's title and, where there is something in it, the way to a file at its right end.
void draw_titled(Sheet& sheet, const Rect& area, const std::string& words, const std::string& more,
                 PictureExport::Subject subject, bool has_points) {
  constexpr float kButton = 56;
  Rect title = area;
  if (has_points && area.w > 320) {
    title.w -= kButton + 8;
    const Rect button{area.right() - kButton, area.y - 4, kButton, 20};
    const Touch touch = sheet.control("export chart", button);
    if (touch.hovered) sheet.canvas().fill_rect(button, ColourRole::kHover, 5);
    sheet.text(button.center().x, area.y + 6, "export",
               styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kDim, Weight::kRegular,
                      Align::kCenter));
    sheet.explain(button, "Writes this chart into a file: SVG, PDF, PNG, CSV or JSON.");
    if (touch.clicked) open_picture_export(sheet.desk(), subject);
  }
  draw_chart_title(sheet, title, words, more);
}

void draw_over_parameter(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const ParameterSpec* spec = charted_parameter(desk);
  const RateChart chart = parameter_chart(desk);
  draw_titled(sheet, area,
              scaled_unit_word(rate_unit(problem_of(active))) + " over " +
                  (spec != nullptr ? spec->name : "a parameter"),
              chart.series.empty() ? "" : origin_of(desk, chart),
              PictureExport::Subject::kOverParameter, !chart.series.empty());
  if (chart.series.empty()) {
    draw_empty(sheet, area, active);
  } else {
    draw_rate_chart(sheet, area, "over parameter", chart, reference_beside(active));
  }
}

void draw_over_size(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const Problem problem = problem_of(active);
  const RateChart chart = chart_over_size(desk);
  draw_titled(sheet, area, scaled_unit_word(rate_unit(problem)) + " over size",
              chart.series.empty() ? "" : origin_of(desk, chart), PictureExport::Subject::kOverSize,
              !chart.series.empty());
  if (chart.series.empty()) {
    draw_empty(sheet, area, active);
  } else {
    draw_rate_chart(sheet, area, "over size", chart, reference_beside(active));
  }
}

// A dashed upright where a parameter changed, with its words where there is room.
void draw_changes(const Desk& desk, float px) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  float free_from = 0;
  for (const LiveChange& change : desk.bench.changes()) {
    const double age = desk.now - change.time_seconds;
    if (age > kLiveSeconds) continue;
    const float x = std::round(ImPlot::PlotToPixels(-age, 0.0).x);
    for (float y = corner.y; y < corner.y + size.y; y += 7 * px) {
      list->AddRectFilled({x, y}, {x + 1, y + 4 * px},
                          packed(ColourRole::kFaint, desk.theme(), 0.7F));
    }
    const float width = ImGui::CalcTextSize(change.label.c_str()).x;
    if (x + 5 * px < free_from || x + 5 * px + width > corner.x + size.x) continue;
    list->AddText({x + 5 * px, corner.y + size.y - 20 * px}, packed(ColourRole::kDim, desk.theme()),
                  change.label.c_str());
    free_from = x + 5 * px + width + 8 * px;
  }
}

void draw_live_line(const std::vector<LiveRate>& rates, double scale, unsigned ink, float px) {
  ImVec2 before{};
  double when_before = -1e9;
  for (const auto& [when, rate] : rates) {
    const ImVec2 at = ImPlot::PlotToPixels(when, rate / scale);
    // A gap longer than a second is a pause, not a line.
    if (when - when_before < 1) ImPlot::GetPlotDrawList()->AddLine(before, at, ink, 1.4F * px);
    ImPlot::GetPlotDrawList()->AddCircleFilled(at, 1.6F * px, ink);
    before = at;
    when_before = when;
  }
}

void draw_live(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const Problem problem = problem_of(active);
  const Unit unit = rate_unit(problem);
  const bool warm = active.measured && !active.measured->cold;
  double most = 0;
  std::vector<std::vector<LiveRate>> lines;
  for (int i = 0; i < static_cast<int>(desk.bench.variants().size()); ++i) {
    lines.push_back(live_rates(desk, i, problem));
    for (const auto& [when, rate] : lines.back()) most = std::max(most, rate);
  }
  draw_titled(sheet, area, "Live",
              std::string("1 point = 1 launch, ") + (warm ? "warm" : "cold") + " L2",
              PictureExport::Subject::kLive, most > 0);
  if (most <= 0) {
    draw_empty(sheet, area, active);
    return;
  }
  double reference = 0;
  if (active.measured && active.measured->reference) {
    reference = rate_of(problem, *active.measured, active.measured->reference->median_seconds);
  }
  const double scale = scale_of(unit);
  ChartFrame frame = chart_frame(area, std::max(most, reference), unit);
  frame.x_low = -kLiveSeconds;
  frame.x_high = 0;
  if (!begin_chart(sheet, "live", frame)) return;
  static constexpr std::array<double, 3> kTicks{-60, -30, 0};
  static constexpr std::array<const char*, 3> kNames{"-60 s", "-30 s", "now"};
  ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), 3, kNames.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  draw_changes(desk, sheet.scale());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    draw_live_line(lines[i], scale, packed(variant_colour(static_cast<int>(i)), desk.theme()),
                   sheet.scale());
  }
  if (reference > 0) {
    draw_level(sheet, frame, reference / scale,
               reference_beside(active) + " " + figure_of(reference / scale, Unit::kNone));
  }
  ImPlot::PopPlotClipRect();
  end_chart();
}

}  // namespace

void draw_throughput_panel(Desk& desk) {
  Sheet sheet(desk);
  const float height = sheet.height();
  if (sheet.width() < 760) {
    const Rect whole{4, 0, sheet.width() - 8, height};
    if (desk.view == View::kCompare || only_sizes_are_known(desk)) {
      draw_over_size(sheet, whole);
    } else {
      draw_over_parameter(sheet, whole);
    }
    sheet.finish(0);
    return;
  }
  const float half = (sheet.width() - 44) / 2;
  const Rect right{4 + half + 36, 0, half, height};
  ImGui::PushID("left");
  draw_over_parameter(sheet, {4, 0, half, height});
  ImGui::PopID();
  ImGui::PushID("right");
  // Without a device nothing is live, and variants compare over the size.
  const auto device = desk.bench.gpu().device();
  if (desk.view == View::kCompare || (device && !device->ok())) {
    draw_over_size(sheet, right);
  } else {
    draw_live(sheet, right);
  }
  ImGui::PopID();
  sheet.finish(0);  // the charts leave the cursor past the panel's end
}

}  // namespace tilescope
