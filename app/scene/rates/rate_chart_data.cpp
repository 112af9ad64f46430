#include "scene/rates/rate_chart_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "core/quantity.h"

namespace tilescope {
namespace {

double volume(const ParameterSet& extents) {
  double product = 1;
  for (const auto& [name, extent] : extents) product *= static_cast<double>(extent);
  return product;
}

bool all_sides_equal(const ParameterSet& extents) {
  return std::ranges::all_of(
      extents, [&](const auto& named) { return named.second == extents.begin()->second; });
}

// Of a GPU and its driver alone: L2 and factors are the chart's and the variant's own.
bool same_machine(const Conditions& a, const Conditions& b) {
  return a.gpu == b.gpu && a.driver == b.driver;
}

// A variant's points as they come, by place, put apart by their conditions.
class SeriesOfVariant {
 public:
  explicit SeriesOfVariant(const ChartVariant& variant) : variant_(variant) {}

  // Of one place, the one to show first before the others.
  void add(double x, bool chosen, std::vector<ChartPoint> points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      ChartPoint& point = points[i];
      point.x = x;
      point.chosen = chosen;
      const Conditions under = point.origin.under;
      if (i == 0 && (chosen || !first_)) first_ = under;
      auto own = std::ranges::find(series_, under, &ChartSeries::under);
      if (own == series_.end()) {
        series_.push_back({variant_.variant, {}, under});
        own = series_.end() - 1;
      }
      const bool is_there = !own->points.empty() && own->points.back().x == x;
      if (!is_there) {
        own->points.push_back(std::move(point));
      } else if (ChartPoint& first = own->points.back(); first.source == Source::kMeasured &&
                                                         point.source == Source::kRecorded &&
                                                         first.recorded <= 0) {
        first.recorded = point.rate;
      }
    }
  }
  [[nodiscard]] const ChartVariant& variant() const { return variant_; }
  // Of the point that is shown first where the variant stands, else anywhere; nullopt: it has none.
  [[nodiscard]] const std::optional<Conditions>& first() const { return first_; }
  [[nodiscard]] std::vector<ChartSeries> take() { return std::move(series_); }

 private:
  const ChartVariant& variant_;
  std::vector<ChartSeries> series_;
  std::optional<Conditions> first_;
};

// Those under the chart's own conditions before the others, which get their name and peak.
void take_series(std::vector<SeriesOfVariant>& all, const ChartVariant* active,
                 const ChartQuestions& questions, RateChart* chart) {
  std::optional<Conditions> own = questions.own;
  for (const SeriesOfVariant& each : all) {
    const bool is_active = active != nullptr && each.variant().variant == active->variant;
    if (!own && is_active) own = each.first();
  }
  for (const SeriesOfVariant& each : all) {
    if (!own) own = each.first();
  }
  std::vector<ChartSeries> apart;
  for (SeriesOfVariant& each : all) {
    for (ChartSeries& series : each.take()) {
      if (same_machine(series.under, *own)) {
        chart->series.push_back(std::move(series));
        continue;
      }
      Conditions beside = series.under;
      beside.gpu = own->gpu;
      beside.driver = own->driver;
      series.apart = apart_words(series.under, beside);
      if (questions.peak_of) series.peak = questions.peak_of(each.variant(), series.under.gpu);
      apart.push_back(std::move(series));
    }
  }
  std::ranges::move(apart, std::back_inserter(chart->series));
}

// What the axis of sizes counts.
std::string side_name_of(const Problem& problem, const std::vector<ParameterSet>& sizes) {
  const bool equal = std::ranges::all_of(sizes, all_sides_equal);
  std::string names;
  for (const ExtentSpec& extent : problem->extents) {
    names += (names.empty() ? "" : equal ? " = " : " × ") + extent.label;
  }
  const std::size_t sides = problem->extents.size();
  if (equal || sides < 2) return names;
  return names + (sides == 2 ? " as a square" : sides == 3 ? " as a cube" : "");
}

}  // namespace

double RateChart::place(double index) const {
  return sides.empty() ? index : std::log2(sides[static_cast<std::size_t>(index)]);
}

