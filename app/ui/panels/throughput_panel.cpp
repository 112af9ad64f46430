#include "ui/panels/throughput_panel.h"

#include <fmt/format.h>
#include <imgui.h>

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
#include "ui/charts/chart_frame.h"
#include "ui/charts/live_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/state/chart_data.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

struct ChartChoice {
  ChartKind kind;
  const char* id;
  const char* word;
  const char* meaning;
};
// The charts that one place may show, the last one where it is the only place.
[[nodiscard]] std::span<const ChartChoice> chart_choices();

// Words at the right end of a chart's title, of which the one that holds is strong and a click
// takes another: the chart that stands there, and whether the L2 is cold or warm. They give the
// width that they take.
float draw_chart_choice(Sheet& sheet, const Rect& area, ChartKind shown,
                        std::span<const ChartChoice> choices);
float draw_l2_choice(Sheet& sheet, const Rect& area);

constexpr std::array kChoices{
    ChartChoice{ChartKind::kLive, "show live", "Live",
                "Throughput over time, one point per launch."},
    ChartChoice{ChartKind::kOverSize, "show size", "Size",
                "Throughput over the problem size, with these parameters."},
    ChartChoice{ChartKind::kOverParameter, "show parameter", "Parameter",
                "Throughput over the slider used last."}};

struct Word {
  const char* id;
  const char* text;
  const char* meaning;
  bool holds;
};

// Ends at `right`; true: it was clicked. Moves `right` to where the next one may end.
bool draw_word(Sheet& sheet, const Rect& area, const Word& word, float* right) {
  const TextStyle style = styled(12, word.holds ? ColourRole::kStrong : ColourRole::kDim,
                                 Weight::kMedium, Align::kRight);
  const float width = sheet.canvas().text_width(word.text, style);
  const Rect button{*right - width - 6, area.y - 4, width + 12, 20};
  const Touch touch = sheet.control(word.id, button);
  sheet.text(*right, area.y + 6, word.text, style);
  if (word.holds) {
    sheet.canvas().fill_rect({*right - width, area.y + 15, width, 2}, ColourRole::kFirst, 0);
  }
  sheet.explain(button, word.meaning);
  *right -= width + 16;
  return touch.clicked;
}

std::span<const ChartChoice> chart_choices() { return kChoices; }

float draw_chart_choice(Sheet& sheet, const Rect& area, ChartKind shown,
                        std::span<const ChartChoice> choices) {
  float right = area.right();
  for (const ChartChoice& choice : choices) {
    const Word word{choice.id, choice.word, choice.meaning, choice.kind == shown};
    if (draw_word(sheet, area, word, &right)) sheet.desk().charts.chosen = choice.kind;
  }
  return area.right() - right;
}

float draw_l2_choice(Sheet& sheet, const Rect& area) {
  Workbench& bench = sheet.desk().bench;
  float right = area.right();
  const bool cold = bench.cold();
  if (draw_word(sheet, area,
                {"warm L2", "warm", "Each launch finds the L2 as the same launch left it.", !cold},
                &right)) {
    bench.set_cold(false);
  }
  if (draw_word(
          sheet, area,
          {"cold L2", "L2 cold", "The L2 is overwritten before each launch that is timed.", cold},
          &right)) {
    bench.set_cold(true);
  }
  return area.right() - right + 8;
}

// What stands in the place of charts of throughput that have nothing in them.

// Why a chart is empty, and what would fill it. `otherwise`: it would not be, with the L2 in the
// other state.
void draw_empty_chart(Sheet& sheet, const Rect& area, const Variant& variant,
                      bool otherwise = false);
// The same of the live chart: what was measured long ago or is recorded does not fill it.
void draw_empty_live(Sheet& sheet, const Rect& area, const Variant& variant);
// All that is left of the charts where nothing fills them.
void draw_folded_charts(Sheet& sheet);

// "with a cold L2": how nothing is measured now.
std::string otherwise_words(const Desk& desk) {
  return std::string("with a ") + (desk.bench.cold() ? "warm" : "cold") + " L2";
}

