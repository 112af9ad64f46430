#include "ui/panels/result_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/messages.h"
#include "store/recorded_library.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

constexpr float kLegendHeight = 16;

float draw_row(PanelSurface& surface, float y, const std::string& fact, const std::string& more,
               bool wrong = false) {
  const TextStyle style =
      styled(13, wrong ? ColourRole::kExcess : ColourRole::kStrong, Weight::kMedium);
  surface.text(0, y, fact, style);
  const float end = surface.canvas().text_width(fact, style) + 16;
  const TextStyle right = styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  if (end + surface.canvas().text_width(more, right) <= surface.width()) {
    surface.text(surface.width(), y, more, right);
  }
  return y + (surface.height() < 220 ? 18.0F : 27.0F);
}

std::string error_words(const RunResult& result) {
  return *result.max_error == 0 ? std::string("result correct")
                                : fmt::format("max error {:.2g}", *result.max_error);
}

// What is worth knowing of the clock during the samples.
std::string clock_words(const MeasuredConditions& conditions) {
  if (conditions.all_throttled) return "throttled: " + throttle_text(conditions.throttle_reasons);
  if (conditions.clock_moved()) {
    return "moved from " + format(*conditions.sm_clock_before_hz, Unit::kHertz);
  }
  if (conditions.throttled_samples > 0) {
    return format_count(static_cast<std::uint64_t>(conditions.throttled_samples)) +
           " throttled samples dropped";
  }
  return "not throttled";
}

// "cold L2", and "57 launches, median known to 0.2 %" as far as there is room.
float draw_samples(PanelSurface& surface, float y, const RunResult& result) {
  const TimeSummary& times = result.kernel;
  const std::string launches = format_count(static_cast<std::uint64_t>(times.count)) +
                               (times.count == 1 ? " launch" : " launches");
  const std::string certainty = certainty_text(times);
  const std::string full = certainty.empty() ? launches : launches + ", median ± " + certainty;
  const float room = surface.width() - 80;
  const bool fits = surface.canvas().text_width(full, styled(12)) <= room;
  surface.explain({0, y - 10, surface.width(), 20},
                  certainty.empty() ? launches + ": too few for the error of the median" : full);
  return draw_row(surface, y, result.cold ? "cold L2" : "warm L2", fits ? full : launches);
}

// "cuBLAS SGEMM, FP32: 176 µs, p5 175 µs, p95 179 µs of 57 launches, median known to 0.2 %"
std::string reference_words(const RunResult& result) {
  const TimeSummary& times = *result.reference;
  const std::string certainty = certainty_text(times);
  return result.reference_name + ": " + format(times.median_seconds, Unit::kSeconds) + ", p5 " +
         format(times.p5_seconds, Unit::kSeconds) + ", p95 " +
         format(times.p95_seconds, Unit::kSeconds) + " of " +
         format_count(static_cast<std::uint64_t>(times.count)) + " launches" +
         (certainty.empty() ? "" : ", median ± " + certainty);
}

// "2 M N K"
std::string flop_words(const Problem& problem) {
  std::string words = problem->flop;
  for (std::size_t at = words.find(" * "); at != std::string::npos; at = words.find(" * ", at)) {
    words.erase(at + 1, 2);
  }
  return words;
}

