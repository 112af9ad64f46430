#include "emulator/block/barrier_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/execution/register_cells.h"

namespace tilescope {

BarrierUnit::BarrierUnit(ThreadBlock& block)
    : block_(block),
      code_(block.code()),
      barriers_(block.barriers()),
      observers_(block.observers()) {}

void BarrierUnit::join(const Cluster& cluster, std::vector<BarrierUnit*> units) {
  cluster_ = &cluster;
  units_ = std::move(units);
}

std::uint32_t BarrierUnit::arrive(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  switch (block.barrier) {
    case BarrierKind::kWarp:
    case BarrierKind::kExchange:
    case BarrierKind::kConvergence:
      return arrive_in_warp(block, warp, split);
    case BarrierKind::kClusterArrive:
    case BarrierKind::kClusterWait:
      return arrive_in_cluster(block, warp, split);
    case BarrierKind::kSync:
      if (block.last.flags == kOfWarpgroup) return arrive_in_warpgroup(warp, split);
      [[fallthrough]];
    default:
      return arrive_in_block(block, warp, split);
  }
}

std::uint32_t BarrierUnit::arrive_in_warp(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  if (block.barrier == BarrierKind::kConvergence)
    return converge(block, warp, split) ? split : kNoBlock;
  if (block.barrier == BarrierKind::kWarp) {
    wait_for_masked_lanes(block, warp, split);
  } else {
    wait_for_exchange(warp, split);
  }
  return warp.splits[split].state == Split::State::kReady ? split : kNoBlock;
}

// BSYNC and WARPSYNC of machine code.
bool BarrierUnit::converge(const CodeBlock& block, Warp& warp, std::uint32_t split) const {
  const auto place = static_cast<std::uint32_t>(&block - code_.blocks.data());
  const auto barrier = static_cast<std::uint32_t>(block.last.immediate);
  if (barrier < ConvergenceBarriers::kCount) return warp.converge(split, place, barrier);
  const auto* members = reinterpret_cast<const std::uint32_t*>(warp.registers + block.last.row[0]);
  return warp.synchronise(split, place, members, static_cast<WarpSync>(block.last.flags));
}

std::uint32_t BarrierUnit::arrive_in_block(const CodeBlock& block, Warp& warp,
                                           std::uint32_t split) {
  Split& current = warp.splits[split];
  const auto lane = static_cast<unsigned>(std::countr_zero(current.mask));
  Barriers::Arrival arrival;
  const std::uint32_t named = word_at(warp.registers, block.last.row[0], lane);
  arrival.id = named % Barriers::kNamed;
  arrival.expected = word_at(warp.registers, block.last.row[1], lane);
  arrival.threads = count_lanes(current.mask);
  // A barrier is counted in whole warps: the lanes that a warp lacks, or that have left, come
  // along.
  if (arrival.expected != 0 && current.mask == warp.alive) arrival.threads = kWarpSize;
  if (block.barrier != BarrierKind::kSync && block.barrier != BarrierKind::kArrive) {
    std::uint32_t agree = predicate_at(warp.registers, block.last.row[2]);
    if (block.last.flags != 0) agree = ~agree;
    arrival.agreeing = count_lanes(agree & current.mask);
  }
  if (arrival.expected != 0 || named >= Barriers::kNamed) {
    observers_.tell(&BlockObserver::on_arrive,
                    BarrierArrival{block, warp, current.mask, named, arrival});
  }
  barriers_.arrive(arrival);
  const bool waits = block.barrier != BarrierKind::kArrive;
  if (waits) {
    current.state = Split::State::kAtBarrier;
    current.barrier = arrival.id;
  }
  if (barriers_.complete(arrival.id)) release(arrival.id);
  return warp.splits[split].state == Split::State::kReady ? split : kNoBlock;
}

namespace {

// A basic block that ends in the arrival: is something watched executed before the wait?
bool acts_before_wait(const Code& code, const CodeBlock& arrival, const Observers& observers) {
  const CodeBlock& wait = code.blocks[arrival.next];
  if (wait.kind != EndKind::kBarrier || wait.barrier != BarrierKind::kClusterWait) return true;
  const auto first = code.ops.begin() + wait.begin;
  return std::any_of(first, first + (wait.end - wait.begin),
                     [&](const MicroOp& op) { return observers.watches(op); });
}

}  // namespace

bool BarrierUnit::splits_cluster_barrier() {
  if (!splits_cluster_barrier_) {
    splits_cluster_barrier_ =
        observers_.watches_any() && std::ranges::any_of(code_.blocks, [&](const CodeBlock& block) {
          return block.kind == EndKind::kBarrier && block.barrier == BarrierKind::kClusterArrive &&
                 acts_before_wait(code_, block, observers_);
        });
  }
  return *splits_cluster_barrier_;
}

// Arriving and waiting are apart: a wait passes when the phase that its lanes arrived in is over.
std::uint32_t BarrierUnit::arrive_in_cluster(const CodeBlock& block, Warp& warp,
                                             std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.barrier == BarrierKind::kClusterArrive) {
    if (splits_cluster_barrier()) {
      cluster_is_split_ = cluster_is_split_ || acts_before_wait(code_, block, observers_);
      observers_.tell(&BlockObserver::on_cluster_arrive, warp, mask);
    }
    barriers_.arrive({Barriers::kCluster, 0, count_lanes(mask), 0});
    release_cluster();
    return split;
  }
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  const bool over = barriers_.cluster_phase() > warp.cluster_waits[first];
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    warp.cluster_waits[lane] += (mask >> lane) & 1u;
  if (over) {
    if (splits_cluster_barrier()) observers_.tell(&BlockObserver::on_cluster_pass, warp, mask);
    block_.context().peer_access.reset();
    return split;
  }
  warp.splits[split].state = Split::State::kAtBarrier;
  warp.splits[split].barrier = Barriers::kCluster;
  return kNoBlock;
}

