#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/checks/block_knowledge.h"
#include "emulator/checks/instruction_order.h"
#include "emulator/code.h"
#include "emulator/execution/barriers.h"

namespace tilescope {

// Who touched a piece of memory, with which instruction, and when: `tick` is the time of the
// thread's warp, which goes on with every access and every synchronisation; 0: never.
struct AccessStamp {
  static constexpr std::uint32_t kMostInstructions = 1u << 19;

  std::uint32_t thread : 10 = 0;  // linear index in the block
  std::uint32_t strong : 1 = 0;   // volatile, atomic ...
  std::uint32_t atomic : 1 = 0;
  std::uint32_t polls : 1 = 0;  // a load: see InstructionNote; a write: a cp.async has arrived
  std::uint32_t instruction : 19 = 0;
  std::uint32_t tick = 0;

  [[nodiscard]] std::uint32_t warp() const { return thread / 32; }
  [[nodiscard]] std::uint32_t lane() const { return thread % 32; }
};
static_assert(sizeof(AccessStamp) == 8);

// Did lanes of one warp make both as they executed one instruction together?
[[nodiscard]] inline bool is_one_step(const AccessStamp& a, const AccessStamp& b) {
  return a.tick == b.tick && a.warp() == b.warp();
}

// Which accesses of a block's threads happen before which others, whatever the warps' order of
// execution. Order comes from
//   - the program order of one thread,
//   - a barrier of the whole block, and a named one for the threads that come to it,
//   - bar.warp.sync, shfl.sync, vote.sync, match.sync and redux.sync among the lanes that execute
//     them together,
//   - a fence, then a strong store or atomic by the same thread (or one that is a .release); then
//     a strong load or atomic by another thread at the same address, with or without a fence.
// That two lanes execute one instruction together is no order. Vector clocks, by thread, but
// kept by warp where all lanes know the same.
class AccessOrder {
 public:
  AccessOrder(std::uint32_t threads, const Program& program);
  // Barriers and flags of the block also spread what its threads know of other blocks, which is
  // kept there. nullptr: the launch has one block.
  void carry(KnownBlocks* others) { others_ = others; }

  void start_block();
  [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(tick_.size()); }
  // The time for the accesses that a warp makes next.
  std::uint32_t tick(std::uint32_t warp) { return ++tick_[warp]; }
  // This is what the warp does then.
  void note(std::uint32_t warp, std::uint32_t instruction, std::uint32_t lanes,
            std::uint32_t tick) {
    Visit& visit = visits_[warp * instructions_ + instruction];
    if (visit.first <= barrier_[warp]) visit = {tick, 0};
    visit.lanes |= lanes;
  }
  // Of two accesses since the last barrier of the whole block: is `one` the later in the course of
  // the program, whichever warp runs ahead? Who must go round a loop to come there from that
  // barrier is; so is a thread that has been where the other stands; else the code has them in
  // their order.
  [[nodiscard]] bool is_later(const AccessStamp& one, const AccessStamp& other);
  // Does the code have one instruction after the other, both between two barriers?
  [[nodiscard]] bool comes_after(std::uint32_t one, std::uint32_t other) {
    return course_.comes_after(one, other).value_or(false);
  }
  // Since the last barrier of the whole block: has a thread been at an instruction; several?
  [[nodiscard]] bool was_at(std::uint32_t instruction, std::uint32_t thread) const {
    const Visit& visit = visits_[thread / 32 * instructions_ + instruction];
    return visit.first > barrier_[thread / 32] && (visit.lanes >> thread % 32 & 1u) != 0;
  }
  // Was the stamp's thread at that instruction before it made the stamp, since the barrier?
  [[nodiscard]] bool has_been_at(std::uint32_t instruction, const AccessStamp& stamp) const {
    const Visit& visit = visits_[stamp.warp() * instructions_ + instruction];
    return visit.first > barrier_[stamp.warp()] && visit.first < stamp.tick &&
           (visit.lanes >> stamp.lane() & 1u) != 0;
  }
  [[nodiscard]] bool several_at(std::uint32_t instruction) const;
  // ... has a warp been at both?
  [[nodiscard]] bool any_at_both(std::uint32_t one, std::uint32_t other) const;
  // Does what `past` stands for happen before what `thread` does now?
  [[nodiscard]] bool ordered(const AccessStamp& past, std::uint32_t thread) const {
    return past.thread == thread || knows(thread / 32, past) ||
           (anything_fine_ && ordered_finely(past, thread));
  }
  // ... what each thread of the warp does now?
  [[nodiscard]] bool knows(std::uint32_t warp, const AccessStamp& past) const {
    const std::uint32_t of = past.warp();
    return past.tick <= barrier_[of] || (of == warp && past.tick <= whole_[warp]);
  }
  // The same for accesses of many warps: by warp, up to which tick they are known to `warp`.
  using KnownTicks = std::array<std::uint32_t, 32>;
  [[nodiscard]] KnownTicks known_to(std::uint32_t warp) const {
    KnownTicks known{};
    std::copy(barrier_.begin(), barrier_.end(), known.begin());
    known[warp] = std::max(known[warp], whole_[warp]);
    return known;
  }
  // Do some threads know more than their whole warp does?
  [[nodiscard]] bool is_fine() const { return anything_fine_; }
  // Was it made by the block that runs now?
  [[nodiscard]] bool is_recent(const AccessStamp& stamp) const {
    return stamp.tick > begin_[stamp.warp()];
  }
  // How far the warp had come since the last barrier of the whole block.
  [[nodiscard]] std::uint32_t progress(const AccessStamp& stamp) const {
    return stamp.tick - barrier_[stamp.warp()];
  }
  [[nodiscard]] bool since_barrier(const AccessStamp& stamp) const {
    return stamp.tick > barrier_[stamp.warp()];
  }