void draw_empty_chart(Sheet& sheet, const Rect& area, const Variant& variant, bool otherwise) {
  const auto device = sheet.desk().bench.gpu().device();
  const std::string unrecorded =
      otherwise ? "what was recorded of it was " + otherwise_words(sheet.desk()) + " alone."
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
  } else if (!sheet.desk().bench.may_run(variant)) {
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
      sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F), words,
                      styled(12, failed ? ColourRole::kExcess : ColourRole::kDim));
  if (!device || !device->ok() || variant.measure_pending || variant.study == nullptr ||
      !variant.not_here.empty())
    return;
  Workbench& bench = sheet.desk().bench;
  const Rect button{area.x, y + 4, 120, 26};
  if (!bench.may_run(variant)) {
    if (sheet.push("allow", button, "Run on the GPU")) bench.allow_gpu();
    sheet.explain(button, "Allows the texts of all variants to run on the GPU from now on.");
  } else if (sheet.push("measure", button, "Measure now")) {
    bench.measure_again();
  } else {
    sheet.explain(button, "Times this launch on the GPU (F5).");
  }
}

void draw_empty_live(Sheet& sheet, const Rect& area, const Variant& variant) {
  const auto device = sheet.desk().bench.gpu().device();
  if (!device || device->ok()) {
    draw_empty_chart(sheet, area, variant);
    return;
  }
  sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                  "No GPU: " + why_no_gpu(device->error()) +
                      ". This chart needs measurements: use a machine with an NVIDIA GPU, or "
                      "connect one with TILESCOPE_WORKER=\"ssh HOST tilescope worker\".",
                  styled(12, ColourRole::kDim));
}

void draw_folded_charts(Sheet& sheet) {
  const auto device = sheet.desk().bench.gpu().device();
  const Variant& active = sheet.desk().bench.active();
  const std::string words =
      std::string("No times: ") +
      (active.own ? "your own kernel needs a GPU to be measured"
       : active.is_edited()
           ? "recorded times are for the original kernel; your edited version needs a GPU"
       : !active.factors.empty()
           ? "recorded times are for alpha 1, beta 0 only; other factors need a GPU"
           : "no times were recorded at this size; measuring it needs a GPU") +
      " (" + why_no_gpu(device->error()) + ").";
  const float y = sheet.height() / 2;
  sheet.fitted(4, sheet.width() - 4, y, words, styled(12, ColourRole::kDim));
  sheet.explain({0, 0, sheet.width(), sheet.height()},
                "Throughput charts need measurements: use a machine with an NVIDIA GPU, or connect "
                "one with TILESCOPE_WORKER=\"ssh HOST tilescope worker\".");
}

// Where the points of a chart come from.
std::string origin_of(const Desk& desk, const LinkedChart& chart) {
  bool measured = false;
  std::set<std::string> gpus;  // of what is recorded
  for (const ChartSeries& series : chart.series) {
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
  const std::string missing = chart.only_otherwise == 0
                                  ? ""
                                  : fmt::format("{} more {} only, ", chart.only_otherwise,
                                                desk.bench.cold() ? "warm" : "cold");
  return missing + from + ", median, p5 to p95";
}

// The unit of all charts, which a click changes; returns the width that it takes.
float draw_unit_choice(Sheet& sheet, const Rect& area, const LinkedChart& chart) {
  Desk& desk = sheet.desk();
  const Problem problem = problem_of(desk.bench.active());
  const RateUnit shown = shown_unit(desk, problem);
  const std::string reference = reference_beside(desk.bench.active());
  const std::string words = scale_of(desk, chart, reference).word;
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kSemibold);
  const float width = sheet.canvas().text_width(words, style);
  const Rect button{area.x - 4, area.y - 4, width + 20, 20};
  const Touch touch = sheet.control(
      "unit", button, "The unit of all charts, the ladder and the result. Click to change it.");
  if (touch.hovered) sheet.canvas().fill_rect(button, ColourRole::kHover, 4);
  sheet.text(area.x, area.y + 6, words, style);
  const float x = area.x + width + 8;
  sheet.canvas().line({x - 3, area.y + 5}, {x, area.y + 8}, ColourRole::kDim, 1.3F);
  sheet.canvas().line({x, area.y + 8}, {x + 3, area.y + 5}, ColourRole::kDim, 1.3F);
  if (touch.clicked) ImGui::OpenPopup("units");
  if (ImGui::BeginPopup("units")) {
    for (const RateUnit unit : all_rate_units()) {
      const std::string why_not = why_not_in(unit, problem);
      const std::string name = unit == RateUnit::kTime ? std::string("time of a launch")
                               : unit == RateUnit::kFlopPerSecond
                                   ? std::string("FLOP/s")
                                   : scale_for(unit, 0, reference).word;
      if (ImGui::MenuItem(name.c_str(), nullptr, unit == shown, why_not.empty())) {
        desk.preferences.rate_unit = unit;
      }
      if (!why_not.empty()) ImGui::SetItemTooltip("%s", why_not.c_str());
    }
    ImGui::EndPopup();
  }
  return width + 18;
}

