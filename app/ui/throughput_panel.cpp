#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ui/chart_data.h"
#include "ui/fonts.h"
#include "ui/panel.h"
#include "ui/rates.h"
#include "ui/sheet.h"
#include "ui/style.h"

namespace tilescope {
namespace {

constexpr std::array kVariantColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                     ColourRole::kFourth};
constexpr double kLiveSeconds = 60;
constexpr float kTitle = 28;

struct Frame {  // where a chart stands and what its axis is
  Rect area;
  double top = 1;  // of the rate axis, in scaled units
  int ticks = 2;   // steps of it
};

// The round figure above `value` that the axis ends at, in few even steps.
void set_top(Frame* frame, double value) {
  if (value <= 0) return;
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  static constexpr std::array<std::pair<double, int>, 8> kEnds{
      {{1, 2}, {1.5, 3}, {2, 2}, {3, 3}, {4, 4}, {6, 3}, {8, 4}, {10, 2}}};
  for (const auto& [end, ticks] : kEnds) {
    if (value > end * decade) continue;
    frame->top = end * decade;
    frame->ticks = ticks;
    return;
  }
}

bool begin_chart(Sheet& sheet, const char* id, const Frame& frame, double x_low, double x_high) {
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
  ImPlot::SetupAxisLimits(ImAxis_X1, x_low, x_high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, frame.top, ImPlotCond_Always);
  ImPlot::SetupAxisTicks(ImAxis_Y1, 0, frame.top, frame.ticks + 1);
  return true;
}

void end_chart() {
  ImPlot::EndPlot();
  ImGui::PopFont();
}

void draw_level(const char* id, const char* words, double level, double x_low, double x_high,
                Theme theme) {
  const std::array<double, 2> xs{x_low, x_high};
  const std::array<double, 2> ys{level, level};
  const ImVec2 from = ImPlot::PlotToPixels(xs[0], ys[0]);
  const ImVec2 to = ImPlot::PlotToPixels(xs[1], ys[1]);
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  const unsigned ink = packed(ColourRole::kDim, theme);
  for (float x = from.x; x < to.x; x += 9) {
    list->AddRectFilled({x, std::round(from.y)}, {std::min(x + 5, to.x), std::round(from.y) + 1},
                        ink);
  }
  list->AddText({from.x + 8, from.y - ImGui::GetFontSize() - 3}, ink, words);
  ImPlot::PopPlotClipRect();
  (void)id;
}

std::vector<ChartSeries> all_series(const Desk& desk, const std::string& parameter) {
  const std::vector<Variant>& variants = desk.bench.variants();
  std::vector<ChartSeries> series;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    ChartSeries one = series_over(desk, variants[i], static_cast<int>(i), parameter);
    if (!one.points.empty()) series.push_back(std::move(one));
  }
  return series;
}

const ParameterSpec* focused_spec(const Desk& desk, const CatalogueEntry& entry) {
  for (const ParameterSpec& spec : entry.parameters) {
    if (spec.name == desk.focused_parameter) return &spec;
  }
  return entry.parameters.empty() ? nullptr : &entry.parameters.front();
}

void draw_series(const ChartSeries& series, const Variant& variant, const std::string& parameter,
                 double scale, Theme theme, float px) {
  const Paint paint =
      kVariantColours[static_cast<std::size_t>(series.variant) % kVariantColours.size()];
  std::vector<ImVec2> line;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect(8 * px);
  for (const ChartPoint& point : series.points) {
    const ImVec2 at = ImPlot::PlotToPixels(point.x, point.rate / scale);
    const float low = ImPlot::PlotToPixels(point.x, point.low / scale).y;
    const float high = ImPlot::PlotToPixels(point.x, point.high / scale).y;
    list->AddRectFilled({at.x - px, high}, {at.x + px, low}, packed(paint, theme, 0.5F));
    line.push_back(at);
  }
  list->AddPolyline(line.data(), static_cast<int>(line.size()), packed(paint, theme), 0, 1.6F * px);
  const auto present = variant.parameters.find(parameter);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool chosen =
        present != variant.parameters.end() && present->second == series.points[i].value;
    if (chosen)
      list->AddCircle(line[i], 8 * px, packed(ColourRole::kSelection, theme), 0, 1.6F * px);
    if (series.points[i].source == Source::kMeasured) {
      list->AddCircleFilled(line[i], 4 * px, packed(paint, theme));
    } else {
      list->AddCircleFilled(line[i], 4 * px, packed(ColourRole::kPanel, theme));
      list->AddCircle(line[i], 3.5F * px, packed(paint, theme), 0, 1.6F * px);
    }
  }
  const char letter[2] = {static_cast<char>('A' + series.variant), '\0'};
  list->AddText({line.back().x + 10 * px, line.back().y - ImGui::GetFontSize() / 2},
                packed(paint, theme), letter);
  ImPlot::PopPlotClipRect();
}

