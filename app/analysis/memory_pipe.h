#pragma once
#include <cstdint>

#include "analysis/latency_model.h"
#include "analysis/memory_work.h"

namespace tilescope {

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
