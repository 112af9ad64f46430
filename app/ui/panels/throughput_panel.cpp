#include "ui/panels/throughput_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scene/rates/rate_figure.h"
#include "session/measurements.h"
#include "store/rates.h"
#include "store/recorded_library.h"
#include "ui/state/chart_data.h"
#include "ui/state/layout.h"
#include "ui/state/live_chart.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kChartTitle = 28;  // units that a chart's title takes
constexpr float kReach = 14;       // and how far from a point the pointer still means it

struct ChartChoice {
  ChartKind kind;
  const char* id;
  const char* word;
  const char* meaning;
};

constexpr std::array kChoices{
    ChartChoice{ChartKind::kLive, "show live", "Live",
                "Throughput over time, one point per launch."},
    ChartChoice{ChartKind::kOverSize, "show size", "Size",
                "Throughput over the problem size, with these parameters."},
    ChartChoice{ChartKind::kOverParameter, "show parameter", "Parameter",
                "Throughput over the slider used last."}};

struct AxisWord {
  const char* id;
  const char* text;
  const char* meaning;
  bool holds;
};

// Ends at `right`; true: it was clicked. Moves `right` to where the next one may end.
bool draw_word(PanelSurface& surface, const Rect& area, const AxisWord& word, float* right) {
  const TextStyle style = styled(12, word.holds ? ColourRole::kStrong : ColourRole::kDim,
                                 Weight::kMedium, Align::kRight);
  const float width = surface.canvas().text_width(word.text, style);
  const Rect button{*right - width - 6, area.y - 4, width + 12, 20};
  const Touch touch = surface.control(word.id, button);
  surface.text(*right, area.y + 6, word.text, style);
  if (word.holds) {
    surface.canvas().fill_rect({*right - width, area.y + 15, width, 2}, ColourRole::kFirst, 0);
  }
  surface.explain(button, word.meaning);
  *right -= width + 16;
  return touch.clicked;
}

// The charts that one place may show, the last one where it is the only place.
std::span<const ChartChoice> chart_choices() { return kChoices; }

// Words at the right end of a chart's title, of which the one that holds is strong and a click
// takes another: the chart that stands there, and whether the L2 is cold or warm. They give the
// width that they take.
float draw_chart_choice(PanelSurface& surface, const Rect& area, ChartKind shown,
                        std::span<const ChartChoice> choices) {
  float right = area.right();
  for (const ChartChoice& choice : choices) {
    const AxisWord word{choice.id, choice.word, choice.meaning, choice.kind == shown};
    if (draw_word(surface, area, word, &right)) surface.state().charts.chosen = choice.kind;
  }
  return area.right() - right;
}

float draw_l2_choice(PanelSurface& surface, const Rect& area) {
  Workbench& workbench = surface.state().workbench;
  float right = area.right();
  const bool cold = workbench.runs().cold();
  if (draw_word(surface, area,
                {"warm L2", "warm", "Each launch finds the L2 as the same launch left it.", !cold},
                &right)) {
    workbench.set_cold(false);
  }
  if (draw_word(
          surface, area,
          {"cold L2", "L2 cold", "The L2 is overwritten before each launch that is timed.", cold},
          &right)) {
    workbench.set_cold(true);
  }
  return area.right() - right + 8;
}

// What stands in the place of charts of throughput that have nothing in them.

// Why a chart is empty, and what would fill it. `otherwise`: it would not be, with the L2 in the
// other state.
void draw_empty_chart(PanelSurface& surface, const Rect& area, const Variant& variant,
                      bool otherwise = false);

// "with a cold L2": how nothing is measured now.
std::string otherwise_words(const WindowState& state) {
  return std::string("with a ") + (state.workbench.runs().cold() ? "warm" : "cold") + " L2";
}

