#include "scene/rates/rate_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "core/quantity.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/rates/rate_chart_data.h"

namespace tilescope {
namespace {

// "TILE_K 16", "size 2048"
std::string place_of(const RateFigure& figure, const ChartPoint& point) {
  const std::string what =
      figure.over == RateFigure::Over::kParameter ? figure.parameter : std::string("size");
  return what + " " + figure.chart.labels[static_cast<std::size_t>(point.x)];
}

const ChartSeries* active_series(const RateFigure& figure) {
  // Those under the chart's own conditions come first.
  const auto found = std::ranges::find(figure.chart.series, figure.active, &ChartSeries::variant);
  if (found != figure.chart.series.end()) return &*found;
  return figure.chart.series.empty() ? nullptr : &figure.chart.series.front();
}

// "cuBLAS", "the device copy"
std::string spoken(const std::string& reference) {
  return reference.starts_with("cuBLAS") ? reference : "the " + reference;
}

bool less_is_faster(const RateFigure& figure) { return figure.unit == RateUnit::kTime; }

// "46.8 TFLOP/s, 70.1 % of cuBLAS"
std::string beside_reference(const RateFigure& figure, double value, double reference) {
  std::string words = figure.words(value);
  if (reference <= 0 || figure.unit == RateUnit::kReferenceShare) return words;
  const double share = less_is_faster(figure) ? reference / value : value / reference;
  return words + fmt::format(", {} of {}{}", format(100 * share, Unit::kPercent),
                             spoken(figure.reference), less_is_faster(figure) ? "'s speed" : "");
}

// What its values are, as files of numbers name them.
std::string quantity(const RateFigure& figure) {
  switch (figure.unit) {
    case RateUnit::kTime:
      return "time";
    case RateUnit::kPeakShare:
      return "share of the peak";
    case RateUnit::kReferenceShare:
      return "share of " + figure.reference;
    case RateUnit::kFlopPerSecond:
    case RateUnit::kBytesPerSecond:
      break;
  }
  return "rate";
}

// What the origins say, each once, in alphabetical order.
template <typename What>
std::string joined(const std::vector<ChartPoint::Origin>& origins, What what) {
  std::set<std::string> words;
  for (const ChartPoint::Origin& origin : origins) {
    if (std::string word = std::invoke(what, origin); !word.empty()) words.insert(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Of what was measured or published, and of the references that are not far above it.
double largest_of(const RateFigure& figure) {
  double most = 0;
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      most = std::max({most, point.high, point.recorded});
    }
  }
  for (const ChartMark& mark : figure.chart.marks) most = std::max(most, mark.rate);
  for (const LiveSeries& series : figure.live) {
    for (const LiveRate& rate : series.rates) most = std::max(most, rate.rate);
  }
  if (most == 0) most = figure.live_most;
  const double reference = std::max(figure.live_reference, largest(figure.references()));
  return most == 0 || is_within_sight(reference, most) ? std::max(most, reference) : most;
}

// "the last minute", "the last 15 s", "10 s that ended 2.0 min before the last launch"
std::string stretch_words(const RateFigure& figure) {
  const std::string span = ago_words(figure.live_seconds).substr(1);
  if (figure.live_back >= 0.5) {
    return fmt::format("{} that ended {} before the last launch", span,
                       ago_words(figure.live_back).substr(1));
  }
  return figure.live_seconds == 60 ? "the last minute" : "the last " + span;
}

Sentence live_sentence(const RateFigure& figure) {
  std::size_t launches = 0;
  for (const LiveSeries& series : figure.live) {
    launches += series.rates.size();
  }
  const auto last = std::ranges::find_if(figure.live, [&](const LiveSeries& series) {
    return series.variant == figure.active && !series.rates.empty();
  });
  Sentence sentence = {{fmt::format("{} launch{} of {}, one point each. ", format_count(launches),
                                    launches == 1 ? "" : "es", stretch_words(figure)),
                        false}};
  if (last == figure.live.end()) return sentence;
  sentence.push_back(
      {fmt::format("The most recent of {} {} {}.", figure.kernel,
                   less_is_faster(figure) ? "takes" : "reaches",
                   beside_reference(figure, last->rates.back().rate, figure.live_reference)),
       true});
  return sentence;
}

void add_live_numbers(NumberList& list, const RateFigure& figure, const std::string& what,
                      std::string_view unit) {
  list.part("live", figure.live_source);
  for (const LiveSeries& series : figure.live) {
    for (const LiveRate& rate : series.rates) {
      list.item(variant_letter(series.variant));
      list.add("time", rate.seconds, "s");
      list.add(what, rate.rate, unit);
    }
  }
  list.item(figure.reference);
  if (figure.live_reference > 0) list.add(what, figure.live_reference, unit);
  for (const LiveMoment& change : figure.changes) {
    list.item("change to " + change.label);
    list.add("time", change.seconds, "s");
  }
}

}  // namespace

bool RateFigure::empty() const {
  if (over != Over::kTime) return chart.series.empty();
  return std::ranges::all_of(live, [](const LiveSeries& series) { return series.rates.empty(); });
}

std::vector<ChartPoint::Origin> RateFigure::origins() const {
  std::vector<ChartPoint::Origin> all;
  if (over == Over::kTime) all.push_back(live_origin);
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) all.push_back(point.origin);
  }
  return all;
}

