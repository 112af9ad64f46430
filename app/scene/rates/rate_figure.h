#pragma once
#include <cstddef>
#include <optional>
#include <span>
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
  double seconds = 0;      // before the right end: -RateFigure::live_seconds to 0
  double rate = 0;         // in RateFigure::unit
  std::size_t launch = 0;  // which of the launches it is, for whoever handed them in
  bool lit = false;        // the pointer is on one of the same, here or in another chart
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
  double axis_to = 0;                        // the axis reaches at least so far
  std::string reference;                     // "cuBLAS": what the first series' references are of
  RateLine peak;                             // of the device; empty: not known
  RateLine roof;                             // of the active variant's roofline; empty: not known
  std::string device;                        // whose these are: "H200"
  std::vector<LiveSeries> live;              // of kTime
  std::vector<LiveMoment> changes;
  double live_seconds = 60;  // that the axis spans
  // That its right end lies before the last launch, or before the present while launches come.
  double live_back = 0;
  bool live_present = false;               // it is the present
  double live_most = 0;                    // of launches outside: the axis where there are none
  double live_reference = 0;               // cuBLAS now; 0: none
  ChartPoint::Origin live_origin;          // of the launches
  Source live_source = Source::kMeasured;  // or kRecorded: another run of the program's

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
  // The largest value on the axis. References, peak and roof that lie far above the others are not:
  // they are named at its upper edge.
  [[nodiscard]] double largest() const;
  // What the axis counts.
  [[nodiscard]] RateScale scale() const;
  // What ran in turn with the active variant at each place, else with another one under the same
  // conditions.
  [[nodiscard]] RateLine references() const;
  // The same where the active variant stands; nullopt: none.
  [[nodiscard]] std::optional<double> reference_now() const;
  // Some of it was measured in this run of the program, or in the one of the session that keeps it.
  [[nodiscard]] bool is_of_this_run() const;
};

// What stands beside the points.
struct RateLevels {
  std::string reference;  // where the points do not say: "cuBLAS"
  double peak = 0;        // of the device, a rate; 0: not known
  std::string device;     // "H200"
  double roof = 0;        // of the active variant's roofline on it, a rate; 0: not known
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

// Whether the figure writes its unit, its x axis' name and its legend, or whoever draws it says
// these around it.
enum class RateFrame : std::uint8_t { kWhole, kPlotAlone };
inline constexpr FigureSize kLeastRatePlot{160, 56};  // of kPlotAlone

// A point of the figure and where it lies on the canvas.
struct RateSpot {
  Point at;
  std::size_t series = 0;  // of RateFigure::chart, or of RateFigure::live
  std::size_t index = 0;   // of its points or launches
};
struct DrawnRates {
  Rect plot;                    // without its axes' words; empty: it was not drawn
  std::vector<RateSpot> spots;  // of every point, where the canvas wants a hit of the plot

  // The one nearest to a place, at most `reach` away; nullptr: none.
  [[nodiscard]] const RateSpot* nearest(Point place, float reach) const;
};

// Axes with their units, spread, reference, peak, published figures, and a legend below. Of
// `context` the theme and the text's scale alone are asked. Where the area is too small for that it
// says what is needed instead.
DrawnRates draw_rate_figure(Canvas& canvas, const Rect& area, const ViewContext& context,
                            const RateFigure& figure, RateFrame frame = RateFrame::kWhole);
// What a point says: its value with its spread, where it is from, what ran beside it.
[[nodiscard]] std::string words_of(const RateFigure& figure, const RateSpot& spot);
void add_rate_numbers(NumberList& list, const RateFigure& figure);

// "-30 s", "-1.5 min" or "now": a moment so long ago, on the live chart's axis.
[[nodiscard]] std::string ago_words(double seconds);

// A, B, C, D in the colours of the variants.
[[nodiscard]] ColourRole variant_role(int variant);
[[nodiscard]] std::string variant_letter(int variant);

}  // namespace tilescope
