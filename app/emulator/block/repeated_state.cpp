#include "emulator/block/repeated_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope {
namespace {

constexpr std::uint64_t kFirstKept = 16;  // rounds: most blocks are done before

bool are_same_lanes(const Split& a, const Split& b) {  // but for Split::since, which only grows
  return a.block == b.block && a.mask == b.mask && a.rejoin == b.rejoin && a.parent == b.parent &&
         a.children == b.children && a.state == b.state && a.barrier == b.barrier && a.at == b.at &&
         a.members == b.members && a.is_call == b.is_call;
}

bool are_same(const std::vector<std::byte>& kept, const std::byte* now) {
  return kept.empty() || std::memcmp(kept.data(), now, kept.size()) == 0;
}

}  // namespace

bool RepeatedState::comes_again(const ThreadBlock& block) {
  ++rounds_;
  if (rounds_ > kFirstKept && is_kept(block)) return true;
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
}

}  // namespace tilescope
