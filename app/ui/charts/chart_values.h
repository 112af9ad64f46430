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
  // `peak`: a rate, 0: not known. The chart must outlive it.
  ChartValues(const LinkedChart& chart, Problem problem, double peak, RateUnit unit);

  [[nodiscard]] std::optional<double> of(double rate, double x) const;
  // The best reference of the points at each x.
  [[nodiscard]] ChartLine references() const;
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
};

}  // namespace tilescope
