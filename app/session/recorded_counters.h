#pragma once
#include <memory>

#include "analysis/counter_check.h"
#include "kernel/catalogue.h"
#include "store/recorded_library.h"

namespace tilescope {

// What was recorded of the hardware's counters in just this launch of the catalogue's kernel,
// beside the emulated ones; nullptr: nobody recorded any, or the machine code was not counted.
[[nodiscard]] std::shared_ptr<const HardwareCounters> recorded_counters(
    const RecordedLibrary& recorded, const CatalogueEntry& entry, const KernelStudy& study);

}  // namespace tilescope
