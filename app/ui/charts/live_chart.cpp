#include "ui/charts/live_chart.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scene/rates/rate_figure.h"
#include "store/rates.h"
#include "ui/charts/rate_chart.h"
#include "ui/drawing/style.h"
#include "ui/state/measurements.h"

namespace tilescope {
namespace {

constexpr double kLeastSeconds = 5;
constexpr double kMostSeconds = 3600;
constexpr double kUsualSeconds = 60;

bool is_of(const KernelInstance& instance, const ChartKey& key) {
  return instance.id == key.kernel && instance.parameters == key.parameters &&
         instance.extents == key.extents && factors_of(instance) == key.factors;
}

ChartKey key_of(const KernelInstance& instance) {
  return {instance.id, instance.parameters, instance.extents, factors_of(instance)};
}

// A dashed upright where a parameter changed, with its words where there is room.
void draw_changes(const WindowState& state, double end, float px, ChartLabels& labels) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  for (const LiveChange& change : state.workbench.changes()) {
    const double when = change.time_seconds - end;
    if (when > 0 || when < -state.charts.live_seconds) continue;
    const float x = std::round(ImPlot::PlotToPixels(when, 0.0).x);
    for (float y = corner.y; y < corner.y + size.y; y += 7 * px) {
      list->AddRectFilled({x, y}, {x + 1, y + 4 * px},
                          packed(ColourRole::kFaint, state.theme(), 0.7F));
    }
    labels.keep_free({x - px, corner.y}, {x + 2 * px, corner.y + size.y});
    const float width = ImGui::CalcTextSize(change.label.c_str()).x;
    const float y = corner.y + size.y - 20 * px;
    std::vector<ImVec2> places = {{x - 6 * px - width, y}};
    if (x + 6 * px + width <= corner.x + size.x) places.insert(places.begin(), {x + 6 * px, y});
    labels.add({change.label, packed(ColourRole::kDim, state.theme()), std::move(places)});
  }
}

void draw_samples(const PanelSurface& surface, const ChartFrame& frame,
                  const std::vector<LiveSample>& samples, Paint paint) {
  const float px = surface.scale();
  const auto& hovered = surface.state().charts.hovered;
  const unsigned ink = packed(paint, surface.theme());
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImVec2 before{};
  double when_before = -1e9;
  const KernelInstance* instance_before = nullptr;
  for (const LiveSample& sample : samples) {
    const ImVec2 at = ImPlot::PlotToPixels(sample.when, sample.value / frame.scale.divisor);
    // A gap longer than a second is a pause, not a line, and other factors are other work.
    const bool goes_on = sample.instance == instance_before ||
                         (instance_before != nullptr &&
                          factors_of(*sample.instance) == factors_of(*instance_before));
    if (goes_on && sample.when - when_before < 1) list->AddLine(before, at, ink, 1.4F * px);
    const bool touched = hovered && is_of(*sample.instance, *hovered);
    if (touched) list->AddCircleFilled(at, 4 * px, packed(ColourRole::kSelection, surface.theme()));
    list->AddCircleFilled(at, 1.6F * px, ink);
    before = at;
    when_before = sample.when;
    instance_before = sample.instance;
  }
}

std::string seconds_words(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.1f} min", seconds / 60);
}

// The nearest sample to the pointer, by its way on screen.
const LiveSample* nearest(const std::vector<std::vector<LiveSample>>& lines,
                          const std::vector<std::vector<ImVec2>>& places, float reach) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const LiveSample* found = nullptr;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines[i].size(); ++j) {
      const float far = std::hypot(places[i][j].x - mouse.x, places[i][j].y - mouse.y);
      if (far > reach) continue;
      reach = far;
      found = &lines[i][j];
    }
  }
  return found;
}

void take_wheel_and_drag(WindowState& state, const Touch& touch, float width_px) {
  if (touch.hovered) {
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const float wheel = ImGui::GetIO().MouseWheel;
    if (wheel != 0) zoom_live(state.charts, wheel, state.now);
  }
  const float moved = ImGui::GetIO().MouseDelta.x;
  if (touch.held && moved != 0 && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    scroll_live(state.charts, -static_cast<double>(moved / width_px) * state.charts.live_seconds,
                state.now);
  }
  if (touch.double_clicked) {
    state.charts.live_end.reset();
    state.charts.live_seconds = kUsualSeconds;
  }
}

// By variant.
std::vector<std::vector<LiveSample>> live_lines(const WindowState& state, const LiveScale& scale,
                                                const LiveStretch& stretch) {
  std::vector<std::vector<LiveSample>> lines;
  for (int i = 0; i < static_cast<int>(state.workbench.variants().size()); ++i) {
    lines.push_back(live_samples(state, i, stretch, scale));
  }
  return lines;
}

double largest(const WindowState& state, const std::vector<std::vector<LiveSample>>& lines,
               const LiveScale& scale, const LiveStretch& stretch) {
  double most = 0;
  for (const std::vector<LiveSample>& line : lines) {
    for (const LiveSample& sample : line) most = std::max(most, sample.value);
  }
  if (most > 0) return most;
  constexpr double kEver = 1e9;  // nothing ran in this time: the scale of all that did
  for (const LiveSample& sample :
       live_samples(state, state.workbench.active_index(), {stretch.end, kEver}, scale)) {
    most = std::max(most, sample.value);
  }
  return most;
}

}  // namespace

