#include "emulator/checks/access_order.h"

#include <algorithm>
#include <bit>

#include "emulator/execution/register_cells.h"

namespace tilescope {
namespace {

// Two clocks of one block. Atomics by the thousand ask; most bring nothing new.
bool knows_all_of(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
  if (&all == &some) return true;
  bool less = false;
  for (std::size_t t = 0; t < all.size(); ++t) less |= all[t] < some[t];
  return !less;
}

}  // namespace

AccessOrder::AccessOrder(std::uint32_t threads, const Program& program)
    : threads_(threads), instructions_(program.instructions().size()), course_(program) {
  const std::size_t warps = (threads + 31) / 32;
  for (auto* by_warp : {&tick_, &begin_, &barrier_, &whole_, &left_}) by_warp->assign(warps, 0);
  visits_.resize(warps * instructions_);
  lanes_used_.assign(warps, false);
  clocks_.resize(threads);
  fence_.assign(threads, 0);
  device_fence_.assign(threads, 0);
  fence_barriers_.resize(threads);
}

bool AccessOrder::is_later(const AccessStamp& one, const AccessStamp& other) {
  if (one.instruction == other.instruction) return progress(one) > progress(other);
  if (barrier_block_ != kNoBlock) {
    const bool one_goes_round = course_.needs_round(barrier_block_, one.instruction);
    const bool other_goes_round = course_.needs_round(barrier_block_, other.instruction);
    if (one_goes_round != other_goes_round) return one_goes_round;
  }
  const bool one_came_round = has_been_at(other.instruction, one);
  const bool other_came_round = has_been_at(one.instruction, other);
  if (one_came_round != other_came_round) return one_came_round;
  if (!one_came_round) {
    const std::optional<bool> after = course_.comes_after(one.instruction, other.instruction);
    if (after) return *after;
  }
  return progress(one) > progress(other);
}

bool AccessOrder::several_at(std::uint32_t instruction) const {
  std::uint32_t lanes = 0;
  bool several = false;
  for (std::size_t w = 0; w < tick_.size(); ++w) {
    const Visit& visit = visits_[w * instructions_ + instruction];
    if (visit.first <= barrier_[w]) continue;
    several = several || lanes != 0 || std::popcount(visit.lanes) > 1;
    lanes = visit.lanes;
  }
  return several;
}

bool AccessOrder::any_at_both(std::uint32_t one, std::uint32_t other) const {
  for (std::size_t w = 0; w < tick_.size(); ++w) {
    const Visit* const visits = &visits_[w * instructions_];
    if (visits[one].first > barrier_[w] && visits[other].first > barrier_[w]) return true;
  }
  return false;
}

void AccessOrder::start_block() {
  block_barrier();
  begin_ = barrier_;
  std::fill(fence_.begin(), fence_.end(), 0);
  std::fill(device_fence_.begin(), device_fence_.end(), 0);
  fenced_.reset();
  for (auto& clock : arrived_) clock.reset();
  at_address_.clear();
  if (others_ != nullptr) others_->start_block();
}

// Ticks only rise, so what is older than the barrier needs no clearing; clocks, which say more than
// the barrier about nobody now, are dropped for speed.
void AccessOrder::block_barrier(std::uint32_t at) {
  barrier_block_ = at;
  for (std::size_t w = 0; w < tick_.size(); ++w) barrier_[w] = whole_[w] = ++tick_[w];
  std::fill(left_.begin(), left_.end(), 0);
  if (others_ != nullptr) others_->block_barrier(tick_);
  if (clocks_used_) std::fill(clocks_.begin(), clocks_.end(), nullptr);
  clocks_used_ = false;
  anything_fine_ = false;
  if (fenced_since_) fenced_ = std::make_shared<const std::vector<std::uint32_t>>(device_fence_);
  fenced_since_ = false;
  std::fill(lanes_used_.begin(), lanes_used_.end(), false);
}

void AccessOrder::warp_sync(std::uint32_t warp, std::uint32_t lanes, std::uint32_t alive) {
  const std::uint32_t now = ++tick_[warp];
  if (others_ != nullptr) others_->warp_sync(warp, lanes, now);
  if (((alive | left_[warp]) & ~lanes) == 0) {
    whole_[warp] = now;
  } else {
    if (lanes_.empty()) lanes_.resize(tick_.size());
    auto& matrix = lanes_[warp];
    std::array<std::uint32_t, 32> joined{};
    for_lanes(lanes, [&](std::uint32_t lane) {
      for (std::size_t of = 0; of < 32; ++of) joined[of] = std::max(joined[of], matrix[lane][of]);
    });
    for_lanes(lanes, [&](std::uint32_t lane) { joined[lane] = now; });
    for_lanes(lanes, [&](std::uint32_t lane) { matrix[lane] = joined; });
    lanes_used_[warp] = true;
    anything_fine_ = true;
  }
  if (!clocks_used_) return;
  SharedClock first;
  bool differ = false;
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t thread = warp * 32 + lane;
    if (thread >= threads_ || clocks_[thread] == nullptr) return;
    differ |= first != nullptr && first != clocks_[thread];
    first = clocks_[thread];
  });
  if (first == nullptr) return;
  if (differ) {
    Clock joined(threads_, 0);
    for_lanes(lanes, [&](std::uint32_t lane) {
      const std::uint32_t thread = warp * 32 + lane;
      if (thread >= threads_ || clocks_[thread] == nullptr) return;
      for (std::size_t t = 0; t < threads_; ++t)
        joined[t] = std::max(joined[t], (*clocks_[thread])[t]);
    });
    first = std::make_shared<const Clock>(std::move(joined));
  }
  for_lanes(lanes, [&](std::uint32_t lane) {
    if (warp * 32 + lane < threads_) clocks_[warp * 32 + lane] = first;
  });
}

