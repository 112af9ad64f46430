#include "emulator/execution/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/lanes_in.h"

namespace tilescope {

void Warp::start(std::uint32_t existing, std::uint32_t entry) {
  lanes = existing;
  alive = existing;
  splits.clear();
  Split root;
  root.block = entry;
  root.mask = existing;
  splits.push_back(root);
  last_split = kNoBlock;
  pause = {};
  spins = false;
  failed_tests = 0;
  saved.reset();
  cluster_waits.fill(0);
  convergence.reset();
  alternate = kNoBlock;
  stops = 0;
}

std::uint32_t Warp::find_ready() const {
  for (std::size_t i = splits.size(); i-- > 0;) {
    if (splits[i].state == Split::State::kReady) return static_cast<std::uint32_t>(i);
  }
  return kNoBlock;
}

std::uint32_t Warp::next_split() {
  if (last_split == kNoBlock) return choose();
  if (converges_at_barriers && !polls) return last_split;
  std::uint32_t next = kNoBlock;
  for (std::size_t i = std::min<std::size_t>(last_split, splits.size()); i-- > 0;) {
    if (splits[i].state != Split::State::kReady) continue;
    next = static_cast<std::uint32_t>(i);
    break;
  }
  if (next == kNoBlock) next = find_ready();
  if (next == alternate) alternate = kNoBlock;
  return next;
}

std::uint32_t Warp::add(Split split) {
  // Places of splits that are gone are used again.
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].state == Split::State::kGone) {
      splits[i] = split;
      return static_cast<std::uint32_t>(i);
    }
  }
  splits.push_back(split);
  return static_cast<std::uint32_t>(splits.size() - 1);
}

std::uint32_t Warp::diverge(std::uint32_t split, std::uint32_t taken, std::uint32_t target,
                            std::uint32_t next, std::uint32_t reconvergence) {
  if (converges_at_barriers) return diverge_apart(split, taken, target, next);
  const Split before = splits[split];
  const std::uint32_t others = before.mask & ~taken;
  Split first{target, taken, reconvergence, split, 0, 0, 0, Split::State::kReady, false};
  Split second{next, others, reconvergence, split, 0, 0, 0, Split::State::kReady, false};
  if (reconvergence == before.rejoin) {
    // Both sides reconverge where this split ends anyway: they become siblings.
    first.parent = before.parent;
    second.parent = before.parent;
    splits[split] = second;
    if (before.parent != kNoBlock) ++splits[before.parent].children;
    const std::uint32_t added = add(first);
    if (second.block == reconvergence && reconvergence != kNoBlock) {
      rejoin(split);
      return added;
    }
    if (first.block == reconvergence && reconvergence != kNoBlock) rejoin(added);
    return split;
  }
  splits[split].block = reconvergence;
  splits[split].state = Split::State::kWaitsForChildren;
  std::uint32_t current = kNoBlock;
  for (const Split& child : {first, second}) {
    if (child.block == reconvergence) continue;  // waits in the parent
    ++splits[split].children;
    current = add(child);
  }
  return current;
}

std::uint32_t Warp::call(std::uint32_t split, std::uint32_t target, std::uint32_t next) {
  Split& caller = splits[split];
  caller.block = next;
  caller.state = Split::State::kWaitsForChildren;
  caller.children = 1;
  caller.is_call = true;
  return add({target, caller.mask, kNoBlock, split, 0, 0, 0, Split::State::kReady, false});
}

void Warp::retire(std::uint32_t split) {
  for (;;) {
    splits[split].state = Split::State::kGone;
    const std::uint32_t parent = splits[split].parent;
    if (parent == kNoBlock) return;
    Split& above = splits[parent];
    if (--above.children != 0) return;
    above.is_call = false;
    if (above.mask != 0) {
      above.state = Split::State::kReady;
      return;
    }
    split = parent;
  }
}

std::uint32_t Warp::waiting_lanes(std::uint32_t split) const {
  std::uint32_t waiting = splits[split].mask;
  for (const Split& child : splits) {
    if (child.state != Split::State::kGone && child.parent == split) waiting &= ~child.mask;
  }
  return waiting;
}

bool Warp::waits_to_leave(std::uint32_t split, const std::vector<CodeBlock>& blocks) const {
  const Split& waiting = splits[split];
  if (waiting.state != Split::State::kWaitsForChildren || waiting.is_call) return false;
  if (!blocks[waiting.block].only_leaves()) return false;
  for (std::uint32_t at = waiting.parent; at != kNoBlock; at = splits[at].parent) {
    if (splits[at].is_call) return false;
  }
  return true;
}

std::uint32_t Warp::leaving_lanes(const std::vector<CodeBlock>& blocks) const {
  std::uint32_t leaving = 0;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    if (waits_to_leave(i, blocks)) leaving |= waiting_lanes(i);
  }
  return leaving;
}

std::uint32_t Warp::leave_waiting(const std::vector<CodeBlock>& blocks) {
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    if (!waits_to_leave(i, blocks)) continue;
    const std::uint32_t waiting = waiting_lanes(i);
    if (waiting != 0) leave(i, waiting);
    left |= waiting;
  }
  return left;
}

