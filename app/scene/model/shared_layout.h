#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/study/kernel_study.h"
#include "scene/model/copy_flow.h"

namespace tilescope {

// One array (or one buffer of a ring) in shared memory, as rows of 4-byte words.
struct SharedRegion {
  std::string name;              // "tile", "A"
  std::string declaration;       // "tile[32][33]", as far as the source says
  std::uint64_t first_word = 0;  // of the block's shared memory
  std::uint64_t words = 0;
  std::uint64_t pitch_words = 0;  // from a row to the next
  std::uint64_t used_words = 0;   // of a row; the rest is padding
  bool pitch_known = false;       // false: rows of 32 words, one per bank, for want of better
  // The elements of a row do not lie in its order, as after an exclusive or of their places.
  bool moved_in_rows = false;
  // 32, 64 or 128 where they lie as that swizzle of a tensor map puts them (PTX ISA, "Swizzling
  // Modes"), whoever did it; 0: they do not.
  unsigned swizzle_bytes = 0;
  bool by_tensor_copies = false;    // that fill it
  std::uint64_t element_bytes = 0;  // 0: not known
  int stage = 0;                    // of a ring; stages: how many
  int stages = 1;
  [[nodiscard]] std::uint64_t rows() const {
    return pitch_words == 0 ? 0 : (words + pitch_words - 1) / pitch_words;
  }
  [[nodiscard]] bool contains(std::uint64_t word) const {
    return word >= first_word && word < first_word + words;
  }
};

// How shared memory is divided. Arrays come from the PTX's declarations, their dimensions from the
// source; where there is only one untyped buffer, from the elements that the trace put there: rows
// are where the next row or column of a matrix begins.
struct SharedLayout {
  std::vector<SharedRegion> regions;  // by first_word
  // Of the first warp: each instruction's first access of shared memory, the first few dozen.
  std::vector<std::uint32_t> accesses;
  [[nodiscard]] const SharedRegion* region_at(std::uint64_t byte_address) const;
};
// Where the swizzle of so many bytes puts a byte of shared memory, whose first byte it leaves; an
// involution. 0: no swizzle.
[[nodiscard]] std::uint64_t swizzled_byte(std::uint64_t byte, unsigned swizzle_bytes);

[[nodiscard]] SharedLayout shared_layout_of(const KernelStudy& study, const CopyFlow& flow);

// What a traced access does to shared memory. Of a cp.async that is its writes, which the lines
// that it reads take part in (analysis/memory/bank_conflicts.h).
struct SharedCost {
  WarpAccess access;  // in shared memory
  WavefrontCost cost;
  struct Copy {
    WarpAccess source;
    AccessVariant variant = AccessVariant::kPlain;
    int source_lines = 0;
  };
  std::optional<Copy> copy;  // cp.async alone
  bool lanes_meet = false;   // two of its lanes want other words of one bank in one pass

  // Of the same lanes at other addresses of shared memory.
  [[nodiscard]] WavefrontCost cost_at(const WarpAccess& elsewhere) const;
};
// Precondition: the event accesses shared memory.
[[nodiscard]] SharedCost shared_cost(const KernelStudy& study, std::uint32_t event);

}  // namespace tilescope
