#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checks/access_order.h"
#include "emulator/checks/grid_history.h"
#include "emulator/warp_access.h"

namespace tilescope {

// The order of one block and the others: what it has published by strong stores and atomics in
// global memory, and what it has acquired by strong loads, in the times of GridHistory's clock.
class BlockOrder {
 public:
  BlockOrder(GridHistory& grid, const AccessOrder& order) : grid_(grid), order_(order) {}

  void start_block();
  // Before a strong store or atomic: others that read it later know of what `covered` covers.
  void publish(std::uint64_t address, AccessOrder::Published covered);
  // A strong load or atomic begins; its instruction has ended. What another worker's block stores
  // before the load itself is acquired only then.
  void will_acquire(std::uint64_t address) {
    if (waiting_count_ < waiting_.size()) waiting_[waiting_count_++] = address;
  }
  void end_instruction() {
    for (; waiting_count_ != 0; --waiting_count_) acquire(waiting_[waiting_count_ - 1]);
  }
  // The block touches global memory in a way that is compared with other blocks.
  void touch() { touched_ = true; }

  // Has it acquired anything since?
  [[nodiscard]] bool acquired_since(const AccessStamp& stamp) const {
    return !acquisitions_.empty() && acquisitions_.back().ticks[stamp.warp()] > stamp.tick;
  }
  // When other blocks that have seen it may rely on an access being over.
  [[nodiscard]] std::uint32_t published_at(const AccessStamp& stamp) const;
  // Up to when the block knew of others as it made an access.
  [[nodiscard]] std::uint32_t acquired_at(const AccessStamp& stamp) const;

 private:
  struct Publication {
    AccessOrder::Published covered;
    std::uint32_t time = 0;
  };
  struct Acquisition {
    std::uint32_t time = 0;
    std::vector<std::uint32_t> ticks;  // by warp, when it happened
  };
  static constexpr std::size_t kMost = 256;  // of each

  void acquire(std::uint64_t address);

  GridHistory& grid_;
  const AccessOrder& order_;
  std::vector<Publication> publications_;
  std::vector<Acquisition> acquisitions_;
  bool touched_ = false;  // since the last acquisition
  std::array<std::uint64_t, kWarpSize> waiting_{};
  std::uint32_t waiting_count_ = 0;
};

}  // namespace tilescope