void draw_empty_chart(PanelSurface& surface, const Rect& area, const Variant& variant,
                      bool otherwise) {
  const auto device = surface.state().workbench.gpu().device();
  const std::string unrecorded =
      otherwise ? "what was recorded of it was " + otherwise_words(surface.state()) + " alone."
                : "no times were recorded for exactly these parameters.";
  std::string words;
  if (!device) {
    words = "Looking for a GPU …";
  } else if (!device->ok()) {
    words = "No GPU: " + why_no_gpu(device->error()) + ". Nothing is measured here, and " +
            (variant.is_edited() ? "the text is edited; recorded times are for the original kernel."
                                 : unrecorded);
  } else if (!variant.not_here.empty()) {
    words = variant.not_here + ", and " + unrecorded;
  } else if (!surface.state().workbench.may_run(variant)) {
    words = "Its text came from a file: nothing is measured until you allow it.";
  } else if (variant.measure_error) {
    words = to_string(*variant.measure_error);
  } else if (variant.measure_pending) {
    words = "Measuring …";
  } else {
    words = "Not measured yet: drag a parameter, or measure this point.";
  }
  const bool failed = variant.measure_error.has_value();
  const float y =
      surface.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F), words,
                        styled(12, failed ? ColourRole::kExcess : ColourRole::kDim));
  if (!device || !device->ok() || variant.measure_pending || variant.study == nullptr ||
      !variant.not_here.empty())
    return;
  Workbench& workbench = surface.state().workbench;
  const Rect button{area.x, y + 4, 120, 26};
  if (!workbench.may_run(variant)) {
    if (surface.push("allow", button, "Run on the GPU")) workbench.allow_gpu();
    surface.explain(button, "Allows the texts of all variants to run on the GPU from now on.");
  } else if (surface.push("measure", button, "Measure now")) {
    workbench.measure_again();
  } else {
    surface.explain(button, "Times this launch on the GPU (F5).");
  }
}

// The same of the live chart: what was measured long ago or is recorded does not fill it.
void draw_empty_live(PanelSurface& surface, const Rect& area, const Variant& variant) {
  const auto device = surface.state().workbench.gpu().device();
  if (!device || device->ok()) {
    draw_empty_chart(surface, area, variant);
    return;
  }
  surface.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                    "No GPU: " + why_no_gpu(device->error()) +
                        ". This chart needs measurements: use a machine with an NVIDIA GPU, or "
                        "connect one with TILESCOPE_WORKER=\"ssh HOST tilescope worker\".",
                    styled(12, ColourRole::kDim));
}

// All that is left of the charts where nothing fills them.
void draw_folded_charts(PanelSurface& surface) {
  const auto device = surface.state().workbench.gpu().device();
  const Variant& active = surface.state().workbench.active();
  const std::string words =
      std::string("No times: ") +
      (active.own ? "your own kernel needs a GPU to be measured"
       : active.is_edited()
           ? "recorded times are for the original kernel; your edited version needs a GPU"
       : !active.factors.empty()
           ? "recorded times are for alpha 1, beta 0 only; other factors need a GPU"
           : "no times were recorded at this size; measuring it needs a GPU") +
      " (" + why_no_gpu(device->error()) + ").";
  const float y = surface.height() / 2;
  surface.fitted(4, surface.width() - 4, y, words, styled(12, ColourRole::kDim));
  surface.explain(
      {0, 0, surface.width(), surface.height()},
      "Throughput charts need measurements: use a machine with an NVIDIA GPU, or connect "
      "one with TILESCOPE_WORKER=\"ssh HOST tilescope worker\".");
}

// Where the points of a chart come from.
std::string origin_of(const WindowState& state, const RateFigure& figure,
                      std::size_t only_otherwise) {
  bool measured = false;
  std::set<std::string> gpus;  // of what is recorded
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      measured |= point.source == Source::kMeasured;
      if (point.source != Source::kMeasured) gpus.insert(short_gpu(point.origin.under.gpu));
    }
  }
  const std::string gpu = fmt::format("{}", fmt::join(gpus, ", "));
  const std::string from = measured && !gpus.empty() ? "measured here, rings recorded on " + gpu
                           : !gpus.empty()           ? "recorded on " + gpu
                                                     : "measured here";
  // First, for it is the last to give way where there is little room.
  const std::string missing = only_otherwise == 0
                                  ? ""
                                  : fmt::format("{} more {} only, ", only_otherwise,
                                                state.workbench.runs().cold() ? "warm" : "cold");
  return missing + from + ", median, p5 to p95";
}

