#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scene/rates/rate_chart_data.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

namespace tilescope {

// One launch of the live chart.
struct LiveRate {
  double seconds = 0;  // before the right end: -RateFigure::live_seconds to 0
  double rate = 0;     // in RateFigure::unit
};
struct LiveSeries {
  int variant = 0;
  std::vector<LiveRate> rates;  // by time
};
// A moment at which a parameter changed.
struct LiveMoment {
  double seconds = 0;  // before the right end
  std::string label;   // "TILE_K 16"
  bool parts = false;  // alpha or beta: launches before it and after it did other work
};

// A chart of rates as a figure of its own: over a parameter, over the size, or live over time, with
// all that its axes, its legend and its caption say. Plain values, handed in from above.
struct RateFigure {
  enum class Over : std::uint8_t { kParameter, kSize, kTime } over = Over::kParameter;
  std::string parameter;  // of kParameter: "TILE_K"
  std::string kernel;     // the active variant's catalogue id, parameters and size
  ParameterSet parameters;
  std::string parameter_words;  // those, as the kernel declares them: "TILE_M 128, STAGES 3"
  ParameterSet extents;
  GemmFactors factors;
  RateUnit unit = RateUnit::kFlopPerSecond;  // of all that follows
  bool is_in_own_unit = true;                // the problem's
  bool lacks_unit = false;                   // times are known, but the unit has no value for them
  bool cold = true;                          // the L2 before each launch, else warm
  RateChart chart;                           // of kParameter and kSize
  std::vector<std::string> names;            // by variant: "gemm/register_tile"
  int active = 0;                            // the variant
  std::string reference;                     // "cuBLAS": what the first series' references are of
  double peak = 0;                           // of the device; 0: not known
  std::string device;                        // whose peak that is: "H200"
  std::vector<LiveSeries> live;              // of kTime
  std::vector<LiveMoment> changes;
  double live_seconds = 60;                // that the axis spans
  double live_back = 0;                    // that its right end lies before the last launch
  double live_reference = 0;               // cuBLAS now; 0: none
  ChartPoint::Origin live_origin;          // of the launches
  Source live_source = Source::kMeasured;  // or kRecorded: another sitting's

  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<ChartPoint::Origin> origins() const;
  // Of the points that stand not apart, each once: "NVIDIA H200"; of all points the newest of the
  // dates. Empty: of none it is known.
  [[nodiscard]] std::string gpus() const;
  // What the others are apart by, each once: "H200, driver 580.159.04".
  [[nodiscard]] std::string apart() const;
  [[nodiscard]] std::string toolkits() const;
  [[nodiscard]] std::string newest_date() const;
  // "46.8 TFLOP/s", "0.918 ms", "70.1 % of cuBLAS"
  [[nodiscard]] std::string words(double value) const;
  // The largest value that is drawn; the device's peak is where it is not far from the others, and
  // the chart is not the live one.
  [[nodiscard]] double largest() const;
  [[nodiscard]] bool shows_peak() const;
  // Some of it was measured in this sitting, or in the one of the session that keeps it.
  [[nodiscard]] bool is_of_this_sitting() const;
};

// What stands beside the points.
struct RateLevels {
  std::string reference;  // where the points do not say: "cuBLAS"
  double peak = 0;        // of the device; 0: not known
  std::string device;     // "H200"
};
// A chart of one kernel's rates, handed in in its problem's own unit and shown in `unit`; over the
// size where `parameter` is empty.
[[nodiscard]] RateFigure rate_figure(const ChartVariant& active, std::string parameter,
                                     RateUnit unit, RateChart chart, RateLevels levels);

// "Throughput over TILE_K"
[[nodiscard]] std::string title_of(const RateFigure& figure);
// The point of the highest rate, or of the shortest time. Precondition: the series has points.
[[nodiscard]] const ChartPoint& best_point(const RateFigure& figure, const ChartSeries& series);
// Its largest rate, where the present values stand, and the reference beside it.
[[nodiscard]] Sentence rate_sentence(const RateFigure& figure);

// What a chart needs at the least, and of that which it has at least so much is the plot: with less
// room for it the chart leaves out its legend's row and its axis' name's.
inline constexpr FigureSize kLeastRateFigure{240, 106};
inline constexpr float kLeastPlotShare = 0.6f;
// The height of the plot in a chart of this height, px.
[[nodiscard]] float plot_height(float height, float text_scale);

// Axes with their units, spread, reference, peak, published figures, and a legend below. Of
// `context` the theme and the text's scale alone are asked. Where the area is too small for that it
// says what is needed instead.
void draw_rate_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                      const RateFigure& figure);
void add_rate_numbers(NumberList& list, const RateFigure& figure);

// "-30 s", "-1.5 min" or "now": a moment so long ago, on the live chart's axis.
[[nodiscard]] std::string ago_words(double seconds);

// A, B, C, D in the colours of the variants.
[[nodiscard]] ColourRole variant_role(int variant);
[[nodiscard]] std::string variant_letter(int variant);

}  // namespace tilescope
