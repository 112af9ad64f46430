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