std::string RateFigure::gpus() const {
  std::set<std::string> gpus;
  if (over == Over::kTime) gpus.insert(live_origin.under.gpu);
  for (const ChartSeries& series : chart.series) {
    if (!series.apart.empty()) continue;
    for (const ChartPoint& point : series.points) gpus.insert(point.origin.under.gpu);
  }
  gpus.erase(std::string());
  return fmt::format("{}", fmt::join(gpus, ", "));
}

std::string RateFigure::apart() const {
  std::set<std::string> words;
  for (const ChartSeries& series : chart.series) {
    if (!series.apart.empty()) words.insert(series.apart);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string RateFigure::toolkits() const { return joined(origins(), &ChartPoint::Origin::toolkit); }

std::string RateFigure::newest_date() const {
  std::string newest;
  for (const ChartPoint::Origin& origin : origins()) newest = std::max(newest, origin.date);
  return newest;
}

double RateFigure::largest() const {
  double most = largest_of(*this);
  // Far above they would press the points down.
  for (const RateLine* line : {&peak, &roof}) {
    const double level = tilescope::largest(*line);
    if (level < 1.6 * most) most = std::max(most, level);
  }
  return std::max(most, axis_to);
}

RateScale RateFigure::scale() const { return scale_for(unit, largest(), reference); }

RateLine RateFigure::references() const {
  const ChartSeries* first = active_series(*this);
  if (first == nullptr || !first->apart.empty()) return {};
  RateLine line;
  const auto add = [&](const ChartSeries& series) {
    for (const ChartPoint& point : series.points) {
      if (point.reference <= 0) continue;
      const auto at = std::ranges::lower_bound(line, point.x, {}, &LineValue::x);
      if (at == line.end() || at->x != point.x) line.insert(at, {point.x, point.reference});
    }
  };
  add(*first);
  for (const ChartSeries& series : chart.series) {
    if (series.under == first->under) add(series);
  }
  return line;
}

std::optional<double> RateFigure::reference_now() const {
  const ChartSeries* series = active_series(*this);
  if (series == nullptr) return std::nullopt;
  const auto chosen = std::ranges::find(series->points, true, &ChartPoint::chosen);
  if (chosen == series->points.end() || chosen->reference <= 0) return std::nullopt;
  return chosen->reference;
}

std::string RateFigure::words(double value) const {
  const std::string figure = format_in(value, unit);
  if (unit == RateUnit::kPeakShare) return figure + " of the peak";
  return unit == RateUnit::kReferenceShare ? figure + " of " + spoken(reference) : figure;
}

bool RateFigure::is_of_this_run() const {
  if (over == Over::kTime) return live_source == Source::kMeasured;
  return std::ranges::any_of(chart.series, [](const ChartSeries& series) {
    return std::ranges::any_of(
        series.points, [](const ChartPoint& point) { return point.source == Source::kMeasured; });
  });
}

RateFigure rate_figure(const ChartVariant& active, std::string parameter, RateUnit unit,
                       RateChart chart, RateLevels levels) {
  const Problem& problem = active.entry->problem;
  RateFigure figure;
  figure.over = parameter.empty() ? RateFigure::Over::kSize : RateFigure::Over::kParameter;
  figure.parameter = std::move(parameter);
  figure.kernel = active.entry->id;
  figure.parameters = active.parameters;
  figure.parameter_words =
      with_factors_text(values_words(active.entry, active.parameters), active.factors);
  figure.extents = active.extents;
  figure.factors = active.factors;
  figure.unit = unit;
  figure.is_in_own_unit = unit == own_unit(problem);
  figure.peak = line_in_unit(levels.peak, chart, unit, problem, levels.peak);
  figure.roof = line_in_unit(levels.roof, chart, unit, problem, levels.peak);
  const bool is_known = !chart.series.empty();
  figure.chart = in_unit(std::move(chart), unit, problem, levels.peak);
  figure.lacks_unit = is_known && figure.chart.series.empty();
  figure.names.resize(static_cast<std::size_t>(active.variant) + 1);
  figure.names.back() = active.entry->id;
  figure.active = active.variant;
  std::set<std::string_view> references;
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!point.origin.reference.empty()) references.insert(point.origin.reference);
    }
  }
  figure.reference = fmt::format("{}", fmt::join(references, ", "));
  if (figure.reference.empty()) figure.reference = std::move(levels.reference);
  figure.device = std::move(levels.device);
  return figure;
}

