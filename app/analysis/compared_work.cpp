#include "analysis/compared_work.h"

#include <algorithm>

#include "analysis/comparison.h"

namespace tilescope {
namespace {

constexpr double kSameBytes = 1.1;
// Two ways to the same result may differ in their arithmetic, not by half of it.
constexpr double kSameFlop = 1.5;

bool multiplies(const ComparedKernel& kernel) {
  return kernel.study->instance.problem == Problem::kGemm;
}
bool states_problem(const ComparedKernel& kernel) {
  return kernel.study != nullptr && kernel.study->instance.problem.has_value();
}

double counted_bytes(const LaunchWork& work) {
  return work.dram_read_bytes + work.dram_write_bytes;
}

bool is_arithmetic(const ComparedKernel& kernel) {
  const LaunchWork& work = kernel.diagnosis->work;
  return work.flop >= kLeastFlopPerByte * counted_bytes(work) && work.flop > 0;
}

bool is_counted(const ComparedKernel& kernel) {
  return kernel.study != nullptr && kernel.diagnosis != nullptr && !states_problem(kernel);
}

// Whether each kernel of a file is rated in flop, as far as its company says so.
enum class Company { kGemm, kMoving, kBoth, kArithmeticFiles, kFiles };

Company company_of(std::span<const ComparedKernel> kernels) {
  bool gemm = false;
  bool moving = false;
  bool arithmetic = true;
  for (const ComparedKernel& kernel : kernels) {
    if (states_problem(kernel)) (multiplies(kernel) ? gemm : moving) = true;
    if (is_counted(kernel)) arithmetic = arithmetic && is_arithmetic(kernel);
  }
  if (gemm && moving) return Company::kBoth;
  if (gemm) return Company::kGemm;
  if (moving) return Company::kMoving;
  return arithmetic ? Company::kArithmeticFiles : Company::kFiles;
}

ComparedWork stated(const ComparedKernel& kernel) {
  const ProblemCost cost = problem_cost(kernel.study->instance);
  if (multiplies(kernel)) return {Unit::kFlopPerSecond, cost.flop, cost.bytes};
  return {Unit::kBytesPerSecond, cost.bytes, cost.bytes};
}

ComparedWork counted(const ComparedKernel& kernel, Company company) {
  const LaunchWork& work = kernel.diagnosis->work;
  const double bytes = counted_bytes(work);
  const bool in_flop =
      company != Company::kMoving && company != Company::kFiles && is_arithmetic(kernel);
  if (in_flop) return {Unit::kFlopPerSecond, work.flop, bytes};
  if (bytes <= 0) return {};
  return {Unit::kBytesPerSecond, bytes, bytes};
}

bool within(double a, double b, double fold) { return a <= fold * b && b <= fold * a; }

}  // namespace

std::vector<ComparedWork> compared_work(std::span<const ComparedKernel> kernels) {
  const Company company = company_of(kernels);
  std::vector<ComparedWork> works;
  for (const ComparedKernel& kernel : kernels) {
    if (states_problem(kernel)) {
      works.push_back(stated(kernel));
    } else if (is_counted(kernel)) {
      works.push_back(counted(kernel, company));
    } else {
      works.emplace_back();
    }
  }
  return works;
}

bool same_amount(const ComparedWork& a, const ComparedWork& b) {
  if (!within(a.bytes, b.bytes, kSameBytes)) return false;
  return a.unit != Unit::kFlopPerSecond || within(a.amount, b.amount, kSameFlop);
}

}  // namespace tilescope
