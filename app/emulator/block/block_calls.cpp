#include <fmt/format.h>

#include <algorithm>

#include "emulator/block/block_runner.h"
#include "emulator/block/register_cells.h"
#include "emulator/memory_map.h"

// Calls of functions; those that have frames: recursion and calls through pointers.
namespace tilescope {

// Calls block.target and gives every lane its next frame, where it has one. Lanes without room for
// it stop here.
std::uint32_t BlockRunner::call(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const auto is_free = [](const Split& each) { return each.state == Split::State::kGone; };
  if (warp.splits.size() >= Warp::kMostSplits && std::ranges::none_of(warp.splits, is_free)) {
    const std::uint32_t all = warp.splits[split].mask;
    report_at({&warp, block.last.instruction, all}, FindingKind::kUnsupported,
              fmt::format("the calls are nested deeper than is emulated ({} of a warp)",
                          Warp::kMostSplits));
    complete_ = false;
    stopped_lanes_ = true;
    leave(warp, split, all);
    return kNoBlock;
  }
  if (!block.enters_frame) return warp.call(split, block.target, block.next);
  std::uint32_t full = 0;
  for (std::uint32_t left = warp.splits[split].mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (value_at<std::uint64_t>(warp.registers, code_.frame_row, lane) +
            2 * std::uint64_t{code_.frame_bytes} >
        code_.local_bytes)
      full |= 1u << lane;
  }
  if (full != 0) {
    report_at({&warp, block.last.instruction, full}, FindingKind::kUnsupported,
              "the calls are nested deeper than the stack of a thread that is emulated (32 KiB)");
    complete_ = false;
    stopped_lanes_ = true;
    leave(warp, split, full);
    if (warp.splits[split].mask == 0) return kNoBlock;
  }
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.saves != kNoBlock)
    warp.saved.save(code_, code_.frames[block.saves], warp.registers, mask);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t next =
        value_at<std::uint64_t>(warp.registers, code_.frame_row, lane) + code_.frame_bytes;
    put_value(warp.registers, code_.frame_row, lane, next);
  }
  return warp.call(split, block.target, block.next);
}

// Lanes with one callee call it together; the others choose again in a copy of the call.
std::uint32_t BlockRunner::call_address(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  const auto target_of = [&](unsigned lane) {
    const std::uint64_t offset =
        value_at<std::uint64_t>(warp.registers, block.last.row[0], lane) - kFunctionAddresses;
    const std::uint64_t function = offset / kFunctionStride - 1;
    return offset % kFunctionStride == 0 && function < code_.function_blocks.size()
               ? code_.function_blocks[function]
               : kNoBlock;
  };
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t target = target_of(first);
  if (target == kNoBlock) {
    report_at({&warp, block.last.instruction, 1u << first}, FindingKind::kUnsupported,
              "calls an address that is no function's");
    complete_ = false;
    stopped_lanes_ = true;
    leave(warp, split, 1u << first);
    return warp.splits[split].mask != 0 ? split : kNoBlock;
  }
  const std::uint32_t same = lanes_with(target, mask, target_of);
  if (same != mask) return warp.diverge(split, same, block.target, block.target, block.next);
  CodeBlock known = block;
  known.target = target;
  return call(known, warp, split);
}

}  // namespace tilescope
