#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace tilescope {

// Why one set of a kernel's parameters is faster than another, in sentences.
struct WinnerReason {
  std::string sentence;
  std::uint32_t line = 0;  // of the source; 0: of no single line
};
struct WinnerStory {
  std::string headline;               // what changed, and what that brought
  std::vector<WinnerReason> reasons;  // three at the most, what matters most first
};

// "TILE_K 16 → 8, STAGES 3 → 4", as the entry (which may be null) declares them; empty: nothing
// differs.
[[nodiscard]] std::string changes_words(const CatalogueEntry* entry, const ParameterSet& start,
                                        const ParameterSet& winner);

// From the comparison of the start (base) with the winner (other), both of the same size. The
// reasons come from the counters of both by way of the time model and say so; where that sees
// nothing, they say that.
[[nodiscard]] WinnerStory winner_story(const std::string& changes, const PairComparison& pair);
// One more: what the start's dearest cause became. Empty sentence: it has none worth 5 %.
[[nodiscard]] WinnerReason what_became_of(const Diagnosis& start, const Diagnosis& winner);

}  // namespace tilescope
