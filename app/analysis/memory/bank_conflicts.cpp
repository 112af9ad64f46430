#include "analysis/memory/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "emulator/lanes_in.h"

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
  for (const unsigned lane : lanes_in(access.active & lanes)) {
    for (std::uint64_t i = 0; i < words; ++i) {
      pass.want(static_cast<std::uint32_t>(access.address[lane] / kBankBytes + i), 1u << lane);
    }
  }
  return pass;
}

// pass_of(...).depth(), with less work where no bank is wanted for two words.
int depth_of(const WarpAccess& access, std::uint32_t lanes, AccessVariant variant) {
  const bool shares_words = lanes_share_words(access.kind, variant);
  const std::uint64_t words = std::max<std::uint64_t>(access.bytes_per_lane / kBankBytes, 1);
  std::array<std::uint32_t, kBankCount> wanted;
  std::uint32_t banks = 0;
  for (const unsigned lane : lanes_in(access.active & lanes)) {
    const std::uint64_t address = access.address[lane];
    for (std::uint64_t i = 0; i < words; ++i) {
      const auto word = static_cast<std::uint32_t>(address / kBankBytes + i);
      const std::size_t bank = word % kBankCount;
      if ((banks >> bank & 1u) == 0) {
        banks |= 1u << bank;
        wanted[bank] = word;
      } else if (!shares_words || wanted[bank] != word) {
        return pass_of(access, lanes, variant).depth();
      }
    }
  }
  return banks != 0 ? 1 : 0;
}

// Calls visit(lanes) for each pass over the banks.
template <typename Visit>
void for_each_pass(const WarpAccess& access, Visit visit) {
  const int lanes = lanes_per_pass(access);
  const std::uint32_t first = lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1u;
  for (int shift = 0; shift < 32; shift += lanes) {
    if ((access.active & first << shift) != 0) visit(first << shift);
  }
}

}  // namespace

WavefrontCost wavefront_cost(const WarpAccess& access, AccessVariant variant) {
  WavefrontCost cost;
  const bool spins = variant == AccessVariant::kSpin;
  if (spins || variant == AccessVariant::kCompareAndSwap) cost.per_step = 2;
  for_each_pass(access, [&](std::uint32_t lanes) {
    cost.wavefronts += cost.per_step * (spins ? 1 : depth_of(access, lanes, variant));
    cost.ideal_wavefronts += cost.per_step;
  });
  return cost;
}

