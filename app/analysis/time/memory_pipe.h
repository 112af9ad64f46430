#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/memory/coalescing.h"
#include "analysis/time/instruction_cost.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// What an access does to the memory pipe, the same for every copy of the block.
struct MemoryWork {
  std::uint32_t first_sector = 0;  // into the pool of sector numbers
  std::uint32_t sectors = 0;
  std::uint32_t wavefronts = 0;  // of the data stage
  MemorySpace space = MemorySpace::kNone;
  AccessKind kind = AccessKind::kNone;
  bool bypasses_l1 = false;
  bool is_bulk = false;  // by the tensor memory accelerator: no warp's access
};

struct TracedWork {
  std::vector<MemoryWork> work;        // parallel to the events' `work_of`
  std::vector<std::uint32_t> work_of;  // parallel to BlockTrace::events; kNoAccess: none
  std::vector<std::uint64_t> sectors;
};

[[nodiscard]] TracedWork traced_work(const Program& program, const BlockTrace& trace);

// Sectors in the order in which they came; the oldest make room.
class SectorCache {
 public:
  explicit SectorCache(std::uint64_t bytes) : capacity_(bytes / kSectorBytes) {}
  bool touch(std::uint64_t sector) {
    const auto [at, is_new] = filled_.try_emplace(sector, count_);
    if (!is_new && count_ - at->second < capacity_) return true;
    at->second = count_++;
    return false;
  }

 private:
  std::uint64_t capacity_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> filled_;
};

// The way of a multiprocessor's accesses, in cycles from the block's start: the L1 data stage,
// which takes a wavefront a cycle and also serves shared memory, then for what misses L1 its share
// of L2 and of DRAM. Each is a queue that serves one after the other. A model; see time_warps().
class MemoryPipe {
 public:
  struct Options {
    std::uint64_t l1_bytes = 0;
    double dram_share = 1;  // 0..1 of the sectors that miss L1; the rest hits L2
  };
  // Both must outlive it.
  MemoryPipe(const TracedWork& traced, const LatencyModel& model, const Options& options)
      : traced_(traced), model_(model), dram_share_(options.dram_share), l1_(options.l1_bytes) {}

  // The cycle in which the data of an access that is issued at `cycle` is there. Copies of the
  // block read data of their own: `block` says which one this is.
  [[nodiscard]] std::uint32_t access(const MemoryWork& work, std::uint32_t block,
                                     std::uint32_t cycle);

  // The first cycle in which the data stage is free.
  [[nodiscard]] std::uint32_t data_free() const { return data_free_; }
  // The last cycle in which any part still works.
  [[nodiscard]] std::uint32_t end() const;
  // Cycles of work done so far.
  [[nodiscard]] double data_busy() const { return static_cast<double>(data_busy_); }
  [[nodiscard]] double l2_busy() const { return l2_busy_; }
  [[nodiscard]] double dram_busy() const { return dram_busy_; }
  [[nodiscard]] double l1_hits() const;  // 0..1 of the sectors that loads ask for; 0: of none

 private:
  [[nodiscard]] std::uint32_t missed_sectors(const MemoryWork& work, std::uint32_t block);

  const TracedWork& traced_;
  const LatencyModel& model_;
  double dram_share_;
  SectorCache l1_;
  std::uint32_t data_free_ = 0;
  std::uint64_t data_busy_ = 0, l1_asked_ = 0, l1_hit_ = 0;
  double l2_free_ = 0, dram_free_ = 0, l2_busy_ = 0, dram_busy_ = 0;
};

}  // namespace tilescope
