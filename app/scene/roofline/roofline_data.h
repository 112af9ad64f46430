#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/conditions.h"
#include "core/quantity.h"
#include "kernel/catalogue.h"

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
  double flop = 0;   // of the problem
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

}  // namespace tilescope
