#include "exec/host_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilescope {

std::string cuda_error_name(int error) {
  switch (error) {
#define ERROR(number, name, text) \
  case number:                    \
    return name;
#include "runtime/errors.inc"
#undef ERROR
    default:
      return fmt::format("error {}", error);
  }
}

namespace {

// As the driver library calls it, whose functions are cuInit, cuMemAlloc ...
std::string driver_error_name(int error) {
  switch (error) {
#define DRIVER_ERROR(number, name) \
  case number:                     \
    return name;
#include "runtime/driver_errors.inc"
#undef DRIVER_ERROR
    default:
      return fmt::format("error {}", error);
  }
}

bool is_of_driver(const std::string& function) {
  return function.size() > 2 && function.starts_with("cu") && function[2] >= 'A' &&
         function[2] <= 'Z';
}

}  // namespace

std::string_view name_of(HostProblem::Kind kind) {
  switch (kind) {
    case HostProblem::Kind::kFailedCall:
      return "failed_call";
    case HostProblem::Kind::kFailedLaunch:
      return "failed_launch";
    case HostProblem::Kind::kHostAccess:
      return "host_access";
    case HostProblem::Kind::kNotWaited:
      return "not_synchronised";
    case HostProblem::Kind::kUseAfterFree:
      return "use_after_free";
    case HostProblem::Kind::kOutOfBounds:
      return "out_of_bounds";
    case HostProblem::Kind::kUninitialised:
      return "uninitialised";
    case HostProblem::Kind::kLeak:
      return "leak";
    case HostProblem::Kind::kNotSupported:
      return "unsupported";
  }
  return "";
}

std::size_t HostProblems::index_of(HostProblem problem) {
  const auto same = std::ranges::find_if(problems_, [&](const HostProblem& other) {
    return other.kind == problem.kind && other.message == problem.message &&
           other.caller == problem.caller;
  });
  const auto index = static_cast<std::size_t>(same - problems_.begin());
  if (same == problems_.end()) {
    problems_.push_back(std::move(problem));
  } else {
    ++same->times;
  }
  return index;
}

void HostProblems::failed(const runtime::FailedRequest& request, const std::string& name) {
  const bool is_launch = request.is_launch != 0;
  if (request.error == failed_kernel_) return;  // what follows from a kernel that failed
  unasked_.insert(index_of(
      {.kind = is_launch ? HostProblem::Kind::kFailedLaunch : HostProblem::Kind::kFailedCall,
       .message = fmt::format(
           "{} gave {}", is_launch ? "a launch" : name,
           is_of_driver(name) ? driver_error_name(request.error) : cuda_error_name(request.error)),
       .caller = request.caller,
       .is_mistake = false}));
}

std::vector<HostProblem> HostProblems::take() {
  for (const std::size_t index : unasked_) {
    if (problems_[index].kind != HostProblem::Kind::kFailedLaunch) continue;
    problems_[index].is_mistake = true;
    problems_[index].message +=
        ", and the program never asked for it: call cudaGetLastError() after a launch";
  }
  return std::move(problems_);
}

}  // namespace tilescope
