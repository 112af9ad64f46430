#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/kernel_study.h"

namespace tilescope {

// What a bulk copy reads, as accesses of a whole warp would: 32 pieces of 16 bytes at a time.
template <typename Visit>
void for_each_piece(const BulkCopy& copy, const Visit& visit) {
  constexpr std::uint64_t kPiece = 16;
  WarpAccess access;
  access.kind = AccessKind::kAsyncCopy;
  access.bytes_per_lane = kPiece;
  for (std::uint64_t byte = 0; byte < copy.bytes; byte += kPiece * kWarpSize) {
    access.active = 0;
    for (std::size_t i = 0; i < kWarpSize && byte + i * kPiece < copy.bytes; ++i) {
      access.address[i] = copy.from + byte + i * kPiece;
      access.active |= 1U << i;
    }
    visit(access);
  }
}

// Calls visit(event, access, step) for every global access of the block's warps.
template <typename Visit>
void for_each_global(const KernelStudy& study, const Visit& visit) {
  const std::vector<std::vector<std::uint32_t>>& warp_steps = study.timeline->warp_steps;
  std::vector<std::uint32_t> step(warp_steps.size(), 0);
  for (const std::uint32_t index : study.timeline->memory_events) {
    const TraceEvent& event = study.trace->events[index];
    const StaticInstruction& instruction = study.program->instructions()[event.instruction];
    if (instruction.space != MemorySpace::kGlobal && instruction.access != AccessKind::kAsyncCopy &&
        instruction.space != MemorySpace::kGeneric) {
      continue;
    }
    const WarpAccess access = study.trace->access(event.access);
    if (access.space != MemorySpace::kGlobal || access.active == 0) continue;
    const std::vector<std::uint32_t>& begin = warp_steps[event.warp];
    std::uint32_t& now = step[event.warp];
    while (now + 1 < begin.size() && begin[now + 1] <= index) ++now;
    visit(event, access, now);
  }
  for (const BulkCopy& copy : study.trace->bulk_copies) {
    if (copy.event >= study.trace->events.size()) continue;
    const TraceEvent& event = study.trace->events[copy.event];
    const std::uint32_t in = study.timeline->step_of(event.warp, copy.event);
    for_each_piece(copy, [&](const WarpAccess& access) { visit(event, access, in); });
  }
}

}  // namespace tilescope
