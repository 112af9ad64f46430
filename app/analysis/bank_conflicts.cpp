#include "analysis/bank_conflicts.h"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

// True when every active lane whose neighbour (lane ^ distance) is active too has its address.
bool pairs_agree(const WarpAccess& access, std::size_t distance) {
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const std::size_t other = lane ^ distance;
    const bool both = (access.active >> lane & access.active >> other & 1u) != 0;
    if (both && access.address[lane] != access.address[other]) return false;
  }
  return true;
}

// Lanes that share one pass over the banks.
int lanes_per_pass(const WarpAccess& access) {
  if (access.bytes_per_lane <= 4) return 32;
  const int lanes = 32 * 4 / access.bytes_per_lane;
  if (access.kind != AccessKind::kLoad) return lanes;
  return pairs_agree(access, 1) || pairs_agree(access, 2) ? 2 * lanes : lanes;
}

bool lanes_share_words(AccessKind kind, AccessVariant variant) {
  if (kind == AccessKind::kAtomic) return variant == AccessVariant::kLanesCounted;
  return kind != AccessKind::kAsyncCopy;
}

// The words that one pass wants from each bank, with the lanes that want them.
struct Pass {
  struct Word {
    std::uint32_t word;
    std::uint32_t lanes;
  };
  std::array<std::array<Word, kWarpSize>, kBankCount> bank;
  std::array<int, kBankCount> count{};
  bool shares_words = true;

  void want(std::uint32_t word, std::uint32_t lane_bit) {
    const std::size_t at = word % kBankCount;
    const auto begin = bank[at].begin();
    const auto end = begin + count[at];
    const auto found =
        std::find_if(begin, end, [&](const Word& w) { return shares_words && w.word == word; });
    if (found != end) {
      found->lanes |= lane_bit;
    } else {
      *end = {word, lane_bit};
      ++count[at];
    }
  }
  [[nodiscard]] int depth() const { return *std::max_element(count.begin(), count.end()); }
};

Pass pass_of(const WarpAccess& access, std::uint32_t lanes, AccessVariant variant) {
  Pass pass;
  pass.shares_words = lanes_share_words(access.kind, variant);
  const std::uint64_t words = std::max<std::uint64_t>(access.bytes_per_lane / kBankBytes, 1);
  for (std::uint32_t left = access.active & lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    for (std::uint64_t i = 0; i < words; ++i) {
      pass.want(static_cast<std::uint32_t>(access.address[lane] / kBankBytes + i), 1u << lane);
    }
  }
  return pass;
}

template <typename Visit>
void for_each_pass(const WarpAccess& access, AccessVariant variant, Visit visit) {
  const int lanes = lanes_per_pass(access);
  const std::uint32_t first = lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1u;
  for (int shift = 0; shift < 32; shift += lanes) {
    if ((access.active & first << shift) != 0) visit(pass_of(access, first << shift, variant));
  }
}

}  // namespace

WavefrontCost wavefront_cost(const WarpAccess& access, AccessVariant variant) {
  WavefrontCost cost;
  const bool spins = variant == AccessVariant::kSpin;
  if (spins || variant == AccessVariant::kCompareAndSwap) cost.per_step = 2;
  for_each_pass(access, variant, [&](const Pass& pass) {
    cost.wavefronts += cost.per_step * (spins ? 1 : pass.depth());
    cost.ideal_wavefronts += cost.per_step;
  });
  return cost;
}

std::vector<Wavefront> wavefronts_of(const WarpAccess& access) {
  std::vector<Wavefront> wavefronts;
  for_each_pass(access, AccessVariant::kPlain, [&](const Pass& pass) {
    for (int depth = 0; depth < pass.depth(); ++depth) {
      Wavefront& wavefront = wavefronts.emplace_back();
      for (std::size_t bank = 0; bank < kBankCount; ++bank) {
        if (depth >= pass.count[bank]) continue;
        const auto& word = pass.bank[bank][static_cast<std::size_t>(depth)];
        wavefront.word[bank] = word.word;
        wavefront.lanes[bank] = word.lanes;
      }
    }
  });
  return wavefronts;
}

}  // namespace tilescope
