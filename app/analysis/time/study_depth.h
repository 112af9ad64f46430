#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "analysis/study/kernel_study.h"
#include "analysis/time/instruction_cost.h"

namespace tilescope {

// What a study is to have besides the trace of a block, registers and occupancy.
struct StudyDepth {
  bool checks =
      false;  // what a text that may be wrong does wrong: in the traced block, in a sample
  bool issued = false;    // counts of the machine code over a sample of blocks
  bool pipeline = false;  // where the model can have it
  bool whole_grid =
      false;  // counts of all blocks, as written, and as issued where that was counted
  std::optional<LatencyModel> latencies = {};  // of the pipeline; nullopt: the usual
  unsigned workers = 1;
};

// Called after each step with a study that knows more than the one before.
using StudyStep = std::function<void(const std::shared_ptr<const KernelStudy>&)>;

// Adds all of this to a study, in this order. Precondition of `pipeline`: with_resources(). Errors:
// kCancelled, and what keeps the grid from being emulated.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_depth(
    std::shared_ptr<const KernelStudy> study, const StudyDepth& depth, const std::stop_token& stop,
    const StudyStep& after_step = {});

}  // namespace tilescope