// When the threads of all its blocks have come that have not left the kernel.
void BarrierUnit::release_cluster() {
  if (cluster_ == nullptr) {
    if (barriers_.complete(Barriers::kCluster)) release(Barriers::kCluster);
    return;
  }
  bool any = false;
  for (std::size_t rank = 0; rank < units_.size(); ++rank) {
    if (cluster_->members[rank].ended) continue;
    if (!units_[rank]->has_come_to_cluster()) return;
    any |= units_[rank]->waits_for_cluster();
  }
  if (!any) return;
  for (std::size_t rank = 0; rank < units_.size(); ++rank) {
    if (cluster_->members[rank].ended) continue;
    // Threads that have left count as having come, and have not waited for who reads from them.
    if (units_[rank]->waits_for_cluster()) cluster_->members[rank].context->peer_access.reset();
    units_[rank]->release(Barriers::kCluster);
    units_[rank]->observers_.tell(&BlockObserver::on_cluster_sync);
  }
}

std::uint32_t BarrierUnit::arrive_in_warpgroup(const Warp& warp, std::uint32_t split) {
  Split& current = block_.warps()[warp.index].splits[split];
  const std::uint32_t id = Barriers::kWarpgroups + warp.index / Barriers::kWarpsOfGroup;
  barriers_.arrive({id, Barriers::kWarpsOfGroup * kWarpSize, count_lanes(current.mask), 0});
  current.state = Split::State::kAtBarrier;
  current.barrier = id;
  if (warpgroup_has_come(id)) release(id);
  return current.state == Split::State::kReady ? split : kNoBlock;
}

bool BarrierUnit::warpgroup_has_come(std::uint32_t id) const {
  const std::size_t first = std::size_t{id - Barriers::kWarpgroups} * Barriers::kWarpsOfGroup;
  const std::vector<Warp>& warps = std::as_const(block_).warps();
  for (std::size_t w = first; w < std::min(first + Barriers::kWarpsOfGroup, warps.size()); ++w) {
    std::uint32_t waiting = 0;
    for (const Split& split : warps[w].splits) {
      if (split.state == Split::State::kAtBarrier && split.barrier == id) waiting |= split.mask;
    }
    if (waiting != warps[w].alive) return false;
  }
  return true;
}

void BarrierUnit::wait_for_masked_lanes(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  // Lanes that come together may synchronise in groups of their own (tiles): each has its mask.
  std::uint32_t members = 0;
  const std::uint32_t arriving = current.mask;
  for (const unsigned lane : lanes_in(arriving)) {
    const std::uint32_t own = word_at(warp.registers, block.last.row[0], lane) & warp.alive;
    const bool first_of_group = (own & ~members) != 0;
    members |= own;
    if (((own >> lane) & 1u) == 0) {
      observers_.tell(&BlockObserver::on_unnamed_lanes, block, warp, arriving & ~own, own);
    } else if (first_of_group && (own & ~arriving) == 0) {
      observers_.tell(&BlockObserver::on_warp_sync, warp, own);
    }
  }
  if ((members & ~arriving) == 0) return;
  current.state = Split::State::kAtWarpBarrier;
  release_in_warp(warp);
}

// The lanes of an exchange come together at its place.
void BarrierUnit::wait_for_exchange(Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  if ((members_of(warp, current) & ~current.mask) == 0) return;
  current.state = Split::State::kAtExchange;
  release_in_warp(warp);
}

// Those that the split's lanes wait for and that have not left the kernel.
std::uint32_t BarrierUnit::members_of(const Warp& warp, const Split& split) const {
  const std::uint32_t row = code_.blocks[split.at].last.row[0];
  std::uint32_t members = 0;
  for (const unsigned lane : lanes_in(split.mask)) members |= word_at(warp.registers, row, lane);
  return members & warp.alive;
}

