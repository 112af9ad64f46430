#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "kernel/compile_log.h"

namespace tilescope {

// What NVRTC had against a program.
struct Refusal {
  Error error;                      // the first of it, with its remedy
  std::vector<CompileError> found;  // all of it
  bool crashed = false;             // instead of saying what is wrong
  bool nvcc_may_take_it = false;    // a host header is missing, or NVRTC crashed
};

// The newest refusals of this process, by what decides them: who asks again need not wait for the
// compiler again. Thread-safe.
class Refusals {
 public:
  [[nodiscard]] std::optional<Refusal> find(const std::string& digest) const;
  void keep(std::string digest, Refusal refusal);

 private:
  static constexpr std::size_t kMost = 64;
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, Refusal>> kept_;  // the newest last
};

}  // namespace tilescope
