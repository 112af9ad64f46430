#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// Every parameter of the entry at its default.
[[nodiscard]] ParameterSet default_parameters(const CatalogueEntry& entry);

// In the order of the entry's parameters, and back; what a set lacks has its default.
[[nodiscard]] std::vector<std::int64_t> values_of(const CatalogueEntry& entry,
                                                  const ParameterSet& parameters);
[[nodiscard]] ParameterSet parameters_of(const CatalogueEntry& entry,
                                         const std::vector<std::int64_t>& values);

// "PAD = 0, TILE = 32". nullopt: that is not its form, or a name comes twice.
[[nodiscard]] std::optional<ParameterSet> parse_values(std::string_view text);

// Parameters or extents by name, in the order in which the window has them: the entry's parameters
// as it declares them, its problem's extents, then what else there is: M, N, K or ROWS, COLS first.
// `entry` may be null.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> in_declared_order(
    const CatalogueEntry* entry, const ParameterSet& values);
// "TILE_M 128, TILE_N 64", in that order.
[[nodiscard]] std::string values_words(const CatalogueEntry* entry, const ParameterSet& values);

}  // namespace tilescope
