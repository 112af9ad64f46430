#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/rule_book.h"

namespace tilescope {

// The legal values of one parameter, the others as they are.
[[nodiscard]] std::vector<std::int64_t> legal_values(const CatalogueEntry& entry, RuleBook& rules,
                                                     std::span<const std::int64_t> parameters,
                                                     std::size_t which);

// The legal set the fewest slider steps away from `parameters`; of several, the one that moves the
// fewest sliders, then one that moves later sliders rather than earlier ones. Values that no slider
// offers count from the nearest offered one. The search ends after about 10 ms (60,000 sets); the
// entry's defaults stand in then, where they are legal.
[[nodiscard]] std::optional<std::vector<std::int64_t>> nearest_legal(
    const CatalogueEntry& entry, RuleBook& rules, std::span<const std::int64_t> parameters);

}  // namespace tilescope
