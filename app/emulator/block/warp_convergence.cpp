#include <algorithm>
#include <bit>

#include "emulator/block/warp.h"

// Lanes of machine code that have parted: who goes on, and where they meet. All of it was measured
// on an H200 (docs/accuracy.md, "How often an instruction is executed").
namespace tilescope {

std::uint32_t Warp::part(std::uint32_t split, std::uint32_t taken, std::uint32_t target,
                         std::uint32_t next) {
  const std::uint32_t others = splits[split].mask & ~taken;
  Split first = splits[split];
  first.mask = taken;
  first.block = target;
  Split second = splits[split];
  second.mask = others;
  second.block = next;
  if (std::popcount(taken) >= std::popcount(others)) std::swap(first, second);
  if (alternate != kNoBlock) splits[alternate].since = ++stops;
  splits[split] = first;
  second.since = ++stops;
  alternate = add(second);
  return split;
}

std::uint32_t Warp::choose() {
  if (!converges_at_barriers) return find_ready();
  if (alternate != kNoBlock) {
    const std::uint32_t next = alternate;
    alternate = kNoBlock;
    if (splits[next].state == Split::State::kReady) return next;
  }
  if (find_ready() == kNoBlock) {
    for (Split& split : splits) {
      if (split.state == Split::State::kYielded) split.state = Split::State::kReady;
    }
  }
  std::uint32_t next = kNoBlock;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    if (splits[i].state != Split::State::kReady) continue;
    if (next == kNoBlock || splits[i].since > splits[next].since) next = i;
  }
  if (next == kNoBlock) next = let_one_go();
  if (next == kNoBlock) return kNoBlock;
  // Whoever stands where it does comes along, those that wait there for others too.
  absorb(next, Split::State::kReady, splits[next].block);
  absorb(next, Split::State::kAtConvergence, splits[next].block);
  return next;
}

std::uint32_t Warp::let_one_go() {
  std::uint32_t longest = kNoBlock;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    const Split& split = splits[i];
    if (split.state == Split::State::kGone) continue;
    const bool at_bsync =
        split.state == Split::State::kAtConvergence && split.barrier < ConvergenceBarriers::kCount;
    if (!at_bsync) return kNoBlock;
    if (longest == kNoBlock || split.since < splits[longest].since) longest = i;
  }
  if (longest == kNoBlock) return kNoBlock;
  convergence.remove(splits[longest].barrier, ~0u);
  splits[longest].state = Split::State::kReady;
  splits[longest].block = splits[longest].at;
  return longest;
}

void Warp::absorb(std::uint32_t split, Split::State state, std::uint32_t place) {
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    const Split& other = splits[i];
    if (i == split || other.state != state) continue;
    if ((state == Split::State::kAtConvergence ? other.at : other.block) != place) continue;
    splits[split].mask |= other.mask;
    if (state == Split::State::kAtConvergence && other.barrier < ConvergenceBarriers::kCount) {
      convergence.settle(other.barrier);  // executes it once more now
    }
    retire(i);
  }
}

std::uint32_t Warp::waiting_at(std::uint32_t barrier, std::uint32_t members) const {
  std::uint32_t waiting = 0;
  for (const Split& split : splits) {
    if (split.state != Split::State::kAtConvergence || split.barrier != barrier) continue;
    if (barrier < ConvergenceBarriers::kCount || split.members == members) waiting |= split.mask;
  }
  return waiting;
}

bool Warp::converge(std::uint32_t split, std::uint32_t place, std::uint32_t barrier) {
  const std::uint32_t mask = splits[split].mask;
  const std::uint32_t members = convergence.members(barrier) & alive;
  if ((members & ~(mask | waiting_at(barrier, 0) | yielded())) == 0) {
    if (convergence.restored(barrier)) splits[split].block = place;  // all come here once more
    convergence.remove(barrier, ~0u);
    for (std::uint32_t i = 0; i < splits.size(); ++i) {
      Split& other = splits[i];
      if (other.state != Split::State::kAtConvergence || other.barrier != barrier) continue;
      if ((other.mask & members) == 0) continue;
      other.state = Split::State::kReady;
      if (other.at != place) continue;
      splits[split].mask |= other.mask;
      retire(i);
    }
    return true;
  }
  Split waiting = splits[split];
  waiting.state = Split::State::kAtConvergence;
  waiting.at = place;
  waiting.barrier = barrier;
  waiting.since = ++stops;
  waiting.mask = mask & members;
  // Lanes that take no part pass.
  splits[split].mask = mask & ~members;
  if (splits[split].mask == 0) {
    splits[split] = waiting;
    return false;
  }
  if (waiting.mask != 0) add(waiting);
  return true;
}

