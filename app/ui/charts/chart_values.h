#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/catalogue.h"
#include "scene/rates/rate_unit.h"
#include "ui/charts/chart_data.h"

namespace tilescope {

using ChartLine = std::vector<std::pair<double, double>>;  // x and value, ascending in x
[[nodiscard]] double largest(const ChartLine& line);       // value; 0: it is empty

// What a chart's rates become in its unit; values that the unit does not have are left out.
class ChartValues {
 public:
  // `peak`: a rate, 0: not known. `active`: the variant whose references come first. The chart must
  // outlive it.
  ChartValues(const LinkedChart& chart, Problem problem, double peak, RateUnit unit, int active);

  // Of a rate of the chart's own machine.
  [[nodiscard]] std::optional<double> at(double rate, double x) const;
  // Of a published figure at its place: no share of another GPU's.
  [[nodiscard]] std::optional<double> of(const ChartMark& mark) const;
  // Of a point's rate, or of one beside it: with the references of the chart's own machine, or, of
  // a series that stands apart, with its own reference and peak.
  [[nodiscard]] std::optional<double> of(double rate, const ChartSeries& series,
                                         const ChartPoint& point) const;
  // What ran in turn with the active variant at each x, else the best beside the others.
  [[nodiscard]] ChartLine references() const;
  // That beside the point where the active variant stands now; nullopt: none.
  [[nodiscard]] std::optional<double> reference_now() const;
  // The same rate at each x.
  [[nodiscard]] ChartLine line_of(double rate) const;
  // Of all that is measured or published, and of the references that are not far above; 0: nothing
  // has a value.
  [[nodiscard]] double largest() const;

 private:
  const LinkedChart& chart_;
  Problem problem_;
  double peak_;
  RateUnit unit_;
  std::map<std::size_t, double> reference_;  // rates, by x
  std::optional<double> now_;                // x of the active variant's chosen point
};

}  // namespace tilescope