// The unit of all charts, which a click changes; returns the width that it takes.
float draw_unit_choice(PanelSurface& surface, const Rect& area, const RateFigure& figure) {
  WindowState& state = surface.state();
  const Problem problem = problem_of(state.workbench.active());
  const std::string words = figure.scale().word;
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kSemibold);
  const float width = surface.canvas().text_width(words, style);
  const Rect button{area.x - 4, area.y - 4, width + 20, 20};
  const Touch touch = surface.control(
      "unit", button, "The unit of all charts, the ladder and the result. Click to change it.");
  if (touch.hovered) surface.canvas().fill_rect(button, ColourRole::kHover, 4);
  surface.text(area.x, area.y + 6, words, style);
  const float x = area.x + width + 8;
  surface.canvas().line({x - 3, area.y + 5}, {x, area.y + 8}, ColourRole::kDim, 1.3F);
  surface.canvas().line({x, area.y + 8}, {x + 3, area.y + 5}, ColourRole::kDim, 1.3F);
  if (touch.clicked) ImGui::OpenPopup("units");
  if (ImGui::BeginPopup("units")) {
    for (const RateUnit unit : all_rate_units()) {
      const std::string why_not = why_not_in(unit, problem);
      const std::string name = unit == RateUnit::kTime ? std::string("time of a launch")
                               : unit == RateUnit::kFlopPerSecond
                                   ? std::string("FLOP/s")
                                   : scale_for(unit, 0, figure.reference).word;
      if (ImGui::MenuItem(name.c_str(), nullptr, unit == figure.unit, why_not.empty())) {
        state.preferences.rate_unit = unit;
      }
      surface.state().tooltip.offer_for_item(why_not);
    }
    ImGui::EndPopup();
  }
  return width + 18;
}

LinkedChart parameter_chart(WindowState& state) {
  const ParameterSpec* spec = charted_parameter(state);
  return spec != nullptr ? chart_over_parameter(state, *spec) : LinkedChart{};
}

// Where one chart alone has room: nothing will fill the one over the parameter.
bool only_sizes_are_known(WindowState& state) {
  const auto device = state.workbench.gpu().device();
  return device && !device->ok() && parameter_chart(state).series.empty() &&
         !chart_over_size(state).series.empty();
}

// `more`: facts with commas between them, as many as fit.
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

// A chart's title and, where there is something in it, the way to a file at its right end.
void draw_titled(PanelSurface& surface, const Rect& area, const std::string& words,
                 const std::string& more, PictureExport::Subject subject, bool has_points) {
  constexpr float kButton = 56;
  Rect title = area;
  if (has_points && area.w > 240) {
    title.w -= kButton + 8;
    const Rect button{area.right() - kButton, area.y - 4, kButton, 20};
    const Touch touch = surface.control("export chart", button);
    if (touch.hovered) surface.canvas().fill_rect(button, ColourRole::kHover, 5);
    surface.text(button.center().x, area.y + 6, "export",
                 styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kDim,
                        Weight::kRegular, Align::kCenter));
    surface.explain(button, "Saves this chart as a file: SVG, PDF, PNG, CSV or JSON.");
    if (touch.clicked) open_picture_export(surface.state(), subject);
  }
  draw_chart_title(surface, title, words, more);
}

// Of an edited text the chart holds what was measured of that text alone.
std::string edited_words(const Variant& active) {
  return active.entry != nullptr && active.is_edited() ? ", edited text" : "";
}

// The tooltip of a point.
void explain_point(PanelSurface& surface, const std::string& words, const std::string& more) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  surface.state().tooltip.offer(words, {pointer.x, pointer.y, 1, 1}, more);
}

// A figure below its title, and what the pointer does there.
struct TouchedFigure {
  Touch touch;
  Rect plot;                          // empty: there was no room for it
  std::optional<RateSpot> spot = {};  // the point under the pointer
};
TouchedFigure draw_figure(PanelSurface& surface, const Rect& area, const char* id,
                          const RateFigure& figure) {
  ViewContext context;
  context.theme = surface.theme();
  const DrawnRates drawn = draw_rate_figure(
      surface.canvas(), {area.x, area.y + kChartTitle, area.w, area.h - kChartTitle}, context,
      figure, RateFrame::kPlotAlone);
  TouchedFigure touched;
  touched.plot = drawn.plot;
  if (drawn.plot.w <= 0) return touched;
  touched.touch = surface.control(id, drawn.plot.inset(-kReach / 2));
  if (!touched.touch.hovered) return touched;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const RateSpot* spot = drawn.nearest(surface.units({pointer.x, pointer.y}), kReach);
  if (spot != nullptr) {
    touched.spot = *spot;
  } else {
    surface.explain_hit();
  }
  return touched;
}