void title(Sheet& sheet, const Rect& area, const std::string& words, const std::string& more) {
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kSemibold);
  sheet.fitted(area.x, area.right(), area.y + 6, words, style);
  const float end = area.x + sheet.canvas().text_width(words, style) + 16;
  if (area.right() - end > 60) {
    sheet.fitted(end, area.right(), area.y + 6, more, styled(12, ColourRole::kDim));
  }
}

// Why a chart is empty, and what would fill it.
void draw_empty(Sheet& sheet, const Rect& area, const Variant& variant) {
  const auto device = sheet.desk().bench.gpu().device();
  std::string words;
  if (!device) {
    words = "Looking for a GPU …";
  } else if (!device->ok()) {
    words = "No GPU: " + why_no_gpu(device->error()) + ". Nothing is measured here.";
  } else if (variant.measure_error) {
    words = to_string(*variant.measure_error);
  } else if (variant.measure_pending) {
    words = "Measuring …";
  } else {
    words = "Not measured yet: drag a parameter, or measure this point.";
  }
  const bool failed = variant.measure_error.has_value();
  const float y = sheet.paragraph(area.x, area.y + kTitle + 12, std::min(area.w, 420.0F), words,
                                  styled(12, failed ? ColourRole::kExcess : ColourRole::kDim));
  if (device && device->ok() && !variant.measure_pending && variant.study != nullptr &&
      sheet.push("measure", {area.x, y + 4, 120, 26}, "Measure now")) {
    sheet.desk().bench.measure_again();
  }
}

double newest_reference(const std::vector<ChartSeries>& series) {
  for (const ChartSeries& one : series) {
    for (const ChartPoint& point : one.points) {
      if (point.reference > 0) return point.reference;
    }
  }
  return 0;
}

std::string reference_name(const Variant& variant) {
  if (variant.measured && !variant.measured->reference_name.empty())
    return short_reference(variant.measured->reference_name);
  return problem_of(variant) == Problem::kGemm ? "cuBLAS" : "device copy";
}

void draw_over_parameter(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const Problem problem = problem_of(active);
  const Unit unit = rate_unit(problem);
  const ParameterSpec* spec = active.entry != nullptr ? focused_spec(desk, *active.entry) : nullptr;
  title(sheet, area,
        scaled_unit_word(unit) + " over " + (spec != nullptr ? spec->name : "a parameter"),
        "median of the launches, bar from p5 to p95");
  if (spec == nullptr) return;
  const std::vector<ChartSeries> series = all_series(desk, spec->name);
  if (series.empty()) {
    draw_empty(sheet, area, active);
    return;
  }
  const double scale = scale_of(unit);
  const double reference = newest_reference(series);
  const double peak = peak_rate(problem, desk.bench.device_model());
  double most = reference;
  for (const ChartSeries& one : series) {
    for (const ChartPoint& point : one.points) most = std::max(most, point.high);
  }
  Frame frame{{area.x - 4, area.y + kTitle, area.w + 4, area.h - kTitle}};
  set_top(&frame, most * 1.08 / scale);
  const auto count = static_cast<double>(spec->values.size());
  if (!begin_chart(sheet, "over parameter", frame, -0.5, count - 0.5)) return;
  std::vector<double> ticks;
  std::vector<std::string> labels;
  std::vector<const char*> names;
  for (std::size_t i = 0; i < spec->values.size(); ++i) {
    ticks.push_back(static_cast<double>(i));
    labels.push_back(std::to_string(spec->values[i]));
  }
  for (const std::string& label : labels) names.push_back(label.c_str());
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlot::SetupFinish();
  if (reference > 0) {
    const std::string words =
        reference_name(active) + " " + figure_of(reference / scale, Unit::kNone);
    draw_level("reference", words.c_str(), reference / scale, -0.5, count - 0.5, desk.theme());
  }
  if (peak > 0 && peak / scale <= frame.top) {
    const std::string words = "peak " + figure_of(peak / scale, Unit::kNone);
    draw_level("peak", words.c_str(), peak / scale, -0.5, count - 0.5, desk.theme());
  }
  for (const ChartSeries& one : series) {
    draw_series(one, desk.bench.variants()[static_cast<std::size_t>(one.variant)], spec->name,
                scale, desk.theme(), desk.scale);
  }
  end_chart();
}