// `where`: the GPU and date of a recorded run, longest wording first; empty for one of this
// run of the program.
void draw_rates(PanelSurface& surface, const Variant& variant, const RunResult& result,
                Source source, const std::vector<std::string>& where) {
  const Problem problem = problem_of(variant);
  const Unit unit = rate_unit(problem);
  const double rate = rate_of(problem, result, result.kernel.median_seconds);
  const Workbench& workbench = surface.state().workbench;
  const double peak =
      peak_rate(variant, source == Source::kRecorded ? workbench.device_model(source)
                                                     : workbench.device_model(variant));
  const double reference = result.reference && result.reference->median_seconds > 0
                               ? rate_of(problem, result, result.reference->median_seconds)
                               : 0;
  const RateBasis basis = basis_of(problem, {result.flop, result.bytes}, peak, reference);
  RateUnit shown = shown_unit(surface.state(), problem);
  const RateUnit own = own_unit(problem);
  if (!in_unit(rate, shown, basis)) shown = own;
  std::string figure = format_in(in_unit(rate, shown, basis).value_or(0), shown);
  if (shown == RateUnit::kPeakShare) figure += " of peak";
  if (shown == RateUnit::kReferenceShare) figure += " of " + short_reference(result.reference_name);
  if (basis.own <= 0) figure = format(result.kernel.median_seconds, Unit::kSeconds);
  float y = 12;
  surface.text(0, y, figure, styled(22, ColourRole::kStrong, Weight::kBold));
  surface.mark({surface.width() - 6, y}, source, ColourRole::kText);
  const TextStyle where_style = styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float rate_end = surface.canvas().text_width(figure, styled(22, {}, Weight::kBold)) + 16;
  for (const std::string& words : where) {  // the longest that fits
    if (rate_end + surface.canvas().text_width(words, where_style) > surface.width() - 16) continue;
    surface.text(surface.width() - 16, y, words, where_style);
    break;
  }
  y += surface.height() < 220 ? 24.0F : 34.0F;
  if (shown != own && basis.own > 0) {
    y = draw_row(
        surface, y, format(rate, unit),
        unit == Unit::kFlopPerSecond ? flop_words(problem) + " per launch" : "each byte once");
  }
  if (reference > 0 && shown != RateUnit::kReferenceShare) {
    surface.explain({0, y - 10, surface.width(), 20}, reference_words(result));
    y = draw_row(surface, y,
                 format(100 * rate / reference, Unit::kPercent) + " of " +
                     short_reference(result.reference_name),
                 "measured in the same run, alternating");
  }
  // Of a file no problem is known, and so no rate.
  if (rate > 0 && peak > 0 && shown != RateUnit::kPeakShare) {
    y = draw_row(surface, y, format(100 * rate / peak, Unit::kPercent) + " of peak",
                 format(peak, unit));
  }
  if (shown != RateUnit::kTime) {
    y = draw_row(surface, y, format(result.kernel.median_seconds, Unit::kSeconds),
                 "p5 " + format(result.kernel.p5_seconds, Unit::kSeconds) + "  p95 " +
                     format(result.kernel.p95_seconds, Unit::kSeconds));
  }
  if (result.max_error) {
    y = draw_row(surface, y, error_words(result),
                 (result.correct ? "" : "WRONG: ") +
                     (result.tolerance == 0 ? std::string("bit-exact")
                                            : fmt::format("tolerance {:.2g}", result.tolerance)),
                 !result.correct);
  }
  const MeasuredConditions& conditions = result.conditions;
  if (conditions.sm_clock_after_hz) {
    const float row = y;
    y = draw_row(surface, y, "SM " + format(*conditions.sm_clock_after_hz, Unit::kHertz),
                 clock_words(conditions), is_doubtful(conditions));
    surface.explain({0, row - 10, surface.width(), 20}, conditions_text(conditions));
  }
  y = draw_samples(surface, y, result);
  const auto fits = [&] { return y + 10 < surface.height() - kLegendHeight; };
  const auto problem_keeping = surface.state().workbench.history_problem();
  if (source == Source::kMeasured && problem_keeping && fits()) {
    const float row = y;
    y = draw_row(surface, y, "not kept in the history", "", true);
    surface.explain({0, row - 10, surface.width(), 20}, to_string(*problem_keeping));
  }
  const PublishedFigure* published =
      variant.entry == nullptr
          ? nullptr
          : surface.state().recorded.published(*variant.entry, variant.parameters, variant.extents,
                                               variant.factors);
  if (published != nullptr && fits()) {
    draw_row(surface, y,
             format(rate_of(problem, *published), unit) + " on " + short_gpu(published->gpu),
             "published");
  }
}