// Up to which tick `by` knows another lane of its warp by the warp's own synchronisations.
std::uint32_t AccessOrder::known(std::uint32_t lane_of, std::uint32_t by) const {
  const std::uint32_t warp = by / 32;
  std::uint32_t until = std::max(barrier_[warp], whole_[warp]);
  if (lanes_used_[warp]) until = std::max(until, lanes_[warp][by % 32][lane_of]);
  return until;
}

bool AccessOrder::ordered_finely(const AccessStamp& past, std::uint32_t thread) const {
  if (past.warp() == thread / 32 && past.tick <= known(past.lane(), thread)) return true;
  return clocks_[thread] != nullptr && past.tick <= (*clocks_[thread])[past.thread];
}

// Adds to a clock what some lanes of a warp know, their own accesses up to a tick. Most lanes share
// one clock and know the same of their warp: that is added once.
void AccessOrder::add_knowledge(Clock& to, std::uint32_t warp, std::uint32_t lanes,
                                std::uint32_t own_until) const {
  const Clock* added = nullptr;
  std::uint32_t differing = lanes;  // in what they know of their warp
  if (!lanes_used_[warp]) differing &= ~differing + 1;
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t thread = warp * 32 + lane;
    if (thread >= threads_) return;
    const Clock* const clock = clocks_[thread].get();
    if (clock != nullptr && clock != added) {
      for (std::size_t t = 0; t < threads_; ++t) to[t] = std::max(to[t], (*clock)[t]);
      added = clock;
    }
    to[thread] = std::max(to[thread], own_until);
  });
  for_lanes(differing, [&](std::uint32_t by) {
    for (std::uint32_t lane = 0; lane < 32 && warp * 32 + lane < threads_; ++lane) {
      std::uint32_t& entry = to[warp * 32 + lane];
      entry = std::max(entry, std::min(known(lane, warp * 32 + by), own_until));
    }
  });
}

bool AccessOrder::says_all(const Clock& clock, std::uint32_t thread,
                           std::uint32_t own_until) const {
  if (clock[thread] < own_until) return false;
  const std::uint32_t warp = thread / 32;
  for (std::uint32_t lane = 0; lane < 32 && warp * 32 + lane < threads_; ++lane) {
    if (clock[warp * 32 + lane] < std::min(known(lane, thread), own_until)) return false;
  }
  return clocks_[thread] == nullptr || knows_all_of(clock, *clocks_[thread]);
}

std::vector<std::uint32_t> AccessOrder::knowledge_of(std::uint32_t thread) const {
  Clock known(threads_, 0);
  for (std::size_t t = 0; t < threads_; ++t) known[t] = barrier_[t / 32];
  add_knowledge(known, thread / 32, 1u << thread % 32, tick_[thread / 32]);
  return known;
}