// Live samples of a variant as rates, the newest minute of them.
std::vector<std::pair<double, double>> live_rates(const Desk& desk, int variant, Problem problem) {
  std::vector<std::pair<double, double>> rates;
  for (const LivePoint& point : desk.bench.live()) {
    const double age = desk.now - point.time_seconds;
    const double work = problem == Problem::kGemm ? point.work.flop : point.work.bytes;
    if (point.variant != variant || age > kLiveSeconds || point.kernel_seconds <= 0 || work <= 0)
      continue;
    rates.emplace_back(-age, work / point.kernel_seconds);
  }
  return rates;
}

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

void draw_live(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const Unit unit = rate_unit(problem_of(active));
  title(sheet, area, "Live",
        "1 point = 1 launch, " +
            std::string(active.measured && !active.measured->cold ? "warm L2" : "cold L2"));
  const double scale = scale_of(unit);
  double most = 0;
  double reference = 0;
  std::vector<std::vector<std::pair<double, double>>> lines;
  auto& variants = desk.bench.variants();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    lines.emplace_back();
    if (variants[i].study == nullptr) continue;
    lines.back() = live_rates(desk, static_cast<int>(i), problem_of(active));
    for (const auto& [when, rate] : lines.back()) most = std::max(most, rate);
  }
  if (active.measured && active.measured->reference) {
    reference =
        rate_of(problem_of(active), *active.measured, active.measured->reference->median_seconds);
  }
  if (most <= 0) {
    draw_empty(sheet, area, active);
    return;
  }
  most = std::max(most, reference);
  Frame frame{{area.x - 4, area.y + kTitle, area.w + 4, area.h - kTitle}};
  set_top(&frame, most * 1.08 / scale);
  if (!begin_chart(sheet, "live", frame, -kLiveSeconds, 0)) return;
  static constexpr std::array<double, 3> kTicks{-60, -30, 0};
  static constexpr std::array<const char*, 3> kNames{"-60 s", "-30 s", "now"};
  ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), 3, kNames.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  draw_changes(desk, desk.scale);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const unsigned ink = packed(kVariantColours[i % kVariantColours.size()], desk.theme());
    ImVec2 before{};
    double when_before = -1e9;
    for (const auto& [when, rate] : lines[i]) {
      const ImVec2 at = ImPlot::PlotToPixels(when, rate / scale);
      // A gap longer than a second is a pause, not a line.
      if (when - when_before < 1)
        ImPlot::GetPlotDrawList()->AddLine(before, at, ink, 1.4F * desk.scale);
      ImPlot::GetPlotDrawList()->AddCircleFilled(at, 1.6F * desk.scale, ink);
      before = at;
      when_before = when;
    }
  }
  ImPlot::PopPlotClipRect();
  if (reference > 0) {
    const std::string words =
        reference_name(active) + " " + figure_of(reference / scale, Unit::kNone);
    draw_level("reference", words.c_str(), reference / scale, -kLiveSeconds, 0, desk.theme());
  }
  end_chart();
}

}  // namespace

void draw_throughput_panel(Desk& desk) {
  Sheet sheet(desk);
  const float height = sheet.height();
  if (sheet.width() < 760) {
    draw_over_parameter(sheet, {4, 0, sheet.width() - 8, height});
    return;
  }
  const float half = (sheet.width() - 44) / 2;
  ImGui::PushID("left");
  draw_over_parameter(sheet, {4, 0, half, height});
  ImGui::PopID();
  ImGui::PushID("right");
  draw_live(sheet, {4 + half + 36, 0, half, height});
  ImGui::PopID();
}

}  // namespace tilescope
