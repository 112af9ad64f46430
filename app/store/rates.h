#pragma once
#include <string>

#include "core/quantity.h"
#include "gpu/messages.h"
#include "kernel/catalogue/catalogue.h"
#include "store/published.h"

namespace tilescope {

// A problem's rate is flop/s or bytes/s, as it says.
[[nodiscard]] Unit rate_unit(const Problem& problem);
[[nodiscard]] double work_of(const Problem& problem, const RunResult& result);
[[nodiscard]] double rate_of(const Problem& problem, const RunResult& result, double seconds);
// Per second, for a problem of the figure's size.
[[nodiscard]] double rate_of(const Problem& problem, const PublishedFigure& figure);

// "cuBLAS" of "cuBLAS SGEMM, FP32", "cuBLAS bf16" of "cuBLAS GemmEx, bf16 to FP32".
[[nodiscard]] std::string short_reference(const std::string& name);
// What stands beside a problem's kernels where no measurement says so.
[[nodiscard]] std::string usual_reference(const Problem& problem);

}  // namespace tilescope