LinkedChart parameter_chart(Desk& desk) {
  const ParameterSpec* spec = charted_parameter(desk);
  return spec != nullptr ? chart_over_parameter(desk, *spec) : LinkedChart{};
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
  if (has_points && area.w > 240) {
    title.w -= kButton + 8;
    const Rect button{area.right() - kButton, area.y - 4, kButton, 20};
    const Touch touch = sheet.control("export chart", button);
    if (touch.hovered) sheet.canvas().fill_rect(button, ColourRole::kHover, 5);
    sheet.text(button.center().x, area.y + 6, "export",
               styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kDim, Weight::kRegular,
                      Align::kCenter));
    sheet.explain(button, "Saves this chart as a file: SVG, PDF, PNG, CSV or JSON.");
    if (touch.clicked) open_picture_export(sheet.desk(), subject);
  }
  draw_chart_title(sheet, title, words, more);
}

// Of an edited text the chart holds what was measured of that text alone.
std::string edited_words(const Variant& active) {
  return active.entry != nullptr && active.is_edited() ? ", edited text" : "";
}

// `right_used`: of the title, by something else.
void draw_over_parameter(Sheet& sheet, const Rect& area, float right_used) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const ParameterSpec* spec = charted_parameter(desk);
  const LinkedChart chart = parameter_chart(desk);
  const float used = draw_unit_choice(sheet, area, chart);
  draw_titled(
      sheet, {area.x + used, area.y, area.w - used - right_used, area.h},
      std::string("over ") + (spec != nullptr ? spec->name : "a parameter") + edited_words(active),
      chart.series.empty() ? "" : origin_of(desk, chart), PictureExport::Subject::kOverParameter,
      !chart.series.empty());
  if (spec == nullptr) {
    sheet.paragraph(area.x, area.y + kChartTitle + 12, std::min(area.w, 420.0F),
                    active.own ? "Only kernels of the ladder have a chart over a parameter. The "
                                 "live chart shows launches of your own kernel."
                               : "This kernel has no parameters.",
                    styled(12, ColourRole::kDim));
  } else if (chart.series.empty()) {
    draw_empty_chart(sheet, area, active, chart.only_otherwise > 0);
  } else {
    draw_rate_chart(sheet, area, "over parameter", chart, reference_beside(active));
  }
}

void draw_over_size(Sheet& sheet, const Rect& area, float right_used) {
  Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const LinkedChart chart = chart_over_size(desk);
  const float used = draw_unit_choice(sheet, area, chart);
  draw_titled(sheet, {area.x + used, area.y, area.w - used - right_used, area.h},
              (chart.side_name.empty() ? "over size" : "over size, " + chart.side_name) +
                  edited_words(active),
              chart.series.empty() ? "" : origin_of(desk, chart), PictureExport::Subject::kOverSize,
              !chart.series.empty());
  if (chart.series.empty()) {
    draw_empty_chart(sheet, area, active, chart.only_otherwise > 0);
  } else {
    draw_rate_chart(sheet, area, "over size", chart, reference_beside(active));
  }
}

