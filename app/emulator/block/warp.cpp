#include "emulator/block/warp.h"

#include <algorithm>
#include <bit>

namespace tilescope {

void Warp::start(std::uint32_t existing, std::uint32_t entry) {
  lanes = existing;
  alive = existing;
  splits.clear();
  Split root;
  root.block = entry;
  root.mask = existing;
  splits.push_back(root);
  last_turn = kNoBlock;
  pause = {};
  spins = false;
  failed_waits = 0;
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

std::uint32_t Warp::next_turn() {
  if (last_turn == kNoBlock) return choose();
  if (converges_at_barriers && !polls) return last_turn;
  std::uint32_t next = kNoBlock;
  for (std::size_t i = std::min<std::size_t>(last_turn, splits.size()); i-- > 0;) {
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
                            std::uint32_t next, std::uint32_t meet) {
  if (converges_at_barriers) return part(split, taken, target, next);
  const Split before = splits[split];
  const std::uint32_t others = before.mask & ~taken;
  Split first{target, taken, meet, split, 0, 0, 0, Split::State::kReady, false};
  Split second{next, others, meet, split, 0, 0, 0, Split::State::kReady, false};
  if (meet == before.rejoin) {
    // Both sides meet where this split ends anyway: they become siblings.
    first.parent = before.parent;
    second.parent = before.parent;
    splits[split] = second;
    if (before.parent != kNoBlock) ++splits[before.parent].children;
    const std::uint32_t added = add(first);
    if (second.block == meet && meet != kNoBlock) {
      rejoin(split);
      return added;
    }
    if (first.block == meet && meet != kNoBlock) rejoin(added);
    return split;
  }
  splits[split].block = meet;
  splits[split].state = Split::State::kWaitsForChildren;
  std::uint32_t current = kNoBlock;
  for (const Split& child : {first, second}) {
    if (child.block == meet) continue;  // waits in the parent
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

void Warp::come_back(std::uint32_t split, std::uint32_t returning) {
  const std::uint32_t frame = frame_of(split);
  if (frame == kNoBlock) {
    leave(split, returning);
    return;
  }
  for (std::uint32_t at = split; at != frame; at = splits[at].parent) splits[at].mask &= ~returning;
  if (splits[split].mask == 0) retire(split);
}

}  // namespace tilescope