// The lanes among `of` that name the same lanes as its first.
std::uint32_t Warp::first_group(std::uint32_t of, const std::uint32_t* members) {
  std::uint32_t group = 0;
  for (std::uint32_t left = of; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (members[lane] == members[std::countr_zero(of)]) group |= 1u << lane;
  }
  return group;
}

// The first group or, where they are fewer lanes, the first group of the others.
std::uint32_t Warp::group_to_go(std::uint32_t of, const std::uint32_t* members) {
  const std::uint32_t first = first_group(of, members);
  const std::uint32_t others = of & ~first;
  const bool fewer = others != 0 && std::popcount(others) < std::popcount(first);
  return fewer ? first_group(others, members) : first;
}

bool Warp::synchronise(std::uint32_t split, std::uint32_t place, const std::uint32_t* members,
                       WarpSync how) {
  const Split arriving = splits[split];
  std::uint32_t passing = 0;
  for (std::uint32_t left = arriving.mask; left != 0;) {
    Split group = arriving;
    group.mask = first_group(left, members);
    group.members = members[std::countr_zero(left)];
    left &= ~group.mask;
    if (how == WarpSync::kTurns || (group.members & alive & ~group.mask) == 0) {
      passing |= group.mask;
      continue;
    }
    group.state = Split::State::kAtConvergence;
    group.at = place;
    group.barrier = ConvergenceBarriers::kCount;
    group.since = ++stops;
    add(group);
  }
  if (how != WarpSync::kTogether && passing != 0) {
    Split others = arriving;  // they come here again
    others.mask = passing & ~group_to_go(passing, members);
    others.block = place;
    others.since = ++stops;
    passing &= ~others.mask;
    if (others.mask != 0) add(others);
  }
  splits[split].mask = passing;
  if (passing == 0) retire(split);
  wake_complete();
  return passing != 0;
}

void Warp::wake_complete() {
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const Split first = splits[i];
    if (first.state != Split::State::kAtConvergence) continue;
    const bool at_barrier = first.barrier < ConvergenceBarriers::kCount;
    const std::uint32_t members = at_barrier ? convergence.members(first.barrier) : first.members;
    std::uint32_t here = waiting_at(first.barrier, first.members);
    if (at_barrier) here |= yielded();
    if ((members & alive & ~here) != 0 || (first.mask & ~members) != 0) continue;
    const auto waits_with_it = [&](const Split& other) {
      return other.state == Split::State::kAtConvergence && other.barrier == first.barrier &&
             (at_barrier || other.members == first.members);
    };
    const bool together = std::all_of(splits.begin(), splits.end(), [&](const Split& other) {
      return !waits_with_it(other) || other.at == first.at;
    });
    for (Split& other : splits) {
      if (!waits_with_it(other)) continue;
      other.state = Split::State::kReady;
      // Together they execute the barrier once more; from different places they just go on.
      if (together) other.block = other.at;
      other.since = ++stops;
    }
    if (at_barrier && (!together || yielded() != 0)) convergence.remove(first.barrier, ~0u);
  }
}

std::uint32_t Warp::yielded() const {
  std::uint32_t away = 0;
  for (const Split& split : splits) away |= split.state == Split::State::kYielded ? split.mask : 0;
  return away;
}

bool Warp::give_way(std::uint32_t split) {
  if (splits[split].mask == alive) return true;
  splits[split].state = Split::State::kYielded;
  splits[split].since = ++stops;
  wake_complete();
  for (Split& other : splits) {
    if (other.state != Split::State::kAtConvergence) continue;
    if (other.barrier < ConvergenceBarriers::kCount) continue;
    other.state = Split::State::kReady;  // comes to its WARPSYNC again
    other.block = other.at;
    other.since = ++stops;
  }
  return false;
}

}  // namespace tilescope