std::string describe_size(const Problem& problem, const ParameterSet& extents) {
  std::vector<std::string> sides;
  for (const ExtentSpec& extent : problem->extents) {
    const auto found = extents.find(extent.name);
    sides.push_back(std::to_string(found != extents.end() ? found->second : 0));
  }
  if (sides.size() > 1 && std::ranges::adjacent_find(sides, std::not_equal_to{}) == sides.end()) {
    return sides.front();
  }
  std::string text;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool squared = sides.size() == 3 && i == 0 && sides[0] == sides[1];
    text += (i == 0 ? "" : " × ") + sides[i] + (squared ? "²" : "");
    if (squared) ++i;
  }
  return text;
}

ChartPoint chart_point(const TimedWork& timed, Source source, ChartPoint::Origin origin) {
  const double work = basis_of(timed.problem, timed.cost, 0, 0).own;
  ChartPoint point;
  point.rate = work / timed.median_seconds;
  point.low = work / timed.p95_seconds;
  point.high = work / timed.p5_seconds;
  if (timed.reference_seconds > 0) point.reference = work / timed.reference_seconds;
  point.cost = timed.cost;
  point.source = source;
  point.origin = std::move(origin);
  return point;
}

namespace {

void borrow_references(RateChart* chart) {
  const auto lender = [&](const ChartSeries& series, const ChartPoint& point) {
    double rate = 0;
    for (const ChartSeries& other : chart->series) {
      if (!(other.under == series.under)) continue;
      for (const ChartPoint& beside : other.points) {
        const bool same_work = beside.x == point.x && beside.cost.flop == point.cost.flop &&
                               beside.cost.bytes == point.cost.bytes;
        if (same_work) rate = std::max(rate, beside.reference);
      }
    }
    return rate;
  };
  for (ChartSeries& series : chart->series) {
    for (ChartPoint& point : series.points) {
      if (point.reference <= 0) point.reference = lender(series, point);
    }
  }
}

}  // namespace

RateChart in_unit(RateChart chart, RateUnit unit, const Problem& problem, double peak) {
  borrow_references(&chart);
  if (unit == own_unit(problem)) return chart;
  std::map<double, RateBasis> basis;  // of a point, by x
  for (ChartSeries& series : chart.series) {
    const double own_peak = series.apart.empty() ? peak : series.peak;
    std::erase_if(series.points, [&](ChartPoint& point) {
      const RateBasis of_point = basis_of(problem, point.cost, own_peak, point.reference);
      basis[point.x] = of_point;
      const auto value = in_unit(point.rate, unit, of_point);
      if (!value) return true;
      point.rate = *value;
      point.low = in_unit(point.low, unit, of_point).value_or(*value);
      point.high = in_unit(point.high, unit, of_point).value_or(*value);
      if (point.low > point.high) std::swap(point.low, point.high);
      point.reference = in_unit(point.reference, unit, of_point).value_or(0);
      point.recorded = in_unit(point.recorded, unit, of_point).value_or(0);
      return false;
    });
  }
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.points.empty(); });
  std::erase_if(chart.marks, [&](ChartMark& mark) {
    const auto beside = basis.find(mark.x);
    if (beside == basis.end() || is_share(unit)) return true;
    const auto value = in_unit(mark.rate, unit, beside->second);
    mark.rate = value.value_or(0);
    return !value;
  });
  return chart;
}

double largest(const RateLine& line) {
  return line.empty() ? 0 : std::ranges::max_element(line, {}, &LineValue::value)->value;
}

RateLine line_in_unit(double rate, const RateChart& chart, RateUnit unit, const Problem& problem,
                      double peak) {
  std::map<double, std::optional<double>> values;  // by x
  for (const ChartSeries& series : chart.series) {
    if (!series.apart.empty()) continue;
    for (const ChartPoint& point : series.points) {
      const auto value = in_unit(rate, unit, basis_of(problem, point.cost, peak, point.reference));
      if (!value) continue;
      auto& at = values.try_emplace(point.x, value).first->second;
      if (at && std::abs(*value - *at) > 1e-3 * *at) at.reset();
    }
  }
  RateLine line;
  for (const auto& [x, value] : values) {
    if (value) line.push_back({x, *value});
  }
  return line;
}

