#pragma once

#include <memory>
#include <stop_token>

#include "analysis/study/study_counts.h"

namespace tilescope {

// Adds the machine code of the cubin, which with_resources() has loaded. kMachine: there is no
// disassembler. kKernel: code that cannot be followed.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_machine_code(
    std::shared_ptr<const KernelStudy> study, std::stop_token stop);

// run_grid() and run_sample() over the machine code: what the hardware issues. The counters are by
// instruction of `study.issued`, which must be there. A kernel that uses the results of its
// atomics runs twice, the second time in the other order.
[[nodiscard]] Result<GridRun> run_issued_grid(const KernelStudy& study, unsigned workers,
                                              std::stop_token stop);
[[nodiscard]] Result<GridRun> run_issued_sample(const KernelStudy& study, unsigned workers,
                                                std::stop_token stop);

// with_machine_code() where it is missing, then run_issued_sample() or run_issued_grid(), kept in
// the study: counters, or why there are none. Fails only with kCancelled.
enum class Counted { kSample, kGrid };
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_issued_counts(
    std::shared_ptr<const KernelStudy> study, Counted blocks, unsigned workers,
    std::stop_token stop);

}  // namespace tilescope