// Whether a time of this is on record, but with the L2 otherwise.
bool is_recorded_otherwise(const WindowState& state, const Variant& variant) {
  if (variant.entry == nullptr || variant.edited) return false;
  return state.recorded.find(*variant.entry, variant.parameters, variant.extents,
                             !state.workbench.runs().cold(), variant.factors) != nullptr;
}

// What is known without a GPU: the work, exact, and that a rate needs a device.
void draw_unmeasured(PanelSurface& surface, const Variant& variant) {
  const auto device = surface.state().workbench.gpu().device();
  float y = 12;
  const bool failed = variant.measure_error.has_value();
  const std::string head = failed                                               ? "measuring failed"
                           : variant.measure_pending                            ? "measuring …"
                           : device && !device->ok()                            ? "not measured"
                           : !variant.not_here.empty()                          ? "not on this GPU"
                           : !surface.state().workbench.runs().kind_of(variant) ? "not measured"
                           : !surface.state().workbench.may_run(variant) ? "not run on the GPU"
                                                                         : "no measurement yet";
  surface.text(0, y, head,
               styled(15, failed ? ColourRole::kExcess : ColourRole::kDim, Weight::kSemibold));
  y += 28;
  if (failed) {
    y = surface.paragraph(0, y, surface.width(), to_string(*variant.measure_error),
                          styled(12, ColourRole::kText)) +
        6;
  } else if (device && !device->ok() && variant.gpu.empty()) {
    y = surface.paragraph(0, y, surface.width(), "No GPU: " + why_no_gpu(device->error()) + ".",
                          styled(12)) +
        6;
  }
  if (!variant.gpu.empty() && !surface.state().workbench.runs().kind_of(variant)) {
    y = surface.paragraph(0, y, surface.width(),
                          fmt::format("No worker has an {}; Compare has the time model's estimate.",
                                      surface.state().workbench.device_model(variant).name),
                          styled(12)) +
        6;
  }
  if (!variant.not_here.empty()) {
    y = surface.paragraph(0, y, surface.width(), variant.not_here + ".", styled(12)) + 6;
  }
  if (variant.gpu.empty() && is_recorded_otherwise(surface.state(), variant)) {
    const bool cold = surface.state().workbench.runs().cold();
    y = surface.paragraph(0, y, surface.width(),
                          std::string("Recorded with a ") + (cold ? "warm" : "cold") + " L2 alone.",
                          styled(12)) +
        6;
  }
  if (variant.study == nullptr) return;
  const ProblemCost cost = problem_cost(variant.study->instance);
  if (variant.study->instance.rated_in_flop()) {
    y = draw_row(surface, y, format_count(static_cast<std::uint64_t>(cost.flop)) + " flop",
                 flop_words(problem_of(variant)));
  }
  if (cost.bytes > 0) {
    draw_row(surface, y, format(cost.bytes, Unit::kBytes),
             "each input read, each output written once");
  }
}

}  // namespace

void draw_result_panel(WindowState& state) {
  PanelSurface surface(state);
  const Variant& variant = state.workbench.active();
  if (surface.height() < kFoldedRow) {
    surface.source_legend(surface.height() / 2);
    return;
  }
  const Measurement* recorded = nullptr;
  if (!variant.measured && !variant.measure_error && variant.entry != nullptr && !variant.edited) {
    recorded = state.recorded.find(*variant.entry, variant.parameters, variant.extents,
                                   state.workbench.runs().cold(), variant.factors);
    const bool of_another = recorded != nullptr && !variant.gpu.empty() &&
                            recorded->machine.gpu != state.workbench.device_model(variant).name;
    if (of_another) recorded = nullptr;
  }
  if (variant.measured) {
    draw_rates(surface, variant, *variant.measured, Source::kMeasured, {});
  } else if (recorded != nullptr) {
    draw_rates(surface, variant, recorded->result, Source::kRecorded,
               {recorded->machine.gpu + ", " + recorded->date, recorded->machine.gpu});
  } else {
    draw_unmeasured(surface, variant);
  }
  surface.source_legend(surface.height() - 8);
}

}  // namespace tilescope
