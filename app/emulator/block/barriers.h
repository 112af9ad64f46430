#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "emulator/block/warp.h"

namespace tilescope {

// The named barriers of a block (PTX ISA, "bar, barrier").
class Barriers {
 public:
  static constexpr std::uint32_t kNamed = 16;
  static constexpr std::uint32_t kCluster = 16;  // barrier.cluster's
  static constexpr std::uint32_t kCount = 17;

  void reset(std::uint32_t threads);

  struct Arrival {
    std::uint32_t id = 0;
    std::uint32_t expected = 0;  // threads; 0: the whole block
    std::uint32_t threads = 0;   // that arrive now
    std::uint32_t agreeing = 0;  // of those, with a true predicate (barrier.red)
  };
  void arrive(const Arrival& arrival);
  void exit(std::uint32_t threads) { exited_ += threads; }

  // Has everybody come that is awaited? Threads that have exited are not waited for.
  [[nodiscard]] bool complete(std::uint32_t id) const;
  // The same of a barrier of everybody to which nobody may have come.
  [[nodiscard]] bool all_have_come(std::uint32_t id) const {
    return state_[id].arrived + exited_ >= threads_;
  }
  [[nodiscard]] bool whole_block(std::uint32_t id) const { return state_[id].expected == 0; }
  [[nodiscard]] std::uint32_t expected(std::uint32_t id) const { return state_[id].expected; }
  [[nodiscard]] std::uint32_t arrived(std::uint32_t id) const { return state_[id].arrived; }
  [[nodiscard]] std::uint32_t agreeing(std::uint32_t id) const { return state_[id].agreeing; }
  [[nodiscard]] std::uint32_t exited() const { return exited_; }
  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  void clear(std::uint32_t id) { state_[id] = {}; }

 private:
  struct State {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;
    std::uint32_t agreeing = 0;
  };
  std::array<State, kCount> state_{};
  std::uint32_t threads_ = 0;
  std::uint32_t exited_ = 0;
};

}  // namespace tilescope
