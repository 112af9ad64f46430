#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"
#include "store/measurement.h"
#include "store/recorded_runs.h"

namespace tilescope {

// How far the time model (analysis/time/time_model.h) is from measured times, kernel by kernel.

// Points that no constant of the model may be fitted to: one in five, and every point of one kernel
// in ten. A digest of the kernel's name, its parameters and its size decides, so a point is on the
// same side for ever, whatever else is recorded.
[[nodiscard]] bool is_held_out(const LaunchKey& point);

enum class PointsUsed { kAll, kFitted, kHeldOut };

struct PointChoice {
  std::vector<std::string> kernels = {};  // ids or families; none: all
  std::size_t each = 9;                   // points of a kernel at the most; 0: all of them
  PointsUsed used = PointsUsed::kAll;
};

// A measured launch that the model can be asked about.
struct CheckedPoint {
  KernelInstance instance;
  DeviceModel device;
  double measured = 0;       // seconds, the median
  double modelled = 0;       // seconds; 0: not modelled yet, or not at all
  std::string why_not = {};  // no time can be modelled: a sentence
};

// The cold runs of the catalogue's present sources whose clock was not held down, in the order of
// the catalogue. Of a kernel with more than `each` those are taken whose digests come first: a
// sample that looks random and is always the same. kUsage: a kernel that is not there, a GPU that
// is in no row of the table.
[[nodiscard]] Result<std::vector<CheckedPoint>> choose_points(
    const RecordedRuns& recorded, const Catalogue& catalogue,
    const std::vector<DeviceModel>& devices, const PointChoice& choice);

// Errors of some points, each |modelled / measured - 1|.
struct ModelErrors {
  std::string name;  // "gemm/naive", of a family "gemm", or "all"
  std::size_t points = 0;
  double mean = 0;
  double median = 0;
  double within_fifth = 0;  // 0..1 of the points: at most 20 % off
  double within_two_fifths = 0;
  double least = 0;  // modelled / measured, the furthest below and above
  double most = 0;
  // Of each kernel and size with at least kRankedPoints: the measured rate of the fastest point
  // among the twentieth that the model says is fastest, over that of the fastest of all; the least
  // of them. nullopt: there is no such size.
  std::optional<double> best_found;
};
inline constexpr std::size_t kRankedPoints = 8;

// A row for each kernel in the order of the points, then one for each family and one for all.
// Points without a modelled time do not count.
[[nodiscard]] std::vector<ModelErrors> model_errors(const std::vector<CheckedPoint>& points);

}  // namespace tilescope