// The launches that the document's file brought, until this sitting has its own. False: none.
bool draw_opened_live(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  if (desk.opened == nullptr || !desk.bench.live().empty()) return false;
  const auto kept = chart_figure(desk, ChartKind::kLive);
  if (kept == nullptr) return false;
  RateFigure figure = *kept;
  figure.live_source = Source::kRecorded;
  ViewContext context;
  context.theme = desk.theme();
  draw_rate_figure(sheet.canvas(), {area.x, area.y + kChartTitle, area.w, area.h - kChartTitle},
                   context, figure);
  return true;
}

bool has_launches(const Desk& desk) {
  return !desk.bench.live().empty() || (desk.opened != nullptr && !desk.opened->launches.empty());
}

// "1 point = 1 launch", and where it was if it was not here.
std::string live_words(const Desk& desk) {
  if (!desk.bench.live().empty() || desk.opened == nullptr || desk.opened->launches.empty()) {
    return "1 point = 1 launch";
  }
  return "recorded on " + short_gpu(desk.opened->device.name) + ", " + desk.opened->date;
}

void draw_live(Sheet& sheet, const Rect& area, float right_used) {
  const Desk& desk = sheet.desk();
  const Variant& active = desk.bench.active();
  const std::string unit = live_unit_word(desk, reference_beside(active));
  draw_titled(sheet, {area.x, area.y, area.w - right_used, area.h},
              unit.empty() ? "Live" : "Live, " + unit, live_words(desk),
              PictureExport::Subject::kLive, has_launches(desk));
  if (draw_live_chart(sheet, area, reference_beside(active))) return;
  if (!draw_opened_live(sheet, area)) draw_empty_live(sheet, area, active);
}

// One chart with the words at its right end that change it for another.
void draw_chosen(Sheet& sheet, const Rect& area, ChartKind shown,
                 std::span<const ChartChoice> choices) {
  float used = draw_chart_choice(sheet, area, shown, choices);
  used += draw_l2_choice(sheet, {area.x, area.y, area.w - used - 8, area.h}) + 8;
  switch (shown) {
    case ChartKind::kLive:
      return draw_live(sheet, area, used);
    case ChartKind::kOverSize:
      return draw_over_size(sheet, area, used);
    case ChartKind::kOverParameter:
      return draw_over_parameter(sheet, area, used);
  }
}

}  // namespace

void draw_throughput_panel(Desk& desk) {
  Sheet sheet(desk);
  const float height = sheet.height();
  if (desk.charts.folded.value_or(false) && height < kFoldedRow) {
    draw_folded_charts(sheet);
    sheet.finish(0);
    return;
  }
  if (desk.charts.touched != desk.charts.hovered) desk.frame_wanted = true;
  desk.charts.hovered = std::exchange(desk.charts.touched, std::nullopt);
  const std::span choices = chart_choices();
  const auto& chosen = desk.charts.chosen;
  if (sheet.width() < 760) {
    const ChartKind usual =
        only_sizes_are_known(desk) ? ChartKind::kOverSize : ChartKind::kOverParameter;
    draw_chosen(sheet, {4, 0, sheet.width() - 8, height}, chosen.value_or(usual), choices);
    sheet.finish(0);
    return;
  }
  const float half = (sheet.width() - 44) / 2;
  ImGui::PushID("left");
  draw_over_parameter(sheet, {4, 0, half, height}, 0);
  ImGui::PopID();
  // Without a device nothing is live: what is known over the size stands there instead.
  const auto device = desk.bench.gpu().device();
  const bool live = chosen && *chosen != ChartKind::kOverParameter ? *chosen == ChartKind::kLive
                                                                   : !device || device->ok();
  ImGui::PushID("right");
  draw_chosen(sheet, {4 + half + 36, 0, half, height},
              live ? ChartKind::kLive : ChartKind::kOverSize, choices.first(2));
  ImGui::PopID();
  sheet.finish(0);  // the charts leave the cursor past the panel's end
}

}  // namespace tilescope
