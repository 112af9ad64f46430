#include "analysis/memory_pipe.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

std::uint32_t after(double from, double latency) {
  return static_cast<std::uint32_t>(std::lround(from + latency));
}

}  // namespace

std::uint32_t MemoryPipe::access(const MemoryWork& work, std::uint32_t block, std::uint32_t cycle) {
  const std::uint32_t start = std::max(cycle, data_free_);
  data_free_ = start + work.wavefronts;
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
