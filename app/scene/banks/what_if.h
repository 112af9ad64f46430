#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/banks/shared_cost.h"
#include "scene/banks/shared_layout.h"

namespace tilescope {

// The same elements of an array in another layout, and what the access would cost there.
struct LayoutAlternative {
  bool xor_swizzle = false;  // else rows are padded by `pad` words
  int pad = 0;
  bool current = false;           // how the array lies now
  std::optional<int> wavefronts;  // none: vectors would not be aligned, or rows not a power of two
  int ideal = 0;                  // of this access
  int conflicts = 0;
  std::uint32_t line = 0;  // of the access, where it is another than the one shown
};

// Pads of 0 to 8 words, then XOR: the column, in units of the access's width, xor the row. Each
// lane's row and column are read off its address with the region's pitch. `pad_now` is the padding
// the rows have. Empty when the pitch is not known, there is one row alone, or a lane lies outside
// the region.
[[nodiscard]] std::vector<LayoutAlternative> layout_alternatives(const SharedCost& shared,
                                                                 const SharedRegion& region,
                                                                 int pad_now);

// Puts in the place of each alternative what another access of the same array costs there, where
// that conflicts more. `line`: of the other. Precondition: both have as many, or `other` none.
void keep_worse(const std::vector<LayoutAlternative>& other, std::uint32_t line,
                std::vector<LayoutAlternative>& alternatives);

// Wavefronts of an array of one row, which has no rows to pad, with a word left free after each 32:
// element i at i + i / 32. nullopt for other arrays, and for lanes wider than a word.
[[nodiscard]] std::optional<int> skewed_wavefronts(const SharedCost& shared,
                                                   const SharedRegion& region);

}  // namespace tilescope
