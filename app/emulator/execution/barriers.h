#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "emulator/micro_operation.h"

namespace tilescope {

// The named barriers of a block (PTX ISA, "bar, barrier").
class Barriers {
 public:
  static constexpr std::uint32_t kNamed = 16;
  static constexpr std::uint32_t kCluster = 16;     // barrier.cluster's
  static constexpr std::uint32_t kWarpgroups = 17;  // wgmma.wait_group's, one of each warpgroup
  static constexpr std::uint32_t kCount = kWarpgroups + 8;
  // Beside them, for those who follow what the threads know: the cluster's barrier, whose last
  // phase is over.
  static constexpr std::uint32_t kClusterOver = kCount;
  static constexpr std::uint32_t kWarpsOfGroup = 4;

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
  // Those to which somebody has come, a bit for each.
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }
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
  // Whoever came has been released.
  void clear(std::uint32_t id) {
    state_[id] = {};
    in_use_ &= ~(1u << id);
    if (id == kCluster) ++cluster_phase_;
  }
  // How often the cluster's barrier has been complete.
  [[nodiscard]] std::uint32_t cluster_phase() const { return cluster_phase_; }

 private:
  struct State {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;
    std::uint32_t agreeing = 0;
  };
  std::array<State, kCount> state_{};
  std::uint32_t in_use_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t exited_ = 0;
  std::uint32_t cluster_phase_ = 0;
};

// An mbarrier object as this emulator keeps it in its 64 bits (PTX ISA, "mbarrier"; the layout is
// opaque to programs).
struct Mbarrier {
  std::uint32_t pending = 0;   // arrivals that the current phase still waits for
  std::uint32_t expected = 0;  // arrivals of the next phase
  std::int32_t bytes = 0;      // of asynchronous copies that the current phase still waits for
  bool phase = false;          // parity of the current phase
  bool valid = false;          // between init and inval

  static constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

  [[nodiscard]] std::uint64_t pack() const;
  [[nodiscard]] static Mbarrier unpack(std::uint64_t word);

  void init(std::uint32_t count);
  void expect(std::uint32_t more_bytes);
  void complete(std::uint32_t fewer_bytes);
  void arrive(std::uint32_t count, bool drops);

 private:
  void end_phase();  // when nothing is awaited any more
};

// MicroOp::flags of a barrier without result: of the warp's group, wgmma.wait_group.
// MicroOp::immediate: so many groups of products may be under way.
inline constexpr std::uint8_t kOfWarpgroup = 1;

// MicroOp::flags of the mbarrier operations.
inline constexpr std::uint8_t kWideAddress = 1;
inline constexpr std::uint8_t kDrops = 2;         // arrive_drop
inline constexpr std::uint8_t kExpectsFirst = 4;  // arrive.expect_tx
inline constexpr std::uint8_t kByParity = 8;      // test_wait.parity
inline constexpr std::uint8_t kNoIncrement = 16;  // cp.async.mbarrier.arrive.noinc
inline constexpr std::uint8_t kInvalidates = 32;  // inval, by the operation of init
inline constexpr std::uint8_t kCompletes = 64;    // complete_tx, by the operation of expect_tx

}  // namespace tilescope
