#pragma once

#include <atomic>
#include <csignal>
#include <memory>

namespace tilescope {

inline constexpr int kStoppedByUser = 130;  // as a shell says that Ctrl-C ended a program

// Ctrl-C: the first is remembered, so that what is under way can finish; the second ends the
// program. A thread waits for the signal, which all others block. Threads inherit the mask, so make
// this first.
class Interrupt {
 public:
  Interrupt();
  [[nodiscard]] bool wanted() const { return *wanted_; }

 private:
  std::shared_ptr<std::atomic<bool>> wanted_ = std::make_shared<std::atomic<bool>>(false);
  sigset_t signals_{};
};

}  // namespace tilescope
