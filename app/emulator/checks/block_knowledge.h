#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/execution/barriers.h"

namespace tilescope {

// Vector clocks of the blocks of a launch: for each block, the latest time up to which what it did
// is known to be over. A strong store or atomic behind a fence publishes (releases) what its thread
// knows at its address; a strong load or atomic there observes (acquires) it. A clock has a number;
// 0: nothing is known. Thread-safe.
class BlockKnowledge {
 public:
  // A block tells at an address what one of its threads knows, and that what it did is over. Gives
  // the time: `before` again where the address says all that since then, else a new one.
  std::uint32_t publish(std::uint64_t address, std::uint32_t block, std::uint32_t known,
                        std::uint32_t before);
  [[nodiscard]] std::uint32_t observe(std::uint64_t address);
  [[nodiscard]] std::uint32_t joined(std::uint32_t a, std::uint32_t b);

  // Up to which time a block is known; 0: not at all.
  [[nodiscard]] std::uint32_t time_of(std::uint32_t known, std::uint32_t block) const;
  // How much is known, to compare states of one launch.
  [[nodiscard]] std::uint64_t amount(std::uint32_t known) const;

 private:
  // Of some blocks, by rising number, the time.
  using State = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  // Beyond this many entries of all states: whoever learns something knows all blocks up to then,
  // so that some races are not found. The number is that time, with the uppermost bit.
  static constexpr std::size_t kMostEntries = std::size_t{1} << 22;
  static constexpr std::uint32_t kAllUntil = 0x80000000u;

  std::uint32_t add(State state);
  std::uint32_t join(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::uint32_t find_time(std::uint32_t known, std::uint32_t block) const;

  mutable std::mutex mutex_;
  std::uint32_t clock_ = 0;
  std::atomic<bool> is_used_{false};
  std::deque<State> states_;  // by number - 1
  std::size_t entries_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> joined_;    // by the two numbers
  std::unordered_map<std::uint64_t, std::uint32_t> releases_;  // by address
};

// What the threads of one block know of other blocks, now and as they made their accesses: it
// spreads among them by what puts their accesses in order. Costs nothing until one has learnt
// something.
class KnownBlocks {
 public:
  KnownBlocks(BlockKnowledge& all, std::uint32_t threads);

  void start_block();
  // Has a thread of this block learnt anything?
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] std::uint32_t now(std::uint32_t thread) const { return any_ ? now_[thread] : 0; }
  // What the thread knew when its warp's time was `tick`.
  [[nodiscard]] std::uint32_t at(std::uint32_t thread, std::uint32_t tick) const;
  // True: it is new to the thread.
  bool learn(std::uint32_t thread, std::uint32_t known, std::uint32_t tick);

  // As AccessOrder has them; `ticks`, `tick`: the warps' time then.
  void block_barrier(std::span<const std::uint32_t> ticks);
  void warp_sync(std::uint32_t warp, std::uint32_t lanes, std::uint32_t tick);
  void arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes);
  void pass(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes, std::uint32_t tick);
  void clear(std::uint32_t barrier) { arrived_[barrier] = 0; }
  void move(std::uint32_t barrier, std::uint32_t to) {
    arrived_[to] = std::exchange(arrived_[barrier], 0);
  }
  void publish(std::uint64_t address, std::uint32_t thread);
  void observe(std::uint64_t address, std::uint32_t thread, std::uint32_t tick);

 private:
  struct Change {
    std::uint32_t tick = 0;
    std::uint32_t known = 0;
  };
  static constexpr std::size_t kMost = 256;  // changes of a thread; then the last one is replaced

  [[nodiscard]] std::uint32_t known_in(std::uint32_t warp, std::uint32_t lanes);

  BlockKnowledge& all_;
  bool any_ = false;
  std::vector<std::uint32_t> now_;                               // by thread
  std::vector<std::vector<Change>> changes_;                     // by thread, by rising tick
  std::array<std::uint32_t, Barriers::kCount + 1> arrived_{};    // and kClusterOver
  std::unordered_map<std::uint64_t, std::uint32_t> at_address_;  // of the block's own memory
};

}  // namespace tilescope
