#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/time/verdicts.h"
#include "core/conditions.h"
#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// How long a launch took, and where that is known from.
struct KnownTime {
  double seconds = 0;
  Source source = Source::kRecorded;  // or kMeasured
  double reference_seconds = 0;       // of cuBLAS or the device copy beside it; 0: none
  std::string reference;              // "device copy"; empty: none
  std::string date = {};              // of the measurement, UTC, "2026-11-30"; empty: not known
  Conditions under = {};              // what it may be set against
};
// The first of them under these conditions; nullptr: there is none.
[[nodiscard]] const KnownTime* find_alike(std::span<const KnownTime> times,
                                          const Conditions& under);
// The first that was taken on this GPU.
[[nodiscard]] const KnownTime* find_on(std::span<const KnownTime> times, const std::string& gpu);

// A step of the kernel's family at the same size, with its default parameters.
struct LadderStep {
  std::string id;    // catalogue id
  std::string name;  // "Shared tile"
  KnownTime time;
  double flop = 0;   // of the problem; 0: its rate is bytes/s
  double bytes = 0;  // that the problem must move at the least
  // That its lanes move (sectors of 32 B), as written; 0: not counted (yet).
  double moved_bytes = 0;
};

// What the roofline view knows beside the study. Plain values, handed in from above. All times that
// stand under its roofs, in its ladder and beside the model are of the study's GPU and alike in
// their conditions; those of others stand apart.
struct RooflineData {
  std::optional<KnownTime> known;           // of exactly the study's text, launch and parameters
  std::string gpu;                          // that the times are of; empty: there are none
  std::vector<LadderStep> steps;            // those whose time is known, in the ladder's order
  std::vector<KnownTime> elsewhere;         // like `known`, under other conditions
  std::vector<LadderStep> steps_elsewhere;  // like `steps`, of those that have none there
  Conditions under = {};                    // of known and of all steps
};

// "recorded on the H200: 41.0 µs", of the first time under other conditions: nothing is held
// against it. Empty: there is none.
[[nodiscard]] std::string elsewhere_words(const RooflineData& data);

// Asks `times_of` for each step of the kernel's family (the one to show first before the others),
// `moved_by` for what a step's lanes move (0: not known).
struct LadderQuestions {
  std::function<std::vector<KnownTime>(const CatalogueEntry&, const ParameterSet& parameters)>
      times_of;
  std::function<double(const CatalogueEntry&, const ParameterSet& parameters)> moved_by;
};
struct DeviceModel;
struct KernelInstance;
// Of a launch on the device whose own times are `known`, the one to show first before the others.
// `entry`: that the launch is of, or that its text was made from; the steps of its family are at
// the launch's size and with its factors. nullptr: a file's, which stands on no ladder.
struct RooflineLaunch {
  const Catalogue& catalogue;
  const CatalogueEntry* entry = nullptr;
  const KernelInstance& launch;
  const DeviceModel& device;
};
[[nodiscard]] RooflineData roofline_data(const RooflineLaunch& of, std::vector<KnownTime> known,
                                         const LadderQuestions& questions);

// Where a kernel stands under its roofs.
struct RooflineFigure {
  bool computes = false;   // it has arithmetic to speak of; else its rate is in bytes
  double flop = 0;         // of the problem where there is one, else as counted
  double bytes = 0;        // that must come from and go to DRAM, each once
  double moved_bytes = 0;  // sectors that the lanes move x 32 B
  double l2_bytes = 0;     // that pass between the L1s and the L2, by the model; 0: not known
  double modelled_seconds = 0;
  std::optional<KnownTime> known;

  double dram_bandwidth = 0;  // bytes per second, by the datasheet
  double l2_bandwidth = 0;    // by the model
  double l1_bandwidth = 0;    // clock x multiprocessors x 128 B
  double peak = 0;            // flop per second; 0: not known for what it computes with
  bool tensor = false;        // the peak is that of the tensor cores

  [[nodiscard]] double seconds() const { return known ? known->seconds : modelled_seconds; }
  [[nodiscard]] Source source() const { return known ? known->source : Source::kModelled; }
  // Whether the model misses the known time by more than a fifth: what it says of causes is then a
  // share of its own time alone.
  [[nodiscard]] bool model_is_off() const;
  // Flop or bytes per second.
  [[nodiscard]] double rate() const { return rate_in(seconds()); }
  [[nodiscard]] double rate_in(double time) const { return (computes ? flop : bytes) / time; }
  // Flop per byte.
  [[nodiscard]] double intensity_moved() const { return flop / moved_bytes; }
  [[nodiscard]] double intensity_l2() const { return l2_bytes > 0 ? flop / l2_bytes : 0; }
  [[nodiscard]] double intensity_once() const { return flop / bytes; }

  // The lowest roof over it, and what that allows.
  enum class Roof : std::uint8_t { kDram, kL2, kL1, kPeak };
  [[nodiscard]] Roof roof() const;
  [[nodiscard]] double allowed() const;
  // What one of them allows, infinity where it is not known; and the flop per byte by which it does
  // so: each roof has its own bytes, the peak those that the lanes move.
  [[nodiscard]] double allowed_by(Roof roof) const;
  [[nodiscard]] double intensity_under(Roof roof) const;
};
[[nodiscard]] RooflineFigure roofline_figure(const KernelInstance& instance,
                                             const DeviceModel& device, const Diagnosis& diagnosis,
                                             const RooflineData* data);

}  // namespace tilescope
