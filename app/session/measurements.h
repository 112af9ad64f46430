#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/time/measured_phases.h"
#include "core/device_table.h"
#include "core/dim3.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/tuned_figure.h"
#include "session/session_file.h"
#include "store/measurement.h"

namespace tilescope {

// Of a session: its source is the text_digest().
[[nodiscard]] LaunchKey session_key(const KernelInstance& instance, bool cold);
[[nodiscard]] LaunchKey session_key(const ChartVariant& variant, bool cold);

// All of exactly this, the newest first, one for each GPU and driver.
[[nodiscard]] std::vector<const Measurement*> all_of(std::span<const Measurement> points,
                                                     const LaunchKey& key);
// Measurements as they were measured, found in a time that does not grow with how many there are: a
// tuner measures thousands, and charts and ladder ask in every frame.
class MeasuredPoints {
 public:
  [[nodiscard]] const std::vector<Measurement>& all() const { return all_; }
  void add(Measurement point);
  // All of exactly this that have a time, the newest first, one for each GPU and driver.
  [[nodiscard]] std::vector<const Measurement*> all_of(const LaunchKey& key) const;
  // The newest of them; nullptr: none.
  [[nodiscard]] const Measurement* newest_of(const LaunchKey& key) const;
  // The same with whatever parameters.
  [[nodiscard]] const Measurement* newest_of_kernel(const LaunchKey& key) const;
  // The sizes at which the same was measured, each once, in the order of their first point.
  [[nodiscard]] std::vector<ParameterSet> sizes_of(const LaunchKey& key) const;

 private:
  enum class Without : std::uint8_t { kNothing, kParameters, kExtents };
  static constexpr std::size_t kIndices = 3;  // by Without
  // Equal keys have equal hashes; the other way round is looked at.
  [[nodiscard]] static std::size_t hash_of(const LaunchKey& key, Without without);
  [[nodiscard]] static bool same(const LaunchKey& a, const LaunchKey& b, Without without);
  [[nodiscard]] const Measurement* newest(const LaunchKey& key, Without without) const;

  std::vector<Measurement> all_;
  std::array<std::unordered_map<std::size_t, std::vector<std::size_t>>, kIndices> places_;
};

[[nodiscard]] ChartPoint chart_point(const Measurement& point, const Problem& problem,
                                     Source source);
// Of the launch, or of the reference beside it: flop/s of a product, else bytes/s; 0: no reference.
[[nodiscard]] double rate_of(const Measurement& point, const Problem& problem);
[[nodiscard]] double reference_rate_of(const Measurement& point, const Problem& problem);

// One launch of the live chart.
struct TimedLaunch {
  double at_seconds = 0;  // of the clock of this run of the program
  double kernel_seconds = 0;
  int variant = 0;
  bool cold = true;
  double flop = 0;  // of its problem
  double bytes = 0;
  friend bool operator==(const TimedLaunch&, const TimedLaunch&) = default;
};
// A moment at which a parameter, or the L2, changed.
struct TimedChange {
  double at_seconds = 0;
  std::string label;  // "TILE_K 16"
  friend bool operator==(const TimedChange&, const TimedChange&) = default;
};

// The hardware's counters of a launch, read several times, each with a cold L2.
struct ReadCounters {
  LaunchKey of;
  std::string architecture;  // "sm_90", and
  std::string toolkit;       // "NVRTC 13.0": they are of the machine code that these make
  std::vector<CounterValues> readings;
  std::string gpu;
  std::string date;  // UTC
  friend bool operator==(const ReadCounters&, const ReadCounters&) = default;
};
// Where the warps of one block were on the GPU.
struct ReadPhases {
  LaunchKey of;
  Dim3 block;
  MeasuredPhases phases;
  friend bool operator==(const ReadPhases&, const ReadPhases&) = default;
};
// What the tuner tried in one run, and found a time of.
struct TunedRun {
  std::string kernel;  // catalogue id
  std::string text;    // text_digest() of its source
  ParameterSet start;  // where it began
  ParameterSet extents;
  GemmFactors factors;
  std::vector<TunedRow> rows;
  friend bool operator==(const TunedRun&, const TunedRun&) = default;
};

// What was measured while a document was open, for its pictures. Its file keeps it; it is no step
// of undo.
struct Measurements {
  DeviceModel device;                 // of the launches
  std::string date;                   // of the last launch, UTC
  std::vector<Measurement> points;    // as they were finished
  std::vector<TimedLaunch> launches;  // by time
  std::vector<TimedChange> changes;
  double live_seconds = 60;            // that the live chart spans
  std::optional<double> live_end;      // where it was scrolled to; absent: the last launch
  std::vector<ReadCounters> counters;  // as they were read
  std::vector<ReadPhases> phases;      // likewise
  std::optional<TunedRun> tuned;       // the newest

  [[nodiscard]] bool empty() const {
    return points.empty() && launches.empty() && counters.empty() && phases.empty() && !tuned;
  }
  friend bool operator==(const Measurements&, const Measurements&) = default;
};

// What makes the time of a launch a value of a live chart.
struct LiveScale {
  Problem problem;
  RateUnit unit = RateUnit::kTime;
  double peak = 0;       // a rate; 0: not known
  double reference = 0;  // likewise: of cuBLAS or the copy as last measured

  [[nodiscard]] std::optional<double> value_of(const ProblemCost& work, double seconds) const;
};
// Adds the launches and changes up to `end`, of the clock that they have, to a figure that has its
// variants, state of the L2 and seconds.
void add_live(const LiveScale& scale, std::span<const TimedLaunch> launches,
              std::span<const TimedChange> changes, double end, RateFigure* figure);

// What the live chart of a document is drawn from.
struct LiveChart {
  const std::vector<VariantDocument>& variants;
  int active = 0;
  bool cold = true;  // the launches that it shows
  const Measurements& measured;
  std::optional<RateUnit> unit;  // nullopt, or one that the problem has not: its own
  SessionNames names;
};
// The launches of every variant over time, up to where the chart was scrolled, else to the last
// launch: the same measurements are the same figure, whenever it is drawn. A kernel of the user's
// own has times alone.
[[nodiscard]] RateFigure live_figure(const LiveChart& chart);

}  // namespace tilescope
