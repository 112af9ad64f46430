#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/quantity.h"
#include "scene/banks/layout_variants.h"
#include "scene/model/shared_layout.h"
#include "scene/view/view.h"

namespace tilescope {

struct SharedRequest;  // scene/banks/banks_scene.h

// The chosen access with its array in another layout.
struct LayoutAlternative {
  enum class Count : std::uint8_t {
    kKnown,
    kNotAligned,  // vectors would not be, or rows are no power of two
    kElsewhere,   // the compiler makes other accesses of this line there
  };
  struct Worst {  // of all accesses, where it is not as good as this one
    int wavefronts = 0;
    int ideal = 0;
    std::uint32_t line = 0;
  };
  std::string name;       // "PAD 4", "XOR", "plain"
  bool swizzled = false;  // else rows are padded by `pad`
  std::int64_t pad = 0;   // in the unit of the kernel's parameter, else in words
  std::optional<unsigned> swizzle_bytes = std::nullopt;  // of a tensor map; 0: none
  bool current = false;                                  // what the kernel's parameters say now
  Source source = Source::kModelled;
  Count count = Count::kKnown;
  int wavefronts = 0;  // of this access, kKnown alone
  int ideal = 0;
  std::optional<Worst> worst;
  std::vector<std::pair<std::string, std::int64_t>> sets;  // parameters that a click sets
};

// A strip of them and how it was made.
struct LayoutStrip {
  std::vector<LayoutAlternative> layouts;
  Source source = Source::kModelled;  // kEmulated: most were compiled and traced
  std::string pad_unit = "words";
  std::string why_none;  // where there are no layouts: a sentence
};

// Of kernels with a parameter for it, the legal values of that, as ViewContext::layouts has them;
// else the same elements at other addresses, as XOR is of one that can only pad.
[[nodiscard]] LayoutStrip layouts_of(const ViewContext& context, const SharedRequest& request);

// Pads of 0 to 8 words, then XOR: the column, in units of the access's width, xor the row. Each
// lane's row and column are read off its address with the region's pitch, so its rows must lie in
// order. `pad_now` is the padding the rows have, in words. Empty when the pitch is not known, there
// is one row alone, a lane lies outside the region, or the region's rows are not in order.
[[nodiscard]] std::vector<LayoutAlternative> layout_alternatives(const SharedCost& shared,
                                                                 const SharedRegion& region,
                                                                 int pad_now);

// Of rows that tensor copies fill: each swizzle that their tensor map may have instead, which is as
// wide as a row at the least, and none. Empty where they do not, or a lane lies outside the region.
[[nodiscard]] std::vector<LayoutAlternative> swizzle_alternatives(const SharedCost& shared,
                                                                  const SharedRegion& region);

// Notes what another access of the same array costs in each, where that conflicts more. `line`: of
// the other. Precondition: both have as many, or `other` none.
void note_worst(const std::vector<LayoutAlternative>& other, std::uint32_t line,
                std::vector<LayoutAlternative>& alternatives);

// Wavefronts of an array of one row, which has no rows to pad, with a word left free after each 32:
// element i at i + i / 32. nullopt for other arrays, and for lanes wider than a word.
[[nodiscard]] std::optional<int> skewed_wavefronts(const SharedCost& shared,
                                                   const SharedRegion& region);

}  // namespace tilescope