std::string live_unit_word(const WindowState& state, const std::string& reference_name) {
  if (state.workbench.live().empty()) return {};
  const LiveScale scale = live_scale(state);
  const LiveStretch stretch = live_stretch(state);
  const double most = largest(state, live_lines(state, scale, stretch), scale, stretch);
  return most > 0 ? scale_for(scale.unit, most, reference_name).word : std::string();
}

void zoom_live(ChartState& charts, float steps, double now) {
  const double before = charts.live_seconds;
  charts.live_seconds =
      std::clamp(before * std::pow(1.25, -static_cast<double>(steps)), kLeastSeconds, kMostSeconds);
  if (charts.live_end) scroll_live(charts, (charts.live_seconds - before) / 2, now);
}

void scroll_live(ChartState& charts, double seconds, double now) {
  const double end = charts.live_end.value_or(now) + seconds;
  charts.live_end = std::max(end, 0.0);
  if (end >= now) charts.live_end.reset();
}

bool draw_live_chart(PanelSurface& surface, const Rect& area, const std::string& reference_name) {
  WindowState& state = surface.state();
  const Variant& active = state.workbench.active();
  const LiveScale scale = live_scale(state);
  const LiveStretch stretch = live_stretch(state);
  const std::optional<double> level = scale.reference;
  if (state.workbench.live().empty()) return false;
  if (!has_room_for_chart(surface, area)) return true;
  const std::vector<std::vector<LiveSample>> lines = live_lines(state, scale, stretch);
  const double most = largest(state, lines, scale, stretch);
  if (most <= 0) return false;
  ChartFrame frame = chart_frame(area, std::max(most, level.value_or(0)),
                                 scale_for(scale.unit, most, reference_name), scale.unit);
  frame.x_low = -state.charts.live_seconds;
  frame.x_high = 0;
  const Rect ground{frame.area.x + 30, frame.area.y, frame.area.w - 30, frame.area.h - 20};
  const Touch touch = surface.control("live plot", ground);
  take_wheel_and_drag(state, touch, ground.w * surface.scale());
  if (!begin_chart(surface, "live", frame)) return true;
  const double span = state.charts.live_seconds;
  const double back = state.now - stretch.end;
  const std::array<double, 3> ticks{-span, -span / 2, 0};
  const std::array<std::string, 3> words{ago_words(span + back), ago_words(span / 2 + back),
                                         ago_words(back)};
  const std::array<const char*, 3> names{words[0].c_str(), words[1].c_str(), words[2].c_str()};
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), 3, names.data());
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  ChartLabels labels(surface);
  draw_changes(state, stretch.end, surface.scale(), labels);
  std::vector<std::vector<ImVec2>> places;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    draw_samples(surface, frame, lines[i], variant_role(static_cast<int>(i)));
    places.emplace_back();
    for (const LiveSample& sample : lines[i]) {
      places.back().push_back(
          ImPlot::PlotToPixels(sample.when, sample.value / frame.scale.divisor));
      labels.keep_mark_free(places.back().back(), 2 * surface.scale());
    }
  }
  if (level) {
    draw_level(surface, frame, *level, reference_name + " " + figure_on(frame.scale, *level),
               labels);
  }
  labels.write();
  ImPlot::PopPlotClipRect();
  end_chart();
  const LiveSample* sample = touch.hovered ? nearest(lines, places, 12 * surface.scale()) : nullptr;
  if (sample == nullptr) return true;
  const ChartKey key = key_of(*sample->instance);
  state.charts.touched = key;
  explain_point(
      surface,
      format_in(sample->value, scale.unit) + ", 1 launch, " +
          seconds_words(state.now - stretch.end - sample->when) + " ago",
      describe(key, active) + "\nClick to set these parameters; wheel: zoom; drag: scroll.");
  if (touch.clicked) go_to(state, key);
  return true;
}

LiveScale live_scale(const WindowState& state) {
  const Variant& active = state.workbench.active();
  const Problem problem = problem_of(active);
  LiveScale scale;
  scale.unit = active.own ? RateUnit::kTime : shown_unit(state, problem);
  scale.peak = peak_rate(active, state.workbench.device_model());
  const auto& measured = active.measured;
  if (!measured || !measured->reference) return scale;
  scale.reference_rate = rate_of(problem, *measured, measured->reference->median_seconds);
  scale.reference = in_unit(
      scale.reference_rate, scale.unit,
      basis_of(problem, {measured->flop, measured->bytes}, scale.peak, scale.reference_rate));
  return scale;
}

LiveStretch live_stretch(const WindowState& state) {
  return {state.charts.live_end.value_or(state.now), state.charts.live_seconds};
}

std::vector<LiveSample> live_samples(const WindowState& state, int variant,
                                     const LiveStretch& stretch, const LiveScale& scale) {
  const Problem problem = problem_of(state.workbench.active());
  std::vector<LiveSample> samples;
  for (const LivePoint& point : state.workbench.live()) {
    const double when = point.time_seconds - stretch.end;
    if (point.variant != variant || point.cold != state.workbench.cold() || when > 0 ||
        when < -stretch.seconds || point.kernel_seconds <= 0) {
      continue;
    }
    const RateBasis basis = basis_of(problem, point.work, scale.peak, scale.reference_rate);
    const auto value = scale.unit == RateUnit::kTime
                           ? std::optional(point.kernel_seconds)
                           : in_unit(basis.own / point.kernel_seconds, scale.unit, basis);
    if (value) samples.push_back({when, *value, point.instance.get()});
  }
  return samples;
}

}  // namespace tilescope
