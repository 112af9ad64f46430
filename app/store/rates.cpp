#include "store/rates.h"

#include "gpu/messages.h"
#include "kernel/launch/instance.h"

namespace tilescope {

Unit rate_unit(const Problem& problem) {
  return problem->rated_in_flop ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
}

double work_of(const Problem& problem, const RunResult& result) {
  return problem->rated_in_flop ? result.flop : result.bytes;
}

double rate_of(const Problem& problem, const RunResult& result, double seconds) {
  return work_of(problem, result) / seconds;
}

Conditions conditions_of(const RecordedRun& run, const RecordedMachine& machine) {
  return {machine.gpu, machine.driver, run.cold, run.factors};
}

MeasuredConditions conditions_of(const RecordedRun& run) {
  MeasuredConditions conditions;
  conditions.sm_clock_before_hz = run.sm_clock_before_hz;
  conditions.sm_clock_after_hz = run.sm_clock_hz;
  conditions.temperature_after_celsius = run.temperature_celsius;
  conditions.throttle_reasons = throttle_reasons_of(run.throttle_reasons);
  conditions.throttled_samples = run.throttled_samples;
  conditions.all_throttled = run.all_throttled;
  return conditions;
}

RunResult as_result(const RecordedRun& run) {
  const auto summary = [&](const RecordedTimes& times) {
    TimeSummary result;
    result.count = run.samples;
    result.median_seconds = times.median_seconds;
    result.p5_seconds = times.p5_seconds;
    result.p95_seconds = times.p95_seconds;
    return result;
  };
  RunResult result;
  result.kernel = summary(run.times);
  result.kernel.relative_error = run.relative_error.value_or(0);
  if (run.reference) {
    result.reference = summary(*run.reference);
    result.reference->relative_error = run.reference_error.value_or(0);
  }
  result.reference_name = run.reference_name;
  if (run.other) result.other = summary(*run.other);
  result.other_name = run.other_name;
  result.max_error = run.max_error;
  result.tolerance = run.tolerance;
  result.correct = !run.max_error || *run.max_error <= run.tolerance;
  result.cold = run.cold;
  result.conditions = conditions_of(run);
  result.flop = run.flop;
  result.bytes = run.bytes;
  return result;
}

double rate_of(const Problem& problem, const PublishedFigure& figure) {
  if (figure.unit != "ms") return figure.value * 1e9;  // GFLOP/s, GB/s
  const ProblemCost cost = problem_cost(problem, figure.extents);
  const double work = problem->rated_in_flop ? cost.flop : cost.bytes;
  return work / (figure.value * 1e-3);
}

std::string short_reference(const std::string& name) {
  if (!name.starts_with("cuBLAS")) return name;
  return name.find("bf16") != std::string::npos ? "cuBLAS bf16" : "cuBLAS";
}

std::string usual_reference(const Problem& problem) {
  return problem->multiplies() ? "cuBLAS" : "device copy";
}

}  // namespace tilescope
