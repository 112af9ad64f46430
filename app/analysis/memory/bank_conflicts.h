#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/memory/coalescing.h"
#include "emulator/warp_access.h"

namespace tilescope {

inline constexpr int kBankCount = 32;
inline constexpr int kBankBytes = 4;

// Cost of one warp-wide shared-memory access, counted in wavefronts. Every rule was measured on an
// H200 and explains each of the probes of tests/corpus (docs/accuracy.md):
// - An access is split into passes of 128 bytes: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16 (a
//   matrix of ldmatrix or stmatrix is one pass). A pass without active lanes costs nothing.
// - A pass of a load has twice the lanes if every active lane has the address of its active
//   neighbour Tn^1, or every active lane that of Tn^2.
// - Lanes of one pass that need the same word share it, except for cp.async and atomics (unless the
//   atomic counts lanes). A pass costs the largest number of words that a bank must deliver, twice
//   that for a compare-and-swap, and two for a spin, which leaves the other lanes to the next one.
struct WavefrontCost {
  int wavefronts = 0;        // 0 when no lane is active
  int ideal_wavefronts = 0;  // what a conflict-free access of this width and mask needs
  int per_step = 1;          // wavefronts that the hardware counts as one step
  [[nodiscard]] int conflicts() const { return (wavefronts - ideal_wavefronts) / per_step; }
};
[[nodiscard]] WavefrontCost wavefront_cost(const WarpAccess& access,
                                           AccessVariant variant = AccessVariant::kPlain);

// The same access wavefront by wavefront, for the picture: which lane's word each bank delivers.
struct Wavefront {
  // Per bank: the word's byte offset / 4 and the lanes that receive it; no lanes: the bank is idle.
  std::array<std::uint32_t, kBankCount> word{};
  std::array<std::uint32_t, kBankCount> lanes{};
};
[[nodiscard]] std::vector<Wavefront> wavefronts_of(const WarpAccess& access);

// Cost of one warp-wide cp.async. Measured on an H200 (docs/accuracy.md); copies through L1 (.ca)
// and past it (.cg) differ:
// - .ca reads the same sectors as a load. Its shared writes follow the rules above, separately for
//   each 128-byte line that a pass reads, unless the words of the next line are at other places of
//   the line. For each four such groups of a pass one wavefront is not counted as a
//   conflict.
// - .cg moves one sector for each source line from which a sector of shared memory is filled. Its
//   shared writes need no wavefront.
// With both, lanes that read nothing (size 0) write zeros in separate wavefronts.
struct AsyncCopyCost {
  int requests = 0;  // 1 when any lane reads
  SectorCost source;
  WavefrontCost writes;
};

// `source`: the lanes that read, with their global addresses. `destination`: every lane that
// writes, with its offset in shared memory. The lanes of `source` are among them.
[[nodiscard]] AsyncCopyCost async_copy_cost(const WarpAccess& source, const WarpAccess& destination,
                                            AccessVariant variant);

// Distinct lines of 128 bytes that it reads.
[[nodiscard]] int source_lines(const WarpAccess& source);

// Its shared writes wavefront by wavefront, for the picture: AsyncCopyCost::writes of them.
[[nodiscard]] std::vector<Wavefront> async_copy_wavefronts(const WarpAccess& source,
                                                           const WarpAccess& destination,
                                                           AccessVariant variant);

}  // namespace tilescope
