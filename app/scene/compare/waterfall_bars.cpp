#include "scene/compare/waterfall_bars.h"

#include <fmt/format.h>

#include <cmath>

#include "core/unit_symbol.h"

namespace tilescope {

std::string waterfall_unit(Unit unit) {
  return unit == Unit::kNone ? "launches/s" : std::string(axis_unit(unit).word);
}

namespace {

std::string figure(double rate, Unit unit) {
  return format(rate / axis_unit(unit).divisor, Unit::kNone);
}
std::string with_unit(double rate, Unit unit) {
  return figure(rate, unit) + " " + waterfall_unit(unit);
}

std::string signed_figure(double change, Unit unit) {
  return (change < 0 ? "−" : "+") + figure(std::abs(change), unit);
}
std::string gain_words(double ratio) {
  if (std::abs(ratio - 1) < 0.005) return "=";
  if (ratio > 0.87 && ratio < 1.15) {
    return (ratio < 1 ? "−" : "+") + about_percent_words(std::abs(ratio - 1));
  }
  return ratio >= 1 ? times_words(ratio) : "÷ " + ratio_words(1 / ratio);
}

WaterfallBar bar_of(const WaterfallStep& step, double before, Unit unit) {
  WaterfallBar bar{step.name,
                   step.key,
                   WaterfallBar::Kind::kFirst,
                   before,
                   step.rate,
                   step.source,
                   step.looked_at,
                   {},
                   {},
                   {}};
  const std::string reached =
      fmt::format("{}: {} {}", step.name, with_unit(step.rate, unit), name_of(step.source));
  if (!step.on) {
    bar.kind = WaterfallBar::Kind::kOff;
    bar.tooltip = reached + ". It is off: a click takes it in again.";
    return bar;
  }
  if (before <= 0) {
    bar.absolute = figure(step.rate, unit);
    bar.tooltip = reached + ". The first step; a click takes it out.";
    return bar;
  }
  bar.kind = step.rate >= before ? WaterfallBar::Kind::kGain : WaterfallBar::Kind::kLoss;
  bar.absolute = signed_figure(step.rate - before, unit);
  bar.relative = gain_words(step.rate / before);
  bar.tooltip = fmt::format(
      "{}, {} or {} on the step before. A click takes it out.", reached,
      with_unit(std::abs(step.rate - before), unit) + (step.rate >= before ? " more" : " less"),
      bar.relative);
  return bar;
}

}  // namespace

std::vector<WaterfallBar> waterfall_bars(const Waterfall& waterfall) {
  std::vector<WaterfallBar> bars;
  double before = 0;
  for (const WaterfallStep& step : waterfall.steps) {
    bars.push_back(bar_of(step, before, waterfall.unit));
    if (step.on) before = step.rate;
  }
  if (waterfall.reference <= 0 || before <= 0) return bars;
  const Unit unit = waterfall.unit;
  const double left = waterfall.reference - before;
  if (left > 0.005 * waterfall.reference) {
    bars.push_back({"left to gain",
                    {},
                    WaterfallBar::Kind::kLeft,
                    before,
                    waterfall.reference,
                    waterfall.reference_source,
                    false,
                    signed_figure(left, unit),
                    gain_words(waterfall.reference / before),
                    fmt::format("{} are left to {}'s {}.", with_unit(left, unit),
                                waterfall.reference_name, with_unit(waterfall.reference, unit))});
  }
  bars.push_back(
      {waterfall.reference_name,
       {},
       WaterfallBar::Kind::kReference,
       0,
       waterfall.reference,
       waterfall.reference_source,
       false,
       figure(waterfall.reference, unit),
       {},
       fmt::format("{}: {} {}, timed in turn with the kernel.", waterfall.reference_name,
                   with_unit(waterfall.reference, unit), name_of(waterfall.reference_source))});
  return bars;
}

}  // namespace tilescope