  // `at`: the block of Code::blocks that ends in it.
  void block_barrier(std::uint32_t at = kNoBlock);
  void warp_sync(std::uint32_t warp, std::uint32_t lanes, std::uint32_t alive);
  // Lanes leave the kernel, which puts nothing in order.
  void leave(std::uint32_t warp, std::uint32_t lanes) {
    if (tick_[warp] > std::max(barrier_[warp], whole_[warp])) left_[warp] |= lanes;
  }
  // `until`: with what they did until that tick, and what they know.
  void arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes, std::uint32_t until);
  [[nodiscard]] std::uint32_t now(std::uint32_t warp) const { return tick_[warp]; }
  // Those who waited at a barrier go on; then clear() it.
  void pass(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes);
  void clear(std::uint32_t barrier) {
    arrived_[barrier].reset();
    if (others_ != nullptr) others_->clear(barrier);
  }
  // Those who have arrived at one barrier count as arrived at another one instead.
  void move(std::uint32_t barrier, std::uint32_t to) {
    arrived_[to] = std::move(arrived_[barrier]);
    if (others_ != nullptr) others_->move(barrier, to);
  }
  void fence(std::uint32_t warp, std::uint32_t lanes, bool device);
  // A strong access; `released`: it publishes without a fence before it.
  void publish(std::uint64_t address, std::uint32_t thread, bool released);
  void observe(std::uint64_t address, std::uint32_t thread);

  // For the order of blocks: what a thread's last device-wide fence covers of its block's accesses.
  struct Published {
    std::uint32_t thread = 0;
    std::uint32_t fence = 0;  // its own accesses up to here; 0: there was none
    std::uint32_t warp = 0;   // its warp's up to here
    std::shared_ptr<const std::vector<std::uint32_t>> barriers;  // everybody's, by warp
    // By thread, up to its own device-wide fence before the last barrier of the block.
    std::shared_ptr<const std::vector<std::uint32_t>> fenced;

    friend bool operator==(const Published&, const Published&) = default;
    [[nodiscard]] bool any() const { return fence != 0 || fenced != nullptr; }
  };
  [[nodiscard]] Published published(std::uint32_t thread, bool released);
  [[nodiscard]] static bool covers(const Published& published, const AccessStamp& stamp);
  [[nodiscard]] std::vector<std::uint32_t> ticks() const { return tick_; }
  // By thread: up to which tick its accesses happen before what `thread` does next.
  [[nodiscard]] std::vector<std::uint32_t> knowledge_of(std::uint32_t thread) const;
  // Of memory that grows with the kernel.
  [[nodiscard]] std::uint64_t held_bytes() const { return visits_.size() * sizeof(Visit); }

 private:
  using Clock = std::vector<std::uint32_t>;  // by thread: its accesses up to this tick are known
  using SharedClock = std::shared_ptr<const Clock>;
  static constexpr std::size_t kMostAddresses = 1 << 14;

  [[nodiscard]] bool ordered_finely(const AccessStamp& past, std::uint32_t thread) const;
  [[nodiscard]] std::uint32_t known(std::uint32_t lane_of, std::uint32_t by) const;
  void learn(std::uint32_t thread, const SharedClock& clock);
  // Is all that `thread` knows, its own accesses up to a tick, in the clock?
  [[nodiscard]] bool says_all(const Clock& clock, std::uint32_t thread,
                              std::uint32_t own_until) const;
  void add_knowledge(Clock& to, std::uint32_t warp, std::uint32_t lanes,
                     std::uint32_t own_until) const;

  struct Visit {
    std::uint32_t first = 0;  // the warp's first time since the last barrier of the whole block
    std::uint32_t lanes = 0;  // who was there since
  };

  std::uint32_t threads_;
  std::size_t instructions_;
  KnownBlocks* others_ = nullptr;
  std::vector<std::uint32_t> tick_;     // by warp
  std::vector<std::uint32_t> begin_;    // of the block
  std::vector<std::uint32_t> barrier_;  // the last one of the whole block
  std::uint32_t barrier_block_ = kNoBlock;
  std::vector<Visit> visits_;  // [warp][instruction]
  InstructionOrder course_;
  std::vector<std::uint32_t> whole_;  // the last synchronisation of all lanes
  std::vector<std::uint32_t> left_;   // lanes that have left with accesses since, maybe
  std::vector<std::array<std::array<std::uint32_t, 32>, 32>> lanes_;  // [warp][who][of whom]
  std::vector<bool> lanes_used_;
  bool anything_fine_ = false;  // in this block: lanes_ or clocks_ say something
  bool clocks_used_ = false;
  std::vector<SharedClock> clocks_;  // by thread; nullptr: nothing beyond its warp
  std::vector<std::uint32_t> fence_;
  std::vector<std::uint32_t> device_fence_;
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> fence_barriers_;
  std::shared_ptr<const std::vector<std::uint32_t>> fenced_;  // at the last barrier of the block
  bool fenced_since_ = false;
  std::array<std::shared_ptr<Clock>, Barriers::kCount + 1> arrived_;  // and kClusterOver
  std::unordered_map<std::uint64_t, SharedClock> at_address_;
};

}  // namespace tilescope
