#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/coalescing.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// What an access does to the memory pipe, the same for every copy of the block.
struct MemoryWork {
  std::uint32_t first_sector = 0;  // into the pool of sector numbers
  std::uint16_t sectors = 0;
  std::uint16_t wavefronts = 0;  // of the data stage
  MemorySpace space = MemorySpace::kNone;
  AccessKind kind = AccessKind::kNone;
  bool bypasses_l1 = false;
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

}  // namespace tilescope