bool Warp::release_waiting(std::uint32_t split) {
  for (std::uint32_t at = splits[split].parent; at != kNoBlock; at = splits[at].parent) {
    const std::uint32_t waiting = waiting_lanes(at);
    if (waiting == 0) continue;
    splits[at].mask &= ~waiting;
    Split freed = splits[at];
    freed.mask = waiting;
    freed.children = 0;
    freed.state = Split::State::kReady;
    freed.is_call = false;
    if (freed.parent != kNoBlock) ++splits[freed.parent].children;
    add(freed);
    return true;
  }
  return false;
}

std::uint32_t Warp::frame_of(std::uint32_t split) const {
  std::uint32_t at = splits[split].parent;
  while (at != kNoBlock && !splits[at].is_call) at = splits[at].parent;
  return at;
}

void Warp::gather(std::uint32_t split) {
  if (converges_at_barriers) return;
  const std::uint32_t frame = frame_of(split);
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    const Split& other = splits[i];
    if (i == split || other.state != Split::State::kReady) continue;
    if (other.block != splits[split].block || frame_of(i) != frame) continue;
    const std::uint32_t coming = other.mask;
    for (std::uint32_t at = i; at != frame; at = splits[at].parent) splits[at].mask &= ~coming;
    for (std::uint32_t at = split; at != frame; at = splits[at].parent) splits[at].mask |= coming;
    retire(i);
  }
}

void Warp::rejoin(std::uint32_t split) { retire(split); }

void Warp::leave(std::uint32_t split, std::uint32_t leaving) {
  alive &= ~leaving;
  for (std::uint32_t at = split; at != kNoBlock; at = splits[at].parent)
    splits[at].mask &= ~leaving;
  if (splits[split].mask == 0) retire(split);
  if (converges_at_barriers) wake_complete();
}

void Warp::return_from(std::uint32_t split, std::uint32_t returning) {
  const std::uint32_t frame = frame_of(split);
  if (frame == kNoBlock) {
    leave(split, returning);
    return;
  }
  for (std::uint32_t at = split; at != frame; at = splits[at].parent) splits[at].mask &= ~returning;
  if (splits[split].mask == 0) retire(split);
}

// Lanes of machine code that have diverged: which go on, and where they come together. All of it
// was measured on an H200 (docs/accuracy.md, "How often an instruction is executed").

std::uint32_t Warp::diverge_apart(std::uint32_t split, std::uint32_t taken, std::uint32_t target,
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
  if (next == kNoBlock) next = release_longest();
  if (next == kNoBlock) return kNoBlock;
  // Lanes at the same place come along, those that wait there for others too.
  absorb(next, Split::State::kReady, splits[next].block);
  absorb(next, Split::State::kAtConvergence, splits[next].block);
  return next;
}

std::uint32_t Warp::release_longest() {
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
  for (const unsigned lane : lanes_in(of)) {
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
    if (how == WarpSync::kInTurn || (group.members & alive & ~group.mask) == 0) {
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

bool Warp::yield(std::uint32_t split) {
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

namespace {

std::size_t depth_of(const Code& code, const std::byte* registers, unsigned lane) {
  std::uint64_t frame = 0;
  std::memcpy(&frame, registers + code.frame_row + std::size_t{lane} * 8, sizeof frame);
  return static_cast<std::size_t>((frame - code.frame_start) / code.frame_bytes);
}

// One lane's cells of all rows.
void copy_lane(const FrameRows& rows, std::byte* to, const std::byte* from, unsigned lane) {
  for (std::uint32_t row = rows.wide; row < rows.wide_end; row += 8 * kWarpSize)
    std::memcpy(to + row + std::size_t{lane} * 8, from + row + std::size_t{lane} * 8, 8);
  for (std::uint32_t row = rows.narrow; row < rows.narrow_end; row += 4 * kWarpSize)
    std::memcpy(to + row + std::size_t{lane} * 4, from + row + std::size_t{lane} * 4, 4);
  for (std::uint32_t row = rows.predicates; row < rows.predicates_end; row += 4) {
    std::uint32_t bits = 0;
    std::uint32_t source = 0;
    std::memcpy(&bits, to + row, sizeof bits);
    std::memcpy(&source, from + row, sizeof source);
    const std::uint32_t one = 1u << lane;
    bits = (bits & ~one) | (source & one);
    std::memcpy(to + row, &bits, sizeof bits);
  }
}

}  // namespace

void SavedFrames::save(const Code& code, const FrameRows& rows, const std::byte* registers,
                       std::uint32_t mask) {
  for (const unsigned lane : lanes_in(mask)) {
    const std::size_t depth = depth_of(code, registers, lane);
    if (depths_.size() <= depth) depths_.resize(depth + 1);
    if (depths_[depth].empty()) depths_[depth].resize(code.register_bytes);
    copy_lane(rows, depths_[depth].data(), registers, lane);
  }
}

void SavedFrames::restore(const Code& code, const FrameRows& rows, std::byte* registers,
                          std::uint32_t mask) const {
  for (const unsigned lane : lanes_in(mask)) {
    const std::size_t depth = depth_of(code, registers, lane);
    if (depth < depths_.size() && !depths_[depth].empty())
      copy_lane(rows, registers, depths_[depth].data(), lane);
  }
}

}  // namespace tilescope