void AccessOrder::learn(std::uint32_t thread, const SharedClock& clock) {
  clocks_used_ = true;
  anything_fine_ = true;
  if (clocks_[thread] == nullptr || knows_all_of(*clock, *clocks_[thread])) {
    clocks_[thread] = clock;
    return;
  }
  if (knows_all_of(*clocks_[thread], *clock)) return;
  Clock joined = *clock;
  for (std::size_t t = 0; t < threads_; ++t) joined[t] = std::max(joined[t], (*clocks_[thread])[t]);
  clocks_[thread] = std::make_shared<const Clock>(std::move(joined));
}

void AccessOrder::arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes,
                         std::uint32_t until) {
  std::shared_ptr<Clock>& clock = arrived_[barrier];
  if (clock == nullptr) clock = std::make_shared<Clock>(threads_, 0);
  add_knowledge(*clock, warp, lanes, until);
  if (others_ != nullptr) others_->arrive(barrier, warp, lanes);
  ++tick_[warp];
}

void AccessOrder::pass(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes) {
  if (arrived_[barrier] == nullptr) return;
  if (others_ != nullptr) others_->pass(barrier, warp, lanes, tick_[warp]);
  const SharedClock clock = arrived_[barrier];
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t thread = warp * 32 + lane;
    if (barrier == Barriers::kClusterOver) {
      if (thread < threads_) learn(thread, clock);  // it may have learnt more since its arrival
    } else {
      clocks_[thread] = clock;  // holds what the thread itself knew
    }
  });
  clocks_used_ = true;
  anything_fine_ = true;
}

void AccessOrder::fence(std::uint32_t warp, std::uint32_t lanes, bool device) {
  const std::uint32_t now = tick_[warp]++;
  std::shared_ptr<const std::vector<std::uint32_t>> barriers;
  if (device) barriers = std::make_shared<const std::vector<std::uint32_t>>(barrier_);
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t thread = warp * 32 + lane;
    fence_[thread] = now;
    if (!device) return;
    device_fence_[thread] = now;
    fenced_since_ = true;
    fence_barriers_[thread] = barriers;
  });
}

void AccessOrder::publish(std::uint64_t address, std::uint32_t thread, bool released) {
  const std::uint32_t until = released ? tick_[thread / 32] : fence_[thread];
  if (until == 0) return;
  if (others_ != nullptr) others_->publish(address, thread);
  if (at_address_.size() >= kMostAddresses) address = 0;  // one for all the others
  SharedClock& clock = at_address_[address];
  if (!released && clock != nullptr && says_all(*clock, thread, until)) return;
  auto joined =
      clock == nullptr ? std::make_shared<Clock>(threads_, 0) : std::make_shared<Clock>(*clock);
  add_knowledge(*joined, thread / 32, 1u << thread % 32, until);
  clock = std::move(joined);
  if (released) ++tick_[thread / 32];
}

void AccessOrder::observe(std::uint64_t address, std::uint32_t thread) {
  if (others_ != nullptr) others_->observe(address, thread, tick_[thread / 32]);
  if (at_address_.empty()) return;
  auto found = at_address_.find(address);
  if (found == at_address_.end()) found = at_address_.find(0);
  if (found != at_address_.end()) learn(thread, found->second);
}

AccessOrder::Published AccessOrder::published(std::uint32_t thread, bool released) {
  const std::uint32_t warp = thread / 32;
  Published found;
  found.thread = thread;
  if (released) {
    found.fence = tick_[warp]++;
    found.barriers = std::make_shared<const std::vector<std::uint32_t>>(barrier_);
  } else {
    found.fence = device_fence_[thread];
    found.barriers = fence_barriers_[thread];
  }
  found.warp = std::min(found.fence, whole_[warp]);
  found.fenced = fenced_;
  return found;
}

bool AccessOrder::covers(const Published& published, const AccessStamp& stamp) {
  if (published.fenced != nullptr && stamp.tick <= (*published.fenced)[stamp.thread]) return true;
  if (published.fence == 0) return false;
  if (stamp.tick <= (*published.barriers)[stamp.warp()]) return true;
  if (stamp.thread == published.thread) return stamp.tick <= published.fence;
  return stamp.warp() == published.thread / 32 && stamp.tick <= published.warp;
}

}  // namespace tilescope
