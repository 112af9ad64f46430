#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/warp_access.h"

namespace tilescope {

inline constexpr int kBankCount = 32;
inline constexpr int kBankBytes = 4;

// Cost of one warp-wide shared-memory access, counted in wavefronts. Every rule was measured on an
// H200 and explains each of the probes of tests/corpus (docs/accuracy.md):
// - An access goes in passes of 128 bytes: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16 (so a matrix
//   of ldmatrix or stmatrix has one). A pass with no active lane costs nothing.
// - Loads alone take twice the lanes a pass when every active lane has the address of its active
//   neighbour Tn^1, or every one that of Tn^2.
// - Lanes of one pass that want the same word share it, but not those of a cp.async or an atomic
//   (unless it counts lanes). A pass costs the most words that any bank has to deliver, twice that
//   for a compare-and-swap, and two for a spin, which leaves the other lanes to the next.
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
  // Per bank: the word's byte offset / 4 and the lanes that receive it; no lanes: the bank idles.
  std::array<std::uint32_t, kBankCount> word{};
  std::array<std::uint32_t, kBankCount> lanes{};
};
[[nodiscard]] std::vector<Wavefront> wavefronts_of(const WarpAccess& access);

}  // namespace tilescope