RateChart chart_over_parameter(std::span<const ChartVariant> variants, const ChartVariant* active,
                               const ParameterSpec& spec, const ChartQuestions& questions) {
  RateChart chart;
  for (const std::int64_t value : spec.values) chart.labels.push_back(std::to_string(value));
  std::vector<SeriesOfVariant> all;
  for (const ChartVariant& variant : variants) {
    const auto present = variant.parameters.find(spec.name);
    if (present == variant.parameters.end()) continue;
    SeriesOfVariant& series = all.emplace_back(variant);
    ChartVariant at = variant;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
      at.parameters[spec.name] = spec.values[i];
      series.add(static_cast<double>(i), present->second == spec.values[i],
                 questions.points_of(at));
    }
  }
  take_series(all, active, questions, &chart);
  if (active == nullptr) return chart;
  ChartVariant at = *active;
  for (std::size_t i = 0; i < spec.values.size(); ++i) {
    at.parameters[spec.name] = spec.values[i];
    auto published = questions.published_of(at);
    // One that is not about this parameter stands where the variant does.
    if (!published ||
        (!published->about.contains(spec.name) && at.parameters != active->parameters)) {
      continue;
    }
    published->mark.x = static_cast<double>(i);
    chart.marks.push_back(published->mark);
  }
  return chart;
}

RateChart chart_over_size(std::span<const ChartVariant> variants, const ChartVariant* active,
                          const ChartQuestions& questions) {
  std::vector<ParameterSet> sizes;
  for (const ChartVariant& variant : variants) {
    for (ParameterSet& size : questions.sizes_of(variant)) {
      if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(std::move(size));
    }
  }
  std::ranges::sort(sizes, [](const ParameterSet& a, const ParameterSet& b) {
    return std::pair(volume(a), a) < std::pair(volume(b), b);
  });
  RateChart chart;
  if (variants.empty()) return chart;
  const Problem& problem = variants.front().entry->problem;
  chart.side_name = side_name_of(problem, sizes);
  for (const ParameterSet& size : sizes) {
    chart.labels.push_back(describe_size(problem, size));
    chart.sides.push_back(std::pow(volume(size), 1.0 / static_cast<double>(size.size())));
  }
  std::vector<SeriesOfVariant> all;
  for (const ChartVariant& variant : variants) {
    SeriesOfVariant& series = all.emplace_back(variant);
    ChartVariant at = variant;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      at.extents = sizes[i];
      series.add(static_cast<double>(i), variant.extents == sizes[i], questions.points_of(at));
    }
  }
  take_series(all, active, questions, &chart);
  for (std::size_t i = 0; active != nullptr && i < sizes.size(); ++i) {
    ChartVariant at = *active;
    at.extents = sizes[i];
    auto published = questions.published_of(at);
    if (!published) continue;
    published->mark.x = static_cast<double>(i);
    chart.marks.push_back(published->mark);
  }
  return chart;
}

RoundAxis round_axis(double most) {
  if (most <= 0) return {};
  const double decade = std::pow(10.0, std::floor(std::log10(most)));
  static constexpr std::array<std::pair<double, int>, 8> kEnds{
      {{1, 2}, {1.5, 3}, {2, 2}, {3, 3}, {4, 4}, {6, 3}, {8, 4}, {10, 2}}};
  for (const auto& [end, steps] : kEnds) {
    if (most <= end * decade) return {end * decade, steps};
  }
  return {10 * decade, 2};
}

bool is_within_sight(double level, double most) { return level <= 8 * most; }

PlaceAxis place_axis(const RateChart& chart) {
  PlaceAxis axis;
  if (chart.sides.empty()) {
    axis.last = static_cast<double>(chart.labels.size()) - 0.5;
    for (const std::string& label : chart.labels) {
      axis.ticks.push_back({static_cast<double>(axis.ticks.size()), label});
    }
    return axis;
  }
  const auto [least, most] = std::ranges::minmax(chart.sides);
  double low = std::log2(chart.least_side > 0 ? std::min(least, chart.least_side) : least);
  double high = std::log2(std::max(most, chart.most_side));
  if (std::floor(high) - std::ceil(low) < 1) {
    const bool is_power = low == high && low == std::floor(low);
    low = std::floor(low) - (is_power ? 1 : 0);
    high = std::max(std::ceil(high) + (is_power ? 1 : 0), low + 1);
  }
  const double margin = std::max(0.06 * (high - low), 0.1);
  axis.first = low - margin;
  axis.last = high + margin;
  for (double power = std::ceil(low); power <= std::floor(high); ++power) {
    axis.ticks.push_back({power, format_count(static_cast<std::uint64_t>(std::exp2(power)))});
  }
  return axis;
}

}  // namespace tilescope
