#include "ui/charts/chart_values.h"

#include <algorithm>
#include <cmath>

#include "scene/rates/rate_axis.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

std::size_t x_of(double x) { return static_cast<std::size_t>(std::lround(x)); }

}  // namespace

double largest(const ChartLine& line) {
  double most = 0;
  for (const auto& [x, value] : line) most = std::max(most, value);
  return most;
}

ChartValues::ChartValues(const LinkedChart& chart, Problem problem, double peak, RateUnit unit,
                         int active)
    : chart_(chart), problem_(problem), peak_(peak), unit_(unit) {
  const auto own = std::ranges::find_if(chart.series, [active](const ChartSeries& series) {
    return series.variant == active && series.apart.empty();
  });
  for (const ChartSeries& series : chart.series) {
    if (!series.apart.empty()) continue;
    for (const ChartPoint& point : series.points) {
      double& reference = reference_[x_of(point.x)];
      reference = std::max(reference, point.reference);
    }
  }
  if (own == chart.series.end()) return;
  for (const ChartPoint& point : own->points) {
    if (point.chosen) now_ = point.x;
    if (point.reference > 0) reference_[x_of(point.x)] = point.reference;
  }
}

std::optional<double> ChartValues::reference_now() const {
  const auto reference = now_ ? reference_.find(x_of(*now_)) : reference_.end();
  if (reference == reference_.end() || reference->second <= 0) return std::nullopt;
  return at(reference->second, *now_);
}

std::optional<double> ChartValues::of(const ChartMark& mark) const {
  return is_share(unit_) ? std::nullopt : at(mark.rate, mark.x);
}

std::optional<double> ChartValues::of(double rate, const ChartSeries& series,
                                      const ChartPoint& point) const {
  if (series.apart.empty()) return at(rate, point.x);
  return in_unit(rate, unit_, basis_of(problem_, point.cost, series.peak, point.reference));
}

std::optional<double> ChartValues::at(double rate, double x) const {
  const auto reference = reference_.find(x_of(x));
  return in_unit(rate, unit_,
                 basis_of(problem_, chart_.work.at(x_of(x)), peak_,
                          reference != reference_.end() ? reference->second : 0));
}

ChartLine ChartValues::references() const {
  ChartLine line;
  for (const auto& [x, rate] : reference_) {
    const auto place = static_cast<double>(x);
    if (const auto value = rate > 0 ? at(rate, place) : std::nullopt)
      line.emplace_back(place, *value);
  }
  return line;
}

ChartLine ChartValues::line_of(double rate) const {
  ChartLine line;
  if (rate <= 0) return line;
  for (const auto& [x, reference] : reference_) {
    const auto place = static_cast<double>(x);
    if (const auto value = at(rate, place)) line.emplace_back(place, *value);
  }
  return line;
}

double ChartValues::largest() const {
  double most = 0;
  for (const ChartSeries& series : chart_.series) {
    for (const ChartPoint& point : series.points) {
      for (const double rate : {point.low, point.rate, point.high}) {
        most = std::max(most, of(rate, series, point).value_or(0));
      }
    }
  }
  for (const ChartMark& mark : chart_.marks) {
    most = std::max(most, of(mark).value_or(0));
  }
  const double reference = tilescope::largest(references());
  return is_within_sight(reference, most) ? std::max(most, reference) : most;
}

}  // namespace tilescope
