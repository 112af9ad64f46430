#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
  std::string gpu = {};               // that it ran on; empty: not known
};

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

// What the roofline view knows beside the study. Plain values, handed in from above.
struct RooflineData {
  std::optional<KnownTime> known;  // of exactly the study's text, launch and parameters
  std::string gpu;                 // that the times are of; empty: there are none
  std::vector<LadderStep> steps;   // those whose time is known, in the ladder's order
};

// Asks `time_of` for each step of the kernel's family, `moved_by` for what a step's lanes move (0:
// not known).
struct LadderQuestions {
  std::function<std::optional<KnownTime>(const CatalogueEntry&, const ParameterSet& parameters)>
      time_of;
  std::function<double(const CatalogueEntry&, const ParameterSet& parameters)> moved_by;
};
struct DeviceModel;
struct KernelInstance;
// Those whose time is known. `launch`: of the entry, or of a text made from it; the steps are at
// its size and with its factors.
[[nodiscard]] std::vector<LadderStep> ladder_steps(const Catalogue& catalogue,
                                                   const CatalogueEntry& entry,
                                                   const KernelInstance& launch,
                                                   const DeviceModel& device,
                                                   const LadderQuestions& questions);

}  // namespace tilescope