namespace {

// Why times have no value in a unit.
std::string_view what_lacks(RateUnit unit) {
  if (unit == RateUnit::kPeakShare) return "the peak is not known";
  if (unit == RateUnit::kReferenceShare) return "no reference was measured with them";
  return "the work of a launch is not known";
}

}  // namespace

std::string title_of(const RateFigure& figure) {
  if (figure.over == RateFigure::Over::kTime) return "Live throughput";
  return "Throughput over " +
         (figure.over == RateFigure::Over::kSize ? std::string("size") : figure.parameter);
}

const ChartPoint& best_point(const RateFigure& figure, const ChartSeries& series) {
  return less_is_faster(figure) ? *std::ranges::min_element(series.points, {}, &ChartPoint::rate)
                                : *std::ranges::max_element(series.points, {}, &ChartPoint::rate);
}

Sentence rate_sentence(const RateFigure& figure) {
  if (figure.over == RateFigure::Over::kTime) {
    return figure.empty()
               ? Sentence{{fmt::format("Nothing ran in {}.", stretch_words(figure)), false}}
               : live_sentence(figure);
  }
  const ChartSeries* series = active_series(figure);
  if (series == nullptr) {
    const std::string words =
        figure.lacks_unit
            ? fmt::format("Times of {} are known, but {}.", figure.kernel, what_lacks(figure.unit))
            : fmt::format("No time of {} is known with these parameters.", figure.kernel);
    return {{words, false}};
  }
  const ChartPoint& best = best_point(figure, *series);
  const auto chosen = std::ranges::find(series->points, true, &ChartPoint::chosen);
  std::string name = figure.names[static_cast<std::size_t>(series->variant)];
  if (!series->apart.empty()) name += fmt::format(" ({})", series->apart);
  const auto figures = [&](const ChartPoint& point) {
    return beside_reference(figure, point.rate, point.reference);
  };
  const std::string_view reaches = less_is_faster(figure) ? "takes" : "reaches";
  const std::string_view highest = less_is_faster(figure) ? "shortest" : "highest";
  Sentence sentence;
  if (chosen != series->points.end() && &*chosen != &best) {
    sentence.push_back({fmt::format("{} {} {} at {}. ", name, reaches, figures(*chosen),
                                    place_of(figure, *chosen)),
                        false});
    sentence.push_back({fmt::format("Its {} of {} is {} at {}.", highest, series->points.size(),
                                    figures(best), place_of(figure, best)),
                        true});
    return sentence;
  }
  sentence.push_back(
      {fmt::format("{} {} {} at {}", name, reaches, figures(best), place_of(figure, best)), true});
  sentence.push_back({series->points.size() == 1
                          ? std::string(", the only known point.")
                          : fmt::format(", its {} of {}.", highest, series->points.size()),
                      false});
  return sentence;
}

void add_rate_numbers(NumberList& list, const RateFigure& figure) {
  const std::string_view unit = symbol_of(quantity_unit(figure.unit));
  const std::string what = quantity(figure);
  if (figure.over == RateFigure::Over::kTime) {
    add_live_numbers(list, figure, what, unit);
    return;
  }
  const bool time = less_is_faster(figure);
  list.part(title_of(figure));
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      list.item(fmt::format("{} {}{}", variant_letter(series.variant), place_of(figure, point),
                            series.apart.empty() ? "" : ", " + series.apart));
      list.source(point.source);
      list.add(what, point.rate, unit);
      list.add(what + " of the 95th percentile", time ? point.high : point.low, unit);
      list.add(what + " of the 5th percentile", time ? point.low : point.high, unit);
      if (point.reference > 0) list.add(what + " of " + figure.reference, point.reference, unit);
    }
  }
  list.part("published", Source::kRecorded);
  for (const ChartMark& mark : figure.chart.marks) {
    list.item(mark.label + " at " + figure.chart.labels[static_cast<std::size_t>(mark.x)]);
    list.add(what, mark.rate, unit);
  }
  for (const auto& [name, line] :
       {std::pair("peak", &figure.peak), {"roofline limit", &figure.roof}}) {
    list.part(name, Source::kModelled);
    const bool is_level = !line->empty() && largest(*line) < 1.001 * line->front().value &&
                          line->front().value < 1.001 * line->back().value;
    for (const LineValue& at : std::span(*line).first(is_level ? 1 : line->size())) {
      list.item(figure.device +
                (is_level ? "" : " at " + figure.chart.labels[static_cast<std::size_t>(at.x)]));
      list.add(what, at.value, unit);
    }
  }
}

ColourRole variant_role(int variant) {
  constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                ColourRole::kFourth};
  return kColours[static_cast<std::size_t>(variant) % kColours.size()];
}

std::string variant_letter(int variant) { return std::string(1, static_cast<char>('A' + variant)); }

}  // namespace tilescope
