#pragma once
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/gemm_factors.h"
#include "scene/rates/tuned_figure.h"
#include "store/recorded_library.h"

namespace tilescope {

// A kept run as a row of the tuner's figure.
[[nodiscard]] TunedRow tuned_row(const RecordedRun& run, const RecordedMachine& machine);
// All combinations that were recorded of a kernel at this size, with these factors.
[[nodiscard]] std::vector<TunedRow> recorded_combinations(const RecordedLibrary& recorded,
                                                          const CatalogueEntry& entry,
                                                          const ParameterSet& extents,
                                                          const GemmFactors& factors);

}  // namespace tilescope