// Lanes of a warp whose partners have come too, or have left the kernel.
void BarrierUnit::release_in_warp(Warp& warp) {
  std::uint32_t released = 0;
  std::uint32_t synchronised = 0;
  for (const Split& split : warp.splits) {
    if (!split.at_lanes()) continue;
    const bool exchanges = split.state == Split::State::kAtExchange;
    std::uint32_t here = 0;
    for (const Split& other : warp.splits) {
      if (other.state == split.state && (!exchanges || other.at == split.at)) here |= other.mask;
    }
    if ((members_of(warp, split) & ~here) != 0) continue;
    released |= split.mask;
    if (!exchanges) synchronised |= split.mask;
  }
  if (synchronised != 0) observers_.tell(&BlockObserver::on_warp_sync, warp, synchronised);
  for (Split& split : warp.splits) {
    if (split.at_lanes() && (split.mask & released) != 0) split.state = Split::State::kReady;
  }
  for (std::uint32_t i = 0; released != 0 && i < warp.splits.size(); ++i) {
    if (warp.splits[i].state == Split::State::kReady && (warp.splits[i].mask & released) != 0)
      warp.gather(i);
  }
}

bool BarrierUnit::release_at_warp_barriers() {
  bool released = false;
  for (Warp& warp : block_.warps()) {
    for (std::uint32_t split = 0; split < warp.splits.size(); ++split) {
      if (warp.splits[split].state == Split::State::kAtWarpBarrier) {
        released |= warp.release_waiting(split);
      } else if (warp.splits[split].state == Split::State::kAtExchange) {
        warp.splits[split].state = Split::State::kReady;
        released = true;
      }
    }
  }
  return released;
}

bool BarrierUnit::release_leaving_lanes() {
  bool released = false;
  for (Warp& warp : block_.warps()) {
    const std::uint32_t before = warp.alive;
    if (warp.leave_waiting(code_.blocks) == 0) continue;
    exited(warp, before);
    released = true;
  }
  return released;
}

void BarrierUnit::exited(Warp& warp, std::uint32_t before) {
  const std::uint32_t lanes = before & ~warp.alive;
  observers_.tell(&BlockObserver::on_exit, warp, lanes);
  barriers_.exit(count_lanes(lanes));
  release_in_warp(warp);
  release_complete();
}

void BarrierUnit::stop(Warp& warp, std::uint32_t split, std::uint32_t lanes) {
  warp.leave(split, lanes);
  barriers_.exit(count_lanes(lanes));
  release_in_warp(warp);
  release_complete();
}

// A barrier that counts its threads puts nobody else in order, not even those who have left.
bool BarrierUnit::everybody_waits(std::uint32_t id) const {
  const std::uint32_t counted = barriers_.expected(id);
  if (counted != 0 && counted != barriers_.threads()) return false;
  std::uint32_t waiting = 0;
  std::uint32_t alive = 0;
  for (const Warp& warp : std::as_const(block_).warps()) {
    alive += count_lanes(warp.alive);
    for (const Split& split : warp.splits) {
      const bool here = split.state == Split::State::kAtBarrier && split.barrier == id;
      if (here) waiting += count_lanes(split.mask);
    }
  }
  return waiting == alive;
}

void BarrierUnit::release(std::uint32_t id) {
  const bool whole = id == Barriers::kCluster
                         ? !std::exchange(cluster_is_split_, false)
                         : id < Barriers::kNamed && observers_.watches_any() && everybody_waits(id);
  observers_.tell(&BlockObserver::on_release, id, whole);
  for (Warp& warp : block_.warps()) {
    std::uint32_t released = kNoBlock;
    for (std::uint32_t i = 0; i < warp.splits.size(); ++i) {
      Split& split = warp.splits[i];
      if (split.state != Split::State::kAtBarrier || split.barrier != id) continue;
      release_split(split, warp, id);
      released = i;
    }
    if (released != kNoBlock) warp.gather(released);
  }
  barriers_.clear(id);
}

// With the result of barrier.red, where that is what it waited for.
void BarrierUnit::release_split(Split& split, const Warp& warp, std::uint32_t id) {
  split.state = Split::State::kReady;
  const std::uint32_t agreeing = barriers_.agreeing(id);
  const CodeBlock& block = code_.blocks[split.at];
  std::byte* result = warp.registers + block.last.row[3];
  if (block.barrier == BarrierKind::kReducePopc) {
    for (const unsigned lane : lanes_in(split.mask)) {
      std::memcpy(result + 4 * lane, &agreeing, sizeof agreeing);
    }
  } else if (block.barrier == BarrierKind::kReduceAnd || block.barrier == BarrierKind::kReduceOr) {
    const bool holds = block.barrier == BarrierKind::kReduceAnd ? agreeing == barriers_.arrived(id)
                                                                : agreeing != 0;
    std::uint32_t lanes = predicate_at(warp.registers, block.last.row[3]) & ~split.mask;
    if (holds) lanes |= split.mask;
    std::memcpy(result, &lanes, sizeof lanes);
  }
}

void BarrierUnit::release_complete() {
  constexpr std::uint32_t kNamed = (1u << Barriers::kNamed) - 1;
  for (std::uint32_t left = barriers_.in_use() & kNamed; left != 0; left &= left - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(left));
    if (barriers_.whole_block(id) && barriers_.complete(id)) release(id);
  }
  for (std::uint32_t id = Barriers::kWarpgroups; id < Barriers::kCount; ++id) {
    if (barriers_.arrived(id) != 0 && warpgroup_has_come(id)) release(id);
  }
  release_cluster();
}

}  // namespace tilescope
