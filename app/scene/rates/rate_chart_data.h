#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/conditions.h"
#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/instance.h"
#include "scene/rates/rate_unit.h"

namespace tilescope {

// One point of a chart of rates.
struct ChartPoint {
  double x = 0;          // index into RateChart::labels
  double rate = 0;       // of the median time
  double low = 0;        // of the 95th percentile of the times
  double high = 0;       // of the 5th
  double reference = 0;  // of cuBLAS or the copy beside it; 0: none
  ProblemCost cost;      // of one launch
  Source source = Source::kMeasured;
  bool chosen = false;  // where the variant stands now
  bool lit = false;     // the pointer is on it, here or in another chart
  double recorded = 0;  // of a measured point: what was recorded of the same; 0: nothing
  std::size_t launches_so_far = 0;  // of a measurement that is not finished; 0: it is
  // Where it was measured and with what; what is not known is empty.
  struct Origin {
    Conditions under;       // points of other conditions are another series
    std::string toolkit;    // "NVRTC 13.0"
    std::string date;       // UTC, "2026-11-30"
    std::string reference;  // "cuBLAS"
  };
  Origin origin = {};
  std::size_t answer = 0;  // which of ChartQuestions::points_of's answers it is, from 0
};
// The points of one variant that were taken under the same conditions: those alone are joined by a
// line, ranked and set beside a reference.
struct ChartSeries {
  int variant = 0;
  std::vector<ChartPoint> points;  // by x
  Conditions under = {};
  // Empty: under the conditions that the chart is about. Else what sets them apart ("H200"): it is
  // drawn pale and by that name.
  std::string apart = {};
  double peak = 0;  // of its own GPU, as a rate; 0: not known
};
// What others published at that place of the x axis.
struct ChartMark {
  double x = 0;
  double rate = 0;
  std::string label;  // "RTX 3080"
};
// Rates in the problem's own unit (rate_unit.h), or values of another one.
struct RateChart {
  std::vector<std::string> labels;  // of what points lie at, from left to right
  // Over the size, by label: the side of the square or cube of as many elements, and what that is
  // called: "M = N = K". Empty over a parameter, whose values stand at equal steps.
  std::vector<double> sides;
  std::string side_name;
  // The axis reaches at least from the one to the other; 0: as far as the sides.
  double least_side = 0;
  double most_side = 0;
  std::vector<ChartMark> marks;  // of the active variant's kernel
  // Those that have points: first those under the chart's own conditions, then the others.
  std::vector<ChartSeries> series;

  // Where the label of this index stands along the x axis (rate_axis.h).
  [[nodiscard]] double place(double index) const;
};

// How long a launch took, and the work that makes it a rate of its problem.
struct TimedWork {
  Problem problem;
  ProblemCost cost;
  double median_seconds = 0;
  double p5_seconds = 0;
  double p95_seconds = 0;
  double reference_seconds = 0;  // 0: none
};
[[nodiscard]] ChartPoint chart_point(const TimedWork& timed, Source source,
                                     ChartPoint::Origin origin);

// The chart's rates as values of another unit, spreads, references and published figures too; `low`
// stays the least. Left out is what the unit has no value for: a published figure has no share of
// another GPU's peak or reference. `peak`: a rate, of the series that stand not apart; 0: not
// known. A point without a reference of its own (it is being measured) has that of a point of the
// same work under the same conditions.
[[nodiscard]] RateChart in_unit(RateChart chart, RateUnit unit, const Problem& problem,
                                double peak);
// Values along the x axis, by RateChart::labels: ascending.
struct LineValue {
  double x = 0;
  double value = 0;
};
using RateLine = std::vector<LineValue>;
[[nodiscard]] double largest(const RateLine& line);  // 0: it is empty
// The same rate at each place that has a point of the chart's own conditions. It is not one value
// where the unit is a time and the size changes; of a place where the points differ in size there
// is none.
[[nodiscard]] RateLine line_in_unit(double rate, const RateChart& chart, RateUnit unit,
                                    const Problem& problem, double peak);

// A kernel that a chart is asked for: a catalogue's, with its parameters and size.
struct ChartVariant {
  int variant = 0;  // 0 is A
  const CatalogueEntry* entry = nullptr;
  ParameterSet parameters;
  ParameterSet extents;
  GemmFactors factors = {};  // what is measured with others is another point
  std::string edited =
      {};  // text_digest() of its source as a person changed it; empty: it ships so
};
// Where a chart's points come from. Rates are those of the entry's problem.
struct ChartQuestions {
  // Of exactly this, the one to show first; of several under the same conditions the first counts,
  // and a recorded one behind a measured one is its ChartPoint::recorded. x and chosen are left to
  // the chart.
  std::function<std::vector<ChartPoint>(const ChartVariant&)> points_of;
  // Every size that points_of() knows of it, in any order, repeated or not.
  std::function<std::vector<ParameterSet>(const ChartVariant&)> sizes_of;
  struct Published {
    ChartMark mark;      // x is left to the chart
    ParameterSet about;  // the parameters that it is about
  };
  std::function<std::optional<Published>(const ChartVariant&)> published_of;
  // The GPU and driver that the chart is about; nullopt: those of the first point of the active
  // variant, where it stands if there is one.
  std::optional<Conditions> own = {};
  // What the variant can reach on another GPU at the most, as a rate; 0 or no function: not known.
  std::function<double(const ChartVariant&, const std::string& gpu)> peak_of = {};
};

// "2048", "2048 × 512", "2048² × 1024" for M, N, K.
[[nodiscard]] std::string describe_size(const Problem& problem, const ParameterSet& extents);

// One point for each value of a parameter that is known, all other parameters and the size being
// each variant's own. Variants are of one problem; marks are those of `active`, which may be none.
[[nodiscard]] RateChart chart_over_parameter(std::span<const ChartVariant> variants,
                                             const ChartVariant* active, const ParameterSpec& spec,
                                             const ChartQuestions& questions);
// The same over every size at which a variant's parameters are known.
[[nodiscard]] RateChart chart_over_size(std::span<const ChartVariant> variants,
                                        const ChartVariant* active,
                                        const ChartQuestions& questions);

// An axis from 0 to a round figure above `most`, in `steps` equal steps.
struct RoundAxis {
  double top = 1;
  int steps = 2;
};
[[nodiscard]] RoundAxis round_axis(double most);

// Whether a reference belongs on the axis of points up to `most`: one that would leave them less
// than an eighth of the height is named at its upper edge instead.
[[nodiscard]] bool is_within_sight(double level, double most);

// The x axis of a chart, in places (RateChart::place): a parameter's values at equal steps; sizes
// by the logarithm to base 2 of their side, with ticks at two powers of two at least.
struct PlaceAxis {
  double first = -0.5;
  double last = 0.5;
  struct Tick {
    double place = 0;
    std::string words;
  };
  std::vector<Tick> ticks;  // from left to right
};
[[nodiscard]] PlaceAxis place_axis(const RateChart& chart);

}  // namespace tilescope
