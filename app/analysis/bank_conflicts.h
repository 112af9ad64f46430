#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/warp_access.h"

namespace tilescope {

inline constexpr int kBankCount = 32;
inline constexpr int kBankBytes = 4;

// Cost of one warp-wide shared-memory access, counted in wavefronts. The rules were measured on an
// H200 (docs/accuracy.md): 64-bit accesses go in half-warps, 128-bit ones in quarter-warps, and the
// number of passes halves when every active lane has the address of its neighbour Tn^1, or every
// one that of Tn^2. A pass costs the most distinct words that any bank has to deliver.
struct WavefrontCost {
  int wavefronts = 0;        // 0 when no lane is active
  int ideal_wavefronts = 0;  // passes that a conflict-free access of this width and mask needs
  [[nodiscard]] int conflicts() const { return wavefronts - ideal_wavefronts; }
};
[[nodiscard]] WavefrontCost wavefront_cost(const WarpAccess& access);

// The same access wavefront by wavefront, for the picture: which lane's word each bank delivers.
struct Wavefront {
  // Per bank: the word's byte offset / 4 and the lanes that receive it; no lanes: the bank idles.
  std::array<std::uint32_t, kBankCount> word{};
  std::array<std::uint32_t, kBankCount> lanes{};
};
[[nodiscard]] std::vector<Wavefront> wavefronts_of(const WarpAccess& access);

}  // namespace tilescope
