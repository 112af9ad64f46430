#include "analysis/time/memory_pipe.h"

#include <algorithm>
#include <cmath>

#include "analysis/memory/bank_conflicts.h"

namespace tilescope {
namespace {

// The sectors from work->first_sector on, each once.
void settle_sectors(TracedWork* traced, MemoryWork* work) {
  const auto begin = traced->sectors.begin() + work->first_sector;
  std::sort(begin, traced->sectors.end());
  traced->sectors.erase(std::unique(begin, traced->sectors.end()), traced->sectors.end());
  work->sectors = static_cast<std::uint32_t>(traced->sectors.size() - work->first_sector);
}

void add_sectors(const WarpAccess& access, TracedWork* traced, MemoryWork* work) {
  work->first_sector = static_cast<std::uint32_t>(traced->sectors.size());
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    traced->sectors.push_back(access.address[lane] / kSectorBytes);
  }
  settle_sectors(traced, work);
}

// What the bulk copies of an event move; they pass L1 by.
void add_bulk_copies(const BlockTrace& trace, TracedWork* traced) {
  constexpr std::uint64_t kWavefront = 128;  // bytes
  const std::vector<BulkCopy>& copies = trace.bulk_copies;
  for (std::size_t i = 0; i < copies.size();) {
    const std::uint32_t event = copies[i].event;
    MemoryWork work;
    work.space = MemorySpace::kGlobal;
    work.kind = copies[i].loads() ? AccessKind::kAsyncCopy : AccessKind::kStore;
    work.bypasses_l1 = work.is_bulk = true;
    work.first_sector = static_cast<std::uint32_t>(traced->sectors.size());
    std::uint64_t bytes = 0;
    for (; i < copies.size() && copies[i].event == event; ++i) {
      if (copies[i].lane >= kWarpSize) continue;  // another block's: taken as done
      const std::uint64_t end = copies[i].global + copies[i].bytes;
      for (std::uint64_t sector = copies[i].global / kSectorBytes; sector * kSectorBytes < end;
           ++sector) {
        traced->sectors.push_back(sector);
      }
      bytes += copies[i].bytes;
    }
    settle_sectors(traced, &work);
    work.wavefronts = static_cast<std::uint32_t>((bytes + kWavefront - 1) / kWavefront);
    if (bytes == 0 || event >= trace.events.size()) continue;
    if (traced->work_of[event] != kNoAccess) continue;
    traced->work_of[event] = static_cast<std::uint32_t>(traced->work.size());
    traced->work.push_back(work);
  }
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
      work.wavefronts = static_cast<std::uint32_t>(std::max(cost.writes.wavefronts, 1));
      add_sectors(access, &traced, &work);
    } else if (access.space == MemorySpace::kShared) {
      work.wavefronts =
          static_cast<std::uint32_t>(wavefront_cost(access, instruction.variant).wavefronts);
    } else if (access.space == MemorySpace::kLocal) {
      const SectorCost cost = local_sector_cost(access);
      work.wavefronts = static_cast<std::uint32_t>(std::max(cost.lines, 1));
    } else {
      // L1 is the same memory as shared memory: a line lies across its 32 banks.
      add_sectors(access, &traced, &work);
      work.wavefronts = static_cast<std::uint32_t>(wavefront_cost(access).wavefronts);
    }
    traced.work_of[e] = static_cast<std::uint32_t>(traced.work.size());
    traced.work.push_back(work);
  }
  add_bulk_copies(trace, &traced);
  return traced;
}

namespace {

std::uint32_t after(double from, double latency) {
  return static_cast<std::uint32_t>(std::lround(from + latency));
}

}  // namespace

std::uint32_t MemoryPipe::access(const MemoryWork& work, std::uint32_t block, std::uint32_t cycle) {
  // What comes in bulk takes its share of the stage when it comes, and no warp waits for that.
  const std::uint32_t start = work.is_bulk ? cycle : std::max(cycle, data_free_);
  if (!work.is_bulk) data_free_ = start + work.wavefronts;
  data_busy_ += work.wavefronts;
  const std::uint32_t moved = start + std::max<std::uint32_t>(work.wavefronts, 1) - 1;
  if (work.space == MemorySpace::kShared && work.kind != AccessKind::kAsyncCopy) {
    return after(moved, model_[Latency::kShared]);
  }
  if (work.space == MemorySpace::kLocal) return after(moved, model_[Latency::kL1]);
  const std::uint32_t missed = missed_sectors(work, block);
  if (missed == 0) return after(moved, model_[Latency::kL1]);
  const double bytes = double{kSectorBytes} * missed;
  l2_free_ = std::max(l2_free_, double(start)) + bytes / model_[Latency::kL2Rate];
  l2_busy_ += bytes / model_[Latency::kL2Rate];
  const double dram = bytes * dram_share_ / model_[Latency::kDramRate];
  dram_free_ = std::max(dram_free_, double(start)) + dram;
  dram_busy_ += dram;
  const double latency = model_[Latency::kL2] +
                         dram_share_ * std::max(model_[Latency::kDram] - model_[Latency::kL2], 0.0);
  return after(std::max({double(moved), l2_free_, dram_free_}), latency);
}

std::uint32_t MemoryPipe::missed_sectors(const MemoryWork& work, std::uint32_t block) {
  const bool reads = work.kind == AccessKind::kLoad || work.kind == AccessKind::kAsyncCopy;
  if (!reads || work.bypasses_l1) return work.sectors;
  std::uint32_t missed = 0;
  for (std::uint32_t i = 0; i < work.sectors; ++i) {
    const std::uint64_t sector = traced_.sectors[work.first_sector + i];
    // Copies of the block stand for others, whose data lie elsewhere.
    if (!l1_.touch(sector ^ (std::uint64_t{block} << 56))) ++missed;
  }
  l1_asked_ += work.sectors;
  l1_hit_ += work.sectors - missed;
  return missed;
}

std::uint32_t MemoryPipe::end() const {
  return std::max(
      {data_free_, static_cast<std::uint32_t>(l2_free_), static_cast<std::uint32_t>(dram_free_)});
}

double MemoryPipe::l1_hits() const {
  return l1_asked_ == 0 ? 0 : static_cast<double>(l1_hit_) / static_cast<double>(l1_asked_);
}

}  // namespace tilescope
