#pragma once
#include <cstdint>
#include <vector>

#include "kernel/catalogue.h"

namespace tilescope {

// Every parameter of the entry at its default.
[[nodiscard]] ParameterSet default_parameters(const CatalogueEntry& entry);

// In the order of the entry's parameters, and back; what a set lacks has its default.
[[nodiscard]] std::vector<std::int64_t> values_of(const CatalogueEntry& entry,
                                                  const ParameterSet& parameters);
[[nodiscard]] ParameterSet parameters_of(const CatalogueEntry& entry,
                                         const std::vector<std::int64_t>& values);

}  // namespace tilescope
