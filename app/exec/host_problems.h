#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/protocol.h"

namespace tilescope {

// Something that the program's host code does wrong, or that cannot be done for it.
struct HostProblem {
  enum class Kind : std::uint8_t {
    kFailedCall,    // a call gave the program an error
    kFailedLaunch,  // ... a launch
    kHostAccess,    // it touched memory of the device
    kNotWaited,     // it touched what a kernel or copy may still be writing
    kUseAfterFree,
    kOutOfBounds,    // a copy past an allocation's end
    kUninitialised,  // a copy of bytes that nobody has written
    kLeak,
    kNotSupported,  // what is missing here
  };
  Kind kind = Kind::kFailedCall;
  std::string message;       // one sentence
  std::uint64_t caller = 0;  // address in the program; 0: not known
  std::uint64_t times = 1;
  bool is_mistake = true;      // else only a note
  bool is_incomplete = false;  // the program did not run as it would on a GPU
};
[[nodiscard]] std::string_view name_of(HostProblem::Kind kind);  // "host_access"

// "cudaErrorInvalidValue"
[[nodiscard]] std::string cuda_error_name(int error);

// The mistakes of a program's host code so far.
class HostProblems {
 public:
  // The same one more often counts once more.
  void note(HostProblem problem) { index_of(std::move(problem)); }

  // A call of that name gave the program an error.
  void failed(const runtime::FailedRequest& request, const std::string& name);
  // The program has asked for the last error.
  void asked() { unasked_.clear(); }
  // A kernel has failed: from here on every call gives this error.
  void kernel_failed(int error) { failed_kernel_ = error; }

  // All of them, at the end of the program. Errors of launches that nobody asked for are mistakes
  // then.
  [[nodiscard]] std::vector<HostProblem> take();

 private:
  std::vector<HostProblem> problems_;
  std::size_t index_of(HostProblem problem);  // where it is noted
  std::set<std::size_t> unasked_;             // problems whose error the program has not asked for
  int failed_kernel_ = 0;                     // cudaSuccess
};

}  // namespace tilescope
