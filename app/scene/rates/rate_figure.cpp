#include "scene/rates/rate_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/unit_symbol.h"

namespace tilescope {
namespace {

// "TILE_K 16", "size 2048"
std::string place_of(const RateFigure& figure, const ChartPoint& point) {
  const std::string what =
      figure.over == RateFigure::Over::kParameter ? figure.parameter : std::string("size");
  return what + " " + figure.chart.labels[static_cast<std::size_t>(point.x)];
}

const ChartSeries* active_series(const RateFigure& figure) {
  const auto found = std::ranges::find(figure.chart.series, figure.active, &ChartSeries::variant);
  if (found != figure.chart.series.end()) return &*found;
  return figure.chart.series.empty() ? nullptr : &figure.chart.series.front();
}

// "cuBLAS", "the device copy"
std::string spoken(const std::string& reference) {
  return reference.starts_with("cuBLAS") ? reference : "the " + reference;
}

std::string percent_of(double part, double whole) {
  return format(100 * part / whole, Unit::kPercent);
}

// What the origins say, each once, in alphabetical order.
std::string joined(const std::vector<ChartPoint::Origin>& origins,
                   std::string ChartPoint::Origin::*what) {
  std::set<std::string> words;
  for (const ChartPoint::Origin& origin : origins) {
    if (!(origin.*what).empty()) words.insert(origin.*what);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Of what was measured or published.
double largest_of(const RateFigure& figure) {
  double most = figure.live_reference;
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      most = std::max({most, point.high, point.reference});
    }
  }
  for (const ChartMark& mark : figure.chart.marks) most = std::max(most, mark.rate);
  for (const LiveSeries& series : figure.live) {
    for (const LiveRate& rate : series.rates) most = std::max(most, rate.rate);
  }
  return most;
}

// "the last minute", "the last 15 s", "10 s that ended 2.0 min ago"
std::string stretch_words(const RateFigure& figure) {
  const std::string span = ago_words(figure.live_seconds).substr(1);
  if (figure.live_back >= 0.5) {
    return fmt::format("{} that ended {} ago", span, ago_words(figure.live_back).substr(1));
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
  Sentence sentence = {{fmt::format("{} launch{} of {}, a point each. ", format_count(launches),
                                    launches == 1 ? "" : "es", stretch_words(figure)),
                        false}};
  if (last == figure.live.end()) return sentence;
  const double rate = last->rates.back().rate;
  sentence.push_back(
      {fmt::format("The newest of {} reaches {}", figure.kernel, format(rate, figure.unit)), true});
  if (figure.live_reference > 0) {
    sentence.push_back({fmt::format(", {} of {}.", percent_of(rate, figure.live_reference),
                                    spoken(figure.reference)),
                        true});
  } else {
    sentence.back().text += ".";
  }
  return sentence;
}

void add_live_numbers(NumberList& list, const RateFigure& figure, std::string_view unit) {
  list.part("live", Source::kMeasured);
  for (const LiveSeries& series : figure.live) {
    for (const LiveRate& rate : series.rates) {
      list.item(variant_letter(series.variant));
      list.add("time", rate.seconds, "s");
      list.add("rate", rate.rate, unit);
    }
  }
  list.item(figure.reference);
  if (figure.live_reference > 0) list.add("rate", figure.live_reference, unit);
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

std::string RateFigure::gpus() const { return joined(origins(), &ChartPoint::Origin::gpu); }

std::string RateFigure::toolkits() const { return joined(origins(), &ChartPoint::Origin::toolkit); }

std::string RateFigure::newest_date() const {
  std::string newest;
  for (const ChartPoint::Origin& origin : origins()) newest = std::max(newest, origin.date);
  return newest;
}

double RateFigure::largest() const {
  return shows_peak() ? std::max(peak, largest_of(*this)) : largest_of(*this);
}

bool RateFigure::shows_peak() const {
  return over != Over::kTime && peak > 0 && peak <= 2 * largest_of(*this);
}

bool RateFigure::is_of_this_sitting() const {
  if (over == Over::kTime) return true;
  return std::ranges::any_of(chart.series, [](const ChartSeries& series) {
    return std::ranges::any_of(
        series.points, [](const ChartPoint& point) { return point.source == Source::kMeasured; });
  });
}

RateFigure rate_figure(const ChartVariant& active, std::string parameter, Unit unit,
                       RateChart chart, RateLevels levels) {
  RateFigure figure;
  figure.over = parameter.empty() ? RateFigure::Over::kSize : RateFigure::Over::kParameter;
  figure.parameter = std::move(parameter);
  figure.kernel = active.entry->id;
  figure.parameters = active.parameters;
  figure.extents = active.extents;
  figure.unit = unit;
  figure.chart = std::move(chart);
  figure.names.resize(static_cast<std::size_t>(active.variant) + 1);
  figure.names.back() = active.entry->id;
  figure.active = active.variant;
  figure.reference = joined(figure.origins(), &ChartPoint::Origin::reference);
  if (figure.reference.empty()) figure.reference = std::move(levels.reference);
  figure.peak = levels.peak;
  figure.device = std::move(levels.device);
  return figure;
}

std::string title_of(const RateFigure& figure) {
  if (figure.over == RateFigure::Over::kTime) return "Live throughput";
  return "Throughput over " +
         (figure.over == RateFigure::Over::kSize ? std::string("size") : figure.parameter);
}

Sentence rate_sentence(const RateFigure& figure) {
  if (figure.over == RateFigure::Over::kTime) {
    return figure.empty()
               ? Sentence{{fmt::format("Nothing has run in {}.", stretch_words(figure)), false}}
               : live_sentence(figure);
  }
  const ChartSeries* series = active_series(figure);
  if (series == nullptr) {
    return {{fmt::format("No time is known of {} with these parameters.", figure.kernel), false}};
  }
  const auto best = std::ranges::max_element(series->points, {}, &ChartPoint::rate);
  const auto chosen = std::ranges::find(series->points, true, &ChartPoint::chosen);
  const std::string name = figure.names[static_cast<std::size_t>(series->variant)];
  const auto reaches = [&](const ChartPoint& point) {
    std::string words = format(point.rate, figure.unit);
    if (point.reference > 0) {
      words += fmt::format(", {} of {}", percent_of(point.rate, point.reference),
                           spoken(figure.reference));
    }
    return words;
  };
  Sentence sentence;
  if (chosen != series->points.end() && chosen != best) {
    sentence.push_back(
        {fmt::format("{} reaches {} at {}. ", name, reaches(*chosen), place_of(figure, *chosen)),
         false});
    sentence.push_back({fmt::format("Its highest of {} is {} at {}.", series->points.size(),
                                    reaches(*best), place_of(figure, *best)),
                        true});
    return sentence;
  }
  sentence.push_back(
      {fmt::format("{} reaches {} at {}", name, reaches(*best), place_of(figure, *best)), true});
  sentence.push_back({series->points.size() == 1
                          ? std::string(", the only place that is known.")
                          : fmt::format(", its highest of {}.", series->points.size()),
                      false});
  return sentence;
}

void add_rate_numbers(NumberList& list, const RateFigure& figure) {
  const std::string_view unit = symbol_of(figure.unit);
  if (figure.over == RateFigure::Over::kTime) {
    add_live_numbers(list, figure, unit);
    return;
  }
  list.part(title_of(figure));
  for (const ChartSeries& series : figure.chart.series) {
    for (const ChartPoint& point : series.points) {
      list.item(fmt::format("{} {}", variant_letter(series.variant), place_of(figure, point)));
      list.source(point.source);
      list.add("rate", point.rate, unit);
      list.add("rate of the 95th percentile", point.low, unit);
      list.add("rate of the 5th percentile", point.high, unit);
      if (point.reference > 0) list.add("rate of " + figure.reference, point.reference, unit);
    }
  }
  list.part("published", Source::kRecorded);
  for (const ChartMark& mark : figure.chart.marks) {
    list.item(mark.label + " at " + figure.chart.labels[static_cast<std::size_t>(mark.x)]);
    list.add("rate", mark.rate, unit);
  }
  list.part("peak", Source::kModelled);
  list.item(figure.device);
  if (figure.shows_peak()) list.add("rate", figure.peak, unit);
}

ColourRole variant_role(int variant) {
  constexpr std::array kColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                ColourRole::kFourth};
  return kColours[static_cast<std::size_t>(variant) % kColours.size()];
}

std::string variant_letter(int variant) { return std::string(1, static_cast<char>('A' + variant)); }

}  // namespace tilescope