std::vector<Wavefront> wavefronts_of(const WarpAccess& access) {
  std::vector<Wavefront> wavefronts;
  for_each_pass(access, [&](std::uint32_t lanes) {
    const Pass pass = pass_of(access, lanes, AccessVariant::kPlain);
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

namespace {

constexpr int kGroupsPerWavefront = 4;

std::size_t first_lane(std::uint32_t lanes) {
  return static_cast<std::size_t>(std::countr_zero(lanes));
}

// Those of `lanes` that read the line which the first of them reads.
std::uint32_t lanes_of_line(const WarpAccess& source, std::uint32_t lanes) {
  const std::uint64_t line = source.address[first_lane(lanes)] / kLineBytes;
  std::uint32_t same = 0;
  for (const unsigned lane : lanes_in(lanes)) {
    if (source.address[lane] / kLineBytes == line) same |= 1u << lane;
  }
  return same;
}

WarpAccess part_of(const WarpAccess& destination, std::uint32_t lanes) {
  WarpAccess part = destination;
  part.active = lanes;
  return part;
}

// Calls visit(lanes) for each pass of 128 bytes.
template <typename Visit>
void for_each_pass(int bytes_per_lane, const Visit& visit) {
  const int lanes = 128 / std::max(bytes_per_lane, 4);
  const std::uint32_t first = lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1u;
  for (int shift = 0; shift < 32; shift += lanes) visit(first << shift);
}

// Which of the 32 words of their lines the lanes read, a bit a word.
std::uint32_t words_read(const WarpAccess& source, std::uint32_t lanes) {
  const auto words = static_cast<std::uint64_t>(std::max(source.bytes_per_lane / kBankBytes, 1));
  std::uint32_t read = 0;
  for (const unsigned lane : lanes_in(lanes)) {
    const std::uint64_t first = source.address[lane] % kLineBytes / kBankBytes;
    for (std::uint64_t word = 0; word < words; ++word) read |= 1u << (first + word) % kBankCount;
  }
  return read;
}

// The lanes of a pass whose data move together: those of one line, and of the lines after it as
// long as they read other words of theirs.
std::uint32_t lanes_together(const WarpAccess& source, std::uint32_t lanes) {
  std::uint32_t together = lanes_of_line(source, lanes);
  for (std::uint32_t left = lanes & ~together; left != 0;) {
    const std::uint32_t next = lanes_of_line(source, left);
    if ((words_read(source, together) & words_read(source, next)) != 0) break;
    together |= next;
    left &= ~next;
  }
  return together;
}

// Calls visit(lanes) for each group of those of a pass whose data move together; returns how many
// groups they are.
template <typename Visit>
int for_each_group(const WarpAccess& source, std::uint32_t pass, const Visit& visit) {
  int groups = 0;
  for (std::uint32_t left = source.active & pass; left != 0; ++groups) {
    const std::uint32_t together = lanes_together(source, left);
    visit(together);
    left &= ~together;
  }
  return groups;
}

WavefrontCost copied_writes(const WarpAccess& source, const WarpAccess& destination) {
  WavefrontCost cost;
  for_each_pass(destination.bytes_per_lane, [&](std::uint32_t pass) {
    const int groups = for_each_group(source, pass, [&](std::uint32_t lanes) {
      cost.wavefronts += wavefront_cost(part_of(destination, lanes)).wavefronts;
    });
    cost.ideal_wavefronts += (groups + kGroupsPerWavefront - 1) / kGroupsPerWavefront;
  });
  return cost;
}

// Whether a later lane copies to the same place.
bool is_overwritten(const WarpAccess& source, const WarpAccess& destination, std::size_t lane) {
  const std::uint32_t later = lane == 31 ? 0 : source.active & ~0u << (lane + 1);
  for (const unsigned other : lanes_in(later)) {
    if (destination.address[other] == destination.address[lane]) return true;
  }
  return false;
}

// Pairs of a source line and a sector of shared memory that is filled from it.
int filled_sectors(const WarpAccess& source, const WarpAccess& destination) {
  std::array<std::pair<std::uint64_t, std::uint64_t>, kWarpSize> filled;
  auto end = filled.begin();
  for (const unsigned lane : lanes_in(source.active)) {
    if (is_overwritten(source, destination, lane)) continue;
    *end++ = {source.address[lane] / kLineBytes, destination.address[lane] / kSectorBytes};
  }
  std::sort(filled.begin(), end);
  return static_cast<int>(std::unique(filled.begin(), end) - filled.begin());
}

}  // namespace

AsyncCopyCost async_copy_cost(const WarpAccess& source, const WarpAccess& destination,
                              AccessVariant variant) {
  AsyncCopyCost cost;
  cost.requests = source.active != 0 ? 1 : 0;
  if (source.active != 0) cost.source = sector_cost(source);
  if (variant == AccessVariant::kBypass) {
    cost.source.sectors = filled_sectors(source, destination);
  } else {
    cost.writes = copied_writes(source, destination);
  }
  const WavefrontCost zeros =
      wavefront_cost(part_of(destination, destination.active & ~source.active));
  cost.writes.wavefronts += zeros.wavefronts;
  cost.writes.ideal_wavefronts += zeros.ideal_wavefronts;
  return cost;
}

int source_lines(const WarpAccess& source) {
  int lines = 0;
  for (std::uint32_t left = source.active; left != 0; ++lines) left &= ~lanes_of_line(source, left);
  return lines;
}

std::vector<Wavefront> async_copy_wavefronts(const WarpAccess& source,
                                             const WarpAccess& destination, AccessVariant variant) {
  std::vector<Wavefront> wavefronts;
  const auto add = [&](std::uint32_t lanes) {
    if (lanes == 0) return;
    const std::vector<Wavefront> of_lanes = wavefronts_of(part_of(destination, lanes));
    wavefronts.insert(wavefronts.end(), of_lanes.begin(), of_lanes.end());
  };
  if (variant != AccessVariant::kBypass) {
    for_each_pass(destination.bytes_per_lane,
                  [&](std::uint32_t pass) { for_each_group(source, pass, add); });
  }
  add(destination.active & ~source.active);
  return wavefronts;
}

}  // namespace tilescope
