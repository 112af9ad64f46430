#include "emulator/checks/block_knowledge.h"

#include <algorithm>

#include "emulator/execution/register_cells.h"

namespace tilescope {

std::uint32_t BlockKnowledge::add(State state) {
  if (entries_ + state.size() > kMostEntries) return kAllUntil | clock_;
  entries_ += state.size();
  states_.push_back(std::move(state));
  return static_cast<std::uint32_t>(states_.size());
}

std::uint32_t BlockKnowledge::join(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (((a | b) & kAllUntil) != 0) {
    // One says of all blocks what the other may say of some: the later of the two times.
    return kAllUntil | clock_;
  }
  const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  const auto [found, is_new] = joined_.try_emplace(key, 0);
  if (!is_new) return found->second;
  const State& one = states_[a - 1];
  const State& other = states_[b - 1];
  State both;
  both.reserve(one.size() + other.size());
  auto x = one.begin();
  auto y = other.begin();
  while (x != one.end() || y != other.end()) {
    if (y == other.end() || (x != one.end() && x->first < y->first)) {
      both.push_back(*x++);
    } else if (x == one.end() || y->first < x->first) {
      both.push_back(*y++);
    } else {
      both.emplace_back(x->first, std::max(x->second, y->second));
      ++x;
      ++y;
    }
  }
  const std::uint32_t number = both == one ? a : both == other ? b : add(std::move(both));
  joined_[key] = number;
  return number;
}

std::uint32_t BlockKnowledge::joined(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const std::scoped_lock lock(mutex_);
  return join(a, b);
}

std::uint32_t BlockKnowledge::publish(std::uint64_t address, std::uint32_t block,
                                      std::uint32_t known, std::uint32_t before) {
  const std::scoped_lock lock(mutex_);
  is_used_ = true;
  std::uint32_t& told = releases_[address];
  if (before != 0 && join(told, known) == told && find_time(told, block) >= before) return before;
  const std::uint32_t time = ++clock_;
  told = join(join(told, known), add({{block, time}}));
  return time;
}

std::uint32_t BlockKnowledge::observe(std::uint64_t address) {
  if (!is_used_) return 0;
  const std::scoped_lock lock(mutex_);
  const auto found = releases_.find(address);
  return found == releases_.end() ? 0 : found->second;
}

std::uint32_t BlockKnowledge::find_time(std::uint32_t known, std::uint32_t block) const {
  if (known == 0) return 0;
  if ((known & kAllUntil) != 0) return known & ~kAllUntil;
  const State& state = states_[known - 1];
  const auto found = std::ranges::lower_bound(state, block, {}, &State::value_type::first);
  return found == state.end() || found->first != block ? 0 : found->second;
}

std::uint32_t BlockKnowledge::time_of(std::uint32_t known, std::uint32_t block) const {
  const std::scoped_lock lock(mutex_);
  return find_time(known, block);
}

std::uint64_t BlockKnowledge::amount(std::uint32_t known) const {
  if (known == 0) return 0;
  const std::scoped_lock lock(mutex_);
  if ((known & kAllUntil) != 0) return ~std::uint64_t{0};
  const State& state = states_[known - 1];
  std::uint64_t sum = std::uint64_t{state.size()} << 40;  // how many blocks comes first
  for (const auto& [block, time] : state) sum += time;
  return sum;
}

KnownBlocks::KnownBlocks(BlockKnowledge& all, std::uint32_t threads)
    : all_(all), now_(threads, 0), changes_(threads) {}

void KnownBlocks::start_block() {
  if (!any_) return;
  any_ = false;
  std::ranges::fill(now_, 0);
  for (std::vector<Change>& changes : changes_) changes.clear();
  arrived_ = {};
  at_address_.clear();
}

std::uint32_t KnownBlocks::at(std::uint32_t thread, std::uint32_t tick) const {
  if (!any_) return 0;
  const std::vector<Change>& changes = changes_[thread];
  const auto later = std::ranges::upper_bound(changes, tick, {}, &Change::tick);
  return later == changes.begin() ? 0 : std::prev(later)->known;
}

bool KnownBlocks::learn(std::uint32_t thread, std::uint32_t known, std::uint32_t tick) {
  if (known == 0 || thread >= now_.size()) return false;
  const std::uint32_t both = all_.joined(now_[thread], known);
  if (both == now_[thread]) return false;
  any_ = true;
  now_[thread] = both;
  std::vector<Change>& changes = changes_[thread];
  if (changes.size() >= kMost || (!changes.empty() && changes.back().tick == tick))
    changes.back().known = both;
  else
    changes.push_back({tick, both});
  return true;
}

std::uint32_t KnownBlocks::known_in(std::uint32_t warp, std::uint32_t lanes) {
  std::uint32_t known = 0;
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t thread = warp * 32 + lane;
    if (thread < now_.size()) known = all_.joined(known, now_[thread]);
  });
  return known;
}

void KnownBlocks::block_barrier(std::span<const std::uint32_t> ticks) {
  if (!any_) return;
  std::uint32_t known = 0;
  for (const std::uint32_t one : now_) known = all_.joined(known, one);
  for (std::uint32_t thread = 0; thread < now_.size(); ++thread)
    learn(thread, known, ticks[thread / 32]);
}

void KnownBlocks::warp_sync(std::uint32_t warp, std::uint32_t lanes, std::uint32_t tick) {
  if (!any_) return;
  const std::uint32_t known = known_in(warp, lanes);
  for_lanes(lanes, [&](std::uint32_t lane) { learn(warp * 32 + lane, known, tick); });
}

void KnownBlocks::arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes) {
  if (any_) arrived_[barrier] = all_.joined(arrived_[barrier], known_in(warp, lanes));
}

void KnownBlocks::pass(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes,
                       std::uint32_t tick) {
  if (arrived_[barrier] == 0) return;
  for_lanes(lanes, [&](std::uint32_t lane) { learn(warp * 32 + lane, arrived_[barrier], tick); });
}

void KnownBlocks::publish(std::uint64_t address, std::uint32_t thread) {
  if (now(thread) == 0) return;
  std::uint32_t& told = at_address_[address];
  told = all_.joined(told, now_[thread]);
}

void KnownBlocks::observe(std::uint64_t address, std::uint32_t thread, std::uint32_t tick) {
  if (at_address_.empty()) return;
  const auto found = at_address_.find(address);
  if (found != at_address_.end()) learn(thread, found->second, tick);
}

}  // namespace tilescope