// A chart of runs: a click on a point sets what it was measured of.
void draw_runs(PanelSurface& surface, const Rect& area, const char* id, RateFigure figure,
               const LinkedChart& chart) {
  WindowState& state = surface.state();
  if (figure.lacks_unit) {
    surface.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                      plain(rate_sentence(figure)), styled(12, ColourRole::kDim));
    return;
  }
  const auto& hovered = state.charts.hovered;
  for (ChartSeries& series : figure.chart.series) {
    for (ChartPoint& point : series.points) point.lit = hovered && *hovered == chart.key(point);
  }
  const TouchedFigure touched = draw_figure(surface, area, id, figure);
  if (!touched.spot) return;
  const ChartSeries& series = figure.chart.series[touched.spot->series];
  const ChartPoint& point = series.points[touched.spot->index];
  const ChartKey& key = chart.key(point);
  state.charts.touched = key;
  explain_point(surface, words_of(figure, *touched.spot),
                describe(key, state.workbench.active()) +
                    (point.chosen ? "" : "\nClick to set these parameters."));
  if (!touched.touch.clicked) return;
  state.workbench.activate(series.variant);
  go_to(state, key);
}

// While something is dragged the axes reach as far as they did since it began.
void hold_axes(HeldAxes& held, RateFigure& figure) {
  const std::string of = fmt::format("{} {}", figure.kernel, option_of(figure.unit));
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) || held.of != of) held = {of};
  held.to = figure.axis_to = std::max(held.to, figure.largest());
  RateChart& chart = figure.chart;
  if (chart.sides.empty()) return;
  const auto [least, most] = std::ranges::minmax(chart.sides);
  held.least_side = held.least_side > 0 ? std::min(held.least_side, least) : least;
  held.most_side = std::max(held.most_side, most);
  chart.least_side = held.least_side;
  chart.most_side = held.most_side;
}

// `right_used`: of the title, by something else.
void draw_over_parameter(PanelSurface& surface, const Rect& area, float right_used) {
  WindowState& state = surface.state();
  const Variant& active = state.workbench.active();
  const ParameterSpec* spec = charted_parameter(state);
  LinkedChart chart = parameter_chart(state);
  const bool has_points = !chart.series.empty();
  RateFigure figure = figure_of(state, spec, std::move(chart));
  if (has_points) hold_axes(state.charts.over_parameter, figure);
  const float used = draw_unit_choice(surface, area, figure);
  draw_titled(
      surface, {area.x + used, area.y, area.w - used - right_used, area.h},
      std::string("over ") + (spec != nullptr ? spec->name : "a parameter") + edited_words(active),
      has_points ? origin_of(state, figure, chart.only_otherwise) : "",
      PictureExport::Subject::kOverParameter, has_points);
  if (spec == nullptr) {
    surface.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                      active.own ? "Only kernels of the ladder have a chart over a parameter. The "
                                   "live chart shows launches of your own kernel."
                                 : "This kernel has no parameters.",
                      styled(12, ColourRole::kDim));
  } else if (!has_points) {
    draw_empty_chart(surface, area, active, chart.only_otherwise > 0);
  } else {
    draw_runs(surface, area, "over parameter", std::move(figure), chart);
  }
}

void draw_over_size(PanelSurface& surface, const Rect& area, float right_used) {
  WindowState& state = surface.state();
  const Variant& active = state.workbench.active();
  LinkedChart chart = chart_over_size(state);
  const bool has_points = !chart.series.empty();
  RateFigure figure = figure_of(state, nullptr, std::move(chart));
  if (has_points) hold_axes(state.charts.over_size, figure);
  const std::string& side = figure.chart.side_name;
  const float used = draw_unit_choice(surface, area, figure);
  draw_titled(surface, {area.x + used, area.y, area.w - used - right_used, area.h},
              (side.empty() ? "over size" : "over size, " + side) + edited_words(active),
              has_points ? origin_of(state, figure, chart.only_otherwise) : "",
              PictureExport::Subject::kOverSize, has_points);
  if (!has_points) {
    draw_empty_chart(surface, area, active, chart.only_otherwise > 0);
  } else {
    draw_runs(surface, area, "over size", std::move(figure), chart);
  }
}

// The launches that the document's file brought, until this window has its own. False: none.
bool draw_opened_live(PanelSurface& surface, const Rect& area) {
  WindowState& state = surface.state();
  if (state.opened == nullptr || !state.workbench.runs().live().empty()) return false;
  const auto kept = chart_figure(state, ChartKind::kLive);
  if (kept == nullptr) return false;
  RateFigure figure = *kept;
  figure.live_source = Source::kRecorded;
  const TouchedFigure touched = draw_figure(surface, area, "live plot", figure);
  if (touched.spot) explain_point(surface, words_of(figure, *touched.spot), {});
  return true;
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
  if (touch.double_clicked) follow_present(state.charts);
}

