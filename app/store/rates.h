#pragma once
#include <string>

#include "core/conditions.h"
#include "core/quantity.h"
#include "gpu/messages.h"
#include "kernel/catalogue/catalogue.h"
#include "store/published.h"
#include "store/recorded_runs.h"

namespace tilescope {

// A problem's rate is flop/s or bytes/s, as it says.
[[nodiscard]] Unit rate_unit(const Problem& problem);
[[nodiscard]] double work_of(const Problem& problem, const RunResult& result);
[[nodiscard]] double rate_of(const Problem& problem, const RunResult& result, double seconds);
// Per second, for a problem of the figure's size.
[[nodiscard]] double rate_of(const Problem& problem, const PublishedFigure& figure);

// What sets a recorded run's times apart from others.
[[nodiscard]] Conditions conditions_of(const RecordedRun& run, const RecordedMachine& machine);
// What is on record of the GPU during the samples.
[[nodiscard]] MeasuredConditions conditions_of(const RecordedRun& run);
// A recorded run as the result of a measurement, so that both are shown by the same code.
[[nodiscard]] RunResult as_result(const RecordedRun& run);

// "cuBLAS" of "cuBLAS SGEMM, FP32", "cuBLAS bf16" of "cuBLAS GemmEx, bf16 to FP32".
[[nodiscard]] std::string short_reference(const std::string& name);
// What stands beside a problem's kernels where no measurement says so.
[[nodiscard]] std::string usual_reference(const Problem& problem);

}  // namespace tilescope
