#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/checks/access_order.h"
#include "emulator/checks/grid_history.h"
#include "emulator/warp_access.h"

namespace tilescope {

// The order of one block and the others: what it has published by strong stores and atomics in
// global memory, and what its threads have acquired by strong loads.
class BlockOrder {
 public:
  BlockOrder(GridHistory& grid, AccessOrder& order, std::uint32_t threads)
      : grid_(grid), order_(order), known_(grid.knowledge(), threads), last_of_(threads) {
    order.carry(&known_);
  }

  void start_block(std::uint32_t block);
  // Before a strong store or atomic: others that read it later know of what `covered` covers.
  void publish(std::uint64_t address, std::uint32_t thread, AccessOrder::Published covered);
  // A strong load or atomic begins; its instruction has ended. What another worker's block stores
  // before the load itself is acquired only then.
  void will_acquire(std::uint64_t address, std::uint32_t thread) {
    if (waiting_count_ < waiting_.size()) waiting_[waiting_count_++] = {address, thread};
  }
  void end_instruction() {
    for (; waiting_count_ != 0; --waiting_count_) acquire(waiting_[waiting_count_ - 1]);
  }

  // Has the block acquired anything since?
  [[nodiscard]] bool acquired_since(const AccessStamp& stamp) const {
    return known_.any() && last_ticks_[stamp.warp()] > stamp.tick;
  }
  // When other blocks that have seen it may rely on an access being over.
  [[nodiscard]] std::uint32_t published_at(const AccessStamp& stamp) const {
    return publications_.empty() ? GridUse::kNever : find_publication(stamp);
  }
  // Did the thread of one access know less of other blocks than that of another?
  [[nodiscard]] bool knew_less(const AccessStamp& one, const AccessStamp& other) const {
    if (!known_.any()) return false;
    const std::uint32_t a = acquired_at(one);
    const std::uint32_t b = acquired_at(other);
    return a != b && grid_.knowledge().amount(a) < grid_.knowledge().amount(b);
  }
  // What its thread knew of other blocks as it made an access (BlockKnowledge).
  [[nodiscard]] std::uint32_t acquired_at(const AccessStamp& stamp) const {
    return known_.at(stamp.thread, stamp.tick);
  }

 private:
  struct Publication {
    AccessOrder::Published covered;
    std::uint32_t time = 0;
  };
  struct Waiting {
    std::uint64_t address = 0;
    std::uint32_t thread = 0;
  };
  static constexpr std::size_t kMost = 256;

  void acquire(const Waiting& waiting);
  [[nodiscard]] std::uint32_t find_publication(const AccessStamp& stamp) const;

  GridHistory& grid_;
  AccessOrder& order_;
  KnownBlocks known_;
  std::uint32_t block_ = 0;
  std::vector<Publication> publications_;
  std::vector<Publication> last_of_;       // by thread; time 0: none
  std::vector<std::uint32_t> last_ticks_;  // by warp, when a thread acquired something last
  std::array<Waiting, kWarpSize> waiting_{};
  std::uint32_t waiting_count_ = 0;
};

// How a block tells others that it is done, and learns that they are, by atomics on a counter, or
// stores to a flag that is polled: "tickets". A volatile store is announced by the first ticket
// that its thread, or one that has met it since, draws afterwards. Without a fence in between, that
// is what the kernel means and not what it does: whoever draws a later ticket of this counter need
// not see the store.
class TicketOrder {
 public:
  TicketOrder(GridHistory& grid, AccessOrder& order) : grid_(grid), order_(order) {}

  void start_block(std::uint32_t block);
  // An atomic in global memory, or a store to a flag; `released`: it publishes without a fence
  // before it; `answers`: what it returns is used.
  void draw(std::uint64_t address, const AccessStamp& stamp, bool released, bool answers);
  // A flag is looked at, maybe again and again: what was drawn there last is known.
  void poll(std::uint64_t address, const AccessStamp& stamp);
  // A volatile store.
  void store() { touched_ = true; }
  // A volatile load whose value is kept.
  void read(std::uint64_t address, const AccessStamp& stamp);

  struct Read {
    AccessStamp stamp;
    std::uint32_t ticket = 0;  // the last one that its thread knew of
  };
  [[nodiscard]] const std::unordered_map<std::uint64_t, Read>& reads() const { return reads_; }
  // The ticket that announces a store without a fence; 0: none.
  [[nodiscard]] std::uint32_t announced_at(const AccessStamp& store) const;

 private:
  struct Draw {
    std::uint64_t address = 0;
    std::uint32_t ticket = 0;
    std::uint32_t last = 0;  // of those that follow it with no volatile access in between
    AccessStamp stamp;       // of the last
    bool answers = false;
    bool polls = false;             // it draws nothing
    AccessOrder::Published fenced;  // what others may rely on
    AccessOrder::Published before;  // what they could if there were a fence
  };
  static constexpr std::size_t kMostDraws = 256;
  static constexpr std::size_t kMostReads = 1 << 14;

  GridHistory& grid_;
  AccessOrder& order_;
  std::uint32_t block_ = 0;
  std::vector<Draw> draws_;
  bool touched_ = false;                           // a volatile access has come since the last draw
  std::unordered_map<std::uint64_t, Read> reads_;  // the last of each address
};

}  // namespace tilescope
