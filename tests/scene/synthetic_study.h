#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// One warp-wide access of a kernel that never ran: for what no catalogue kernel does.
struct SyntheticAccess {
  MemorySpace space = MemorySpace::kGlobal;
  AccessKind kind = AccessKind::kLoad;
  int bytes_per_lane = 4;
  std::function<std::uint64_t(std::uint64_t)>
      offset;  // of each lane, into the buffer or shared memory
  std::uint32_t active = 0xffffffff;
};

// A study whose trace is these accesses, each on a source line of its own (1, 2, ...), by warp 0 of
// one block. Global ones go to `x`, floats, rows x cols (rows 1: a plain buffer); shared ones to
// tile[64][pitch].
struct SyntheticKernel {
  std::vector<SyntheticAccess> accesses;
  std::uint64_t rows = 1;
  std::uint64_t cols = 1u << 20;
  std::uint64_t pitch_words = 32;
};
[[nodiscard]] std::shared_ptr<const KernelStudy> synthetic_study(const SyntheticKernel& kernel);

}  // namespace tilescope
