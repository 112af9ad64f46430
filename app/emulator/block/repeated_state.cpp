#include "emulator/block/repeated_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace tilescope {
namespace {

constexpr std::uint64_t kFirstKept = 16;  // rounds: most blocks are done before
constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20;  // bytes that are kept
constexpr int kMostComparisons = 16;                            // of them, until the next keep()

using Bytes = std::span<const std::byte>;

// Global and local: regions, then what each warp has.
std::vector<Bytes> memory_of(const ThreadBlock& block) {
  std::vector<Bytes> memory;
  for (const MemoryRegion& region : block.context().memory->regions()) {
    if (region.data != nullptr) memory.emplace_back(region.data, region.bytes);
  }
  const std::size_t local_bytes = std::size_t{block.code().local_bytes} * kWarpSize;
  for (const Warp& warp : block.warps()) memory.emplace_back(warp.local, local_bytes);
  return memory;
}

bool are_same_lanes(const Split& a, const Split& b) {  // but for Split::since, which only grows
  return a.block == b.block && a.mask == b.mask && a.rejoin == b.rejoin && a.parent == b.parent &&
         a.children == b.children && a.state == b.state && a.barrier == b.barrier && a.at == b.at &&
         a.members == b.members && a.is_call == b.is_call;
}

bool are_same(const std::vector<std::byte>& kept, const std::byte* now) {
  return kept.empty() || std::memcmp(kept.data(), now, kept.size()) == 0;
}

}  // namespace

bool RepeatedState::comes_again(const ThreadBlock& block, bool reads, bool writes) {
  ++rounds_;
  reads_ |= reads;
  writes_ |= writes;
  const bool may_differ = reads_ && writes_;
  if (rounds_ > kFirstKept && is_kept(block) && (!may_differ || is_memory_kept(block))) return true;
  if (rounds_ >= kFirstKept && std::has_single_bit(rounds_)) keep(block);
  return false;
}

bool RepeatedState::is_kept(const ThreadBlock& block) const {
  const auto is_same_warp = [&](const Lanes& kept) {
    const Warp& warp = block.warps()[kept.warp];
    return are_same(kept.registers, warp.registers) &&
           std::ranges::equal(kept.splits, warp.splits, are_same_lanes);
  };
  const auto alive = std::ranges::count_if(block.warps(), [](const Warp& w) { return !w.done(); });
  return static_cast<std::size_t>(alive) == warps_.size() &&
         std::ranges::all_of(warps_, is_same_warp) && are_same(shared_, block.context().shared);
}

void RepeatedState::keep(const ThreadBlock& block) {
  warps_.clear();
  for (const Warp& warp : block.warps()) {
    if (warp.done()) continue;
    warps_.push_back(
        {warp.index, {warp.registers, warp.registers + block.code().register_bytes}, warp.splits});
  }
  const ExecutionContext& context = block.context();
  shared_.assign(context.shared, context.shared + context.shared_bytes);
  memory_.clear();
  comparisons_ = 0;
  reads_ = writes_ = false;
  kept_at_ = rounds_;
}

bool RepeatedState::is_memory_kept(const ThreadBlock& block) {
  const std::vector<Bytes> now = memory_of(block);
  if (!memory_.empty()) {
    return ++comparisons_ <= kMostComparisons &&
           std::ranges::equal(memory_, now, [](const auto& kept, Bytes region) {
             return kept.size() == region.size() && are_same(kept, region.data());
           });
  }
  std::uint64_t bytes = 0;
  for (const Bytes region : now) bytes += region.size();
  if (bytes > kMostMemory) return false;
  for (const Bytes region : now) memory_.emplace_back(region.begin(), region.end());
  return false;
}

}  // namespace tilescope
