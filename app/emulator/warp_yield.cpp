#include "emulator/warp.h"

// YIELD of machine code, and BSYNC in a warp whose lanes have yielded apart: lanes that go on
// together may then be in different rounds of a loop (measured: docs/accuracy.md).
namespace tilescope {

bool Warp::give_way(std::uint32_t split) {
  if (splits[split].mask == alive) return true;
  splits[split].state = Split::State::kYielded;
  gave_way = true;
  return false;
}

void Warp::join(std::size_t split) {
  const Split first = splits[split];
  splits[split].state = Split::State::kReady;
  for (std::size_t i = split + 1; i < splits.size(); ++i) {
    const Split& other = splits[i];
    if (other.state != first.state || other.block != first.block || other.parent != first.parent) {
      continue;
    }
    splits[split].mask |= other.mask;
    retire(static_cast<std::uint32_t>(i));
  }
}

bool Warp::release_yielded() {
  std::uint32_t absent = 0;  // that come to a BSYNC only when somebody is let go
  bool yielded = false;
  for (const Split& split : splits) {
    yielded |= split.state == Split::State::kYielded;
    const bool stops =
        split.state == Split::State::kYielded || split.state == Split::State::kAtConvergence;
    absent |= stops ? split.mask : 0;
  }
  if (!yielded) return false;
  std::uint32_t longest = kNoBlock;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    const Split& split = splits[i];
    if (split.state != Split::State::kAtConvergence) continue;
    if (split.barrier >= ConvergenceBarriers::kCount) continue;  // a WARPSYNC waits for all
    if ((members_of(split) & alive & ~absent) != 0) continue;
    if (longest == kNoBlock || split.since < splits[longest].since) longest = i;
  }
  if (longest != kNoBlock) {
    splits[longest].state = Split::State::kReady;
    convergence.close(splits[longest].barrier, ~0u);
    return true;
  }
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].state == Split::State::kYielded) join(i);
  }
  return true;
}

bool Warp::converge_mixed(std::uint32_t split, std::uint32_t place, std::uint32_t barrier) {
  const std::uint32_t mask = splits[split].mask;
  const std::uint32_t members = convergence.open(barrier) & alive;
  const auto waits_here = [&](const Split& other) {
    return other.state == Split::State::kAtConvergence && other.at == place &&
           other.barrier == barrier && other.parent == splits[split].parent;
  };
  std::uint32_t here = mask;
  for (const Split& other : splits) here |= waits_here(other) ? other.mask : 0;
  if ((members & ~here) == 0) {
    convergence.close(barrier, ~0u);
    for (std::size_t i = 0; i < splits.size(); ++i) {
      if (!waits_here(splits[i])) continue;
      splits[split].mask |= splits[i].mask;
      retire(static_cast<std::uint32_t>(i));
    }
    return true;
  }
  Split waiting = splits[split];
  waiting.state = Split::State::kAtConvergence;
  waiting.at = place;
  waiting.barrier = barrier;
  waiting.since = ++arrivals;
  waiting.mask = mask & members;
  splits[split].mask = mask & ~members;
  if (splits[split].mask == 0) {
    splits[split] = waiting;
    return false;
  }
  if (waiting.mask != 0) {
    if (waiting.parent != kNoBlock) ++splits[waiting.parent].children;
    add(waiting);
  }
  return true;
}

}  // namespace tilescope
