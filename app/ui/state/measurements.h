#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/conditions.h"
#include "core/quantity.h"
#include "gpu/messages.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"
#include "scene/rates/rate_unit.h"
#include "session/known_measurements.h"
#include "session/measurements.h"
#include "store/rates.h"

namespace tilescope {

struct WindowState;
struct DeviceModel;
struct Variant;

// How the person wants rates of this problem shown: as chosen, where the problem has that.
[[nodiscard]] RateUnit shown_unit(const WindowState& state, const Problem& problem);

// What the device can reach at the most; 0 where its peak for the operands' type is not known.
[[nodiscard]] double peak_rate(const Variant& variant, const DeviceModel& device);

// A rate as the charts write it, without its unit: "46.8" of "46.8 TFLOP/s".
[[nodiscard]] std::string figure_of(double value, Unit unit);
// The figure of a value on a scale that it shares with larger ones, which keeps two digits of a
// small one: "46.8", "0.013".
[[nodiscard]] std::string figure_on(const RateScale& scale, double value);

// The GPU and driver that figures are about: those of the GPU that is there, else those of what was
// measured last in this run of the program. nullopt: neither, and what is known speaks for itself.
[[nodiscard]] std::optional<Conditions> own_machine(const WindowState& state);

struct KnownRate {
  double value = 0;
  double reference = 0;  // of cuBLAS or the copy beside it; 0: none
  std::string reference_name;
  ProblemCost work;  // of the launch
  Source source = Source::kMeasured;
  // Empty: of the machine that figures are about. Else what sets it apart from that ("H200"): it is
  // ranked with nothing.
  std::string apart = {};
  std::string gpu = {};
};
// The newest rate of a kernel at these extents that was measured, of exactly `parameters` or else
// of any; else the one recorded for exactly those. With the L2 cold or warm, as the workbench
// measures, and of a product with the active variant's alpha and beta. Of own_machine(), or without
// one of the machine that is recorded; another's only where that has none.
[[nodiscard]] std::optional<KnownRate> known_rate(const WindowState& state,
                                                  const CatalogueEntry& entry,
                                                  const ParameterSet& parameters,
                                                  const ParameterSet& extents);

[[nodiscard]] Problem problem_of(const Variant& variant);
// Why there is no device, without the words that say so.
[[nodiscard]] std::string why_no_gpu(const Error& error);

// Of this window, else what the document's file brought, else recorded. `opened_as` is the mark of
// what the file brought.
[[nodiscard]] KnownMeasurements known_measurements(const WindowState& state, Source opened_as);

// All that the document's pictures show as measured: what its file brought, and this run's. Of
// launches there are this run's alone once it has any, for they have a clock.
[[nodiscard]] Measurements measurements_of(const WindowState& state);
// What the tuner tried last, in this run of the program, else in that of the document's file;
// nullptr: nothing.
[[nodiscard]] std::shared_ptr<const TunedRun> tuned_run(const WindowState& state);
// The GPU and driver that measured last, in this run of the program, else in that of the document's
// file.
[[nodiscard]] std::optional<Conditions> measured_machine(const WindowState& state);
// Whose peak stands in the charts: the GPU's that measured last, else the one that is computed for.
[[nodiscard]] const DeviceModel& charted_device(const WindowState& state);

}  // namespace tilescope
