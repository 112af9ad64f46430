#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/device_table.h"
#include "core/result.h"
#include "kernel/launch/instance.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/tuned_figure.h"
#include "session/known_measurements.h"
#include "session/measurements.h"
#include "store/history.h"
#include "store/recorded_library.h"

namespace tilescope {

// Throughput of a catalogue kernel from what was measured before, drawn without a GPU.
struct RateRequest {
  const KernelInstance& instance;
  DeviceModel device;            // whose peak is shown
  std::string over;              // a parameter's name, or "size"; empty: the first parameter
  std::optional<RateUnit> unit;  // nullopt: the problem's own
  bool history = false;          // the user's own measurements before the recorded ones
  bool cold = true;              // with a cold L2, else with a warm one
  // Of a session: what was measured in it stands before all else, and the variants that it charts
  // together, among them the one that `instance` is of. Empty: that alone, as A.
  const Measurements* measured = nullptr;
  std::vector<ChartVariant> variants = {};
  int active = 0;                       // its number
  std::vector<std::string> names = {};  // of all variants of the session
};
// kUsage for a file of the user's, of which nothing is recorded, for a parameter it has not, and
// for launches over time, which a session alone keeps (session/measurements.h).
[[nodiscard]] Result<std::shared_ptr<const RateFigure>> rate_figure_of(const Resources& resources,
                                                                       const RateRequest& request);

// The combinations of the kernel's parameters whose times are known at the launch's size, as the
// tuner shows them before it has tried any; `over`, `unit` and `cold` mean nothing. Errors
// likewise.
[[nodiscard]] Result<std::shared_ptr<const TunedFigure>> tuned_figure_of(
    const Resources& resources, const RateRequest& request);

// The measurements that a command finds without making any.
struct KeptMeasurements {
  RecordedLibrary recorded;
  std::vector<HistoryEntry> history;  // newest first; empty: it was not asked for

  // These, and before them what a session measured; as long as both are there.
  [[nodiscard]] KnownMeasurements known(const Measurements* session = nullptr) const;
};

// What is recorded; and, where `with_history` says so, the user's own measurements. A compute
// capability keeps only those of its GPUs, as a model of such a GPU is shown beside them.
[[nodiscard]] Result<KeptMeasurements> kept_measurements(
    const Catalogue& catalogue, bool with_history, std::optional<int> compute_capability = {});

}  // namespace tilescope