// Points as they come, uprights where a parameter changed.
void draw_present(PanelSurface& surface, const Rect& area, const RateFigure& figure) {
  WindowState& state = surface.state();
  const TouchedFigure touched = draw_figure(surface, area, "live plot", figure);
  if (touched.plot.w <= 0) return;
  take_wheel_and_drag(state, touched.touch, touched.plot.w * surface.scale());
  if (!touched.spot) return;
  const LiveRate& rate = figure.live[touched.spot->series].rates[touched.spot->index];
  const ChartKey key = key_of(state.workbench.runs().live().instance(rate.launch));
  state.charts.touched = key;
  explain_point(surface, words_of(figure, *touched.spot),
                describe(key, state.workbench.active()) +
                    "\nClick to set these parameters; wheel: zoom; drag: scroll.");
  if (touched.touch.clicked) go_to(state, key);
}

bool has_launches(const WindowState& state) {
  return !state.workbench.runs().live().empty() ||
         (state.opened != nullptr && !state.opened->launches.empty());
}

// "1 point = 1 launch", and where it was if it was not here.
std::string live_words(const WindowState& state) {
  if (!state.workbench.runs().live().empty() || state.opened == nullptr ||
      state.opened->launches.empty()) {
    return "1 point = 1 launch";
  }
  return "recorded on " + short_gpu(state.opened->device.name) + ", " + state.opened->date;
}

void draw_live(PanelSurface& surface, const Rect& area, float right_used) {
  const WindowState& state = surface.state();
  const RateFigure figure =
      state.workbench.runs().live().empty() ? RateFigure{} : present_figure(state);
  const bool has_values =
      figure.over == RateFigure::Over::kTime && (!figure.empty() || figure.live_most > 0);
  draw_titled(surface, {area.x, area.y, area.w - right_used, area.h},
              has_values ? "Live, " + figure.scale().word : "Live", live_words(state),
              PictureExport::Subject::kLive, has_launches(state));
  if (has_values) {
    draw_present(surface, area, figure);
  } else if (!draw_opened_live(surface, area)) {
    draw_empty_live(surface, area, state.workbench.active());
  }
}

// One chart with the words at its right end that change it for another.
void draw_chosen(PanelSurface& surface, const Rect& area, ChartKind shown,
                 std::span<const ChartChoice> choices) {
  float used = draw_chart_choice(surface, area, shown, choices);
  used += draw_l2_choice(surface, {area.x, area.y, area.w - used - 8, area.h}) + 8;
  switch (shown) {
    case ChartKind::kLive:
      return draw_live(surface, area, used);
    case ChartKind::kOverSize:
      return draw_over_size(surface, area, used);
    case ChartKind::kOverParameter:
      return draw_over_parameter(surface, area, used);
  }
}

}  // namespace

void draw_throughput_panel(WindowState& state) {
  PanelSurface surface(state);
  const float height = surface.height();
  if (state.charts.folded.value_or(false) && height < kFoldedRow) {
    draw_folded_charts(surface);
    surface.finish(0);
    return;
  }
  if (state.charts.touched != state.charts.hovered) state.frame_wanted = true;
  state.charts.hovered = std::exchange(state.charts.touched, std::nullopt);
  const std::span choices = chart_choices();
  const auto& chosen = state.charts.chosen;
  if (surface.width() < 760) {
    const ChartKind usual =
        only_sizes_are_known(state) ? ChartKind::kOverSize : ChartKind::kOverParameter;
    draw_chosen(surface, {4, 0, surface.width() - 8, height}, chosen.value_or(usual), choices);
    surface.finish(0);
    return;
  }
  const float half = (surface.width() - 44) / 2;
  ImGui::PushID("left");
  draw_over_parameter(surface, {4, 0, half, height}, 0);
  ImGui::PopID();
  // Without a device nothing is live: what is known over the size stands there instead.
  const auto device = state.workbench.gpu().device();
  const bool live = chosen && *chosen != ChartKind::kOverParameter ? *chosen == ChartKind::kLive
                                                                   : !device || device->ok();
  ImGui::PushID("right");
  draw_chosen(surface, {4 + half + 36, 0, half, height},
              live ? ChartKind::kLive : ChartKind::kOverSize, choices.first(2));
  ImGui::PopID();
  surface.finish(0);  // the charts leave the cursor past the panel's end
}

}  // namespace tilescope
