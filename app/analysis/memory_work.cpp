#include "analysis/memory_work.h"

#include <algorithm>

#include "analysis/async_copy_cost.h"
#include "analysis/bank_conflicts.h"

namespace tilescope {

namespace {

void add_sectors(const WarpAccess& access, TracedWork* traced, MemoryWork* work) {
  work->first_sector = static_cast<std::uint32_t>(traced->sectors.size());
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    traced->sectors.push_back(access.address[lane] / kSectorBytes);
  }
  const auto begin = traced->sectors.begin() + work->first_sector;
  std::sort(begin, traced->sectors.end());
  traced->sectors.erase(std::unique(begin, traced->sectors.end()), traced->sectors.end());
  work->sectors = static_cast<std::uint16_t>(traced->sectors.size() - work->first_sector);
}

}  // namespace

TracedWork traced_work(const Program& program, const BlockTrace& trace) {
  TracedWork traced;
  traced.work_of.assign(trace.events.size(), kNoAccess);
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    if (event.access == kNoAccess) continue;
    // Another block's shared memory: what that costs is not modelled.
    if (trace.access(event.access).space == MemorySpace::kClusterShared) continue;
    const StaticInstruction& instruction = program.instructions()[event.instruction];
    const WarpAccess access = trace.access(event.access);
    MemoryWork work;
    work.space = access.space;
    work.kind = instruction.access;
    work.bypasses_l1 = instruction.variant == AccessVariant::kBypass;
    if (instruction.access == AccessKind::kAsyncCopy) {
      const AsyncCopyCost cost =
          async_copy_cost(access, trace.access(event.access + 1), instruction.variant);
      work.wavefronts = static_cast<std::uint16_t>(std::max(cost.writes.wavefronts, 1));
      add_sectors(access, &traced, &work);
    } else if (access.space == MemorySpace::kShared) {
      work.wavefronts =
          static_cast<std::uint16_t>(wavefront_cost(access, instruction.variant).wavefronts);
    } else if (access.space == MemorySpace::kLocal) {
      const SectorCost cost = local_sector_cost(access);
      work.wavefronts = static_cast<std::uint16_t>(std::max(cost.lines, 1));
    } else {
      // L1 is the same memory as shared memory: a line lies across its 32 banks.
      add_sectors(access, &traced, &work);
      work.wavefronts = static_cast<std::uint16_t>(wavefront_cost(access).wavefronts);
    }
    traced.work_of[e] = static_cast<std::uint32_t>(traced.work.size());
    traced.work.push_back(work);
  }
  return traced;
}

}  // namespace tilescope
