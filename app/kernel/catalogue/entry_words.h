#pragma once

#include <string>

#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// Where an entry's idea comes from, each document once with its sections:
// "from 000: Naive GEMM; 002: Basic implementation, Results", or "beyond the seeds: warp tiling".
[[nodiscard]] std::string seeds_text(const CatalogueEntry& entry);

// "banks with PAD 0": the view, and what to set.
[[nodiscard]] std::string place_of(const Watch& watch);

}  // namespace tilescope
