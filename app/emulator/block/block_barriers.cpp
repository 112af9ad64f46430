#include <algorithm>

#include "emulator/block/block_runner.h"
#include "emulator/block/cluster.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

// Arriving at barriers of the block and of the warp, and being let go.
namespace tilescope {

std::uint32_t BlockRunner::arrive(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  if (block.barrier == BarrierKind::kWarp || block.barrier == BarrierKind::kExchange) {
    if (block.barrier == BarrierKind::kWarp) arrive_at_warp_barrier(block, warp, split);
    if (block.barrier == BarrierKind::kExchange) meet_for_exchange(warp, split);
    return current.state == Split::State::kReady ? split : kNoBlock;
  }
  if (block.barrier == BarrierKind::kClusterArrive || block.barrier == BarrierKind::kClusterWait)
    return meet_cluster(block, warp, split);
  if (block.barrier == BarrierKind::kConvergence) {
    const auto place = static_cast<std::uint32_t>(&block - code_.blocks.data());
    const auto barrier = static_cast<std::uint32_t>(block.last.immediate);
    const auto* members =
        reinterpret_cast<const std::uint32_t*>(warp.registers + block.last.row[0]);
    const bool goes_on =
        barrier < ConvergenceBarriers::kCount
            ? warp.converge(split, place, barrier)
            : warp.synchronise(split, place, members, static_cast<WarpSync>(block.last.flags));
    return goes_on ? split : kNoBlock;
  }
  const auto lane = static_cast<unsigned>(std::countr_zero(current.mask));
  Barriers::Arrival arrival;
  const std::uint32_t id = word_at(warp.registers, block.last.row[0], lane);
  if (id >= Barriers::kNamed) report_no_barrier(block, warp, split, id);
  arrival.id = id % Barriers::kNamed;
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
  if (arrival.expected != 0) {
    report_count(block, warp, split, arrival.id, arrival.expected);
    if (check_ != nullptr) check_->arrive(arrival.id, warp.index, current.mask);
  }
  barriers_.arrive(arrival);
  const bool waits = block.barrier != BarrierKind::kArrive;
  if (waits) {
    current.state = Split::State::kAtBarrier;
    current.barrier = arrival.id;
  }
  if (barriers_.complete(arrival.id)) {
    if (arrival.expected == 0) report_missing(arrival.id);
    release(arrival.id);
  }
  return current.state == Split::State::kReady ? split : kNoBlock;
}

// Arriving and waiting are apart: a wait passes when the phase that its lanes arrived in is over.
std::uint32_t BlockRunner::meet_cluster(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.barrier == BarrierKind::kClusterArrive) {
    barriers_.arrive({Barriers::kCluster, 0, count_lanes(mask), 0});
    release_cluster();
    return split;
  }
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  const bool over = cluster_phase_ > warp.cluster_waits[first];
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    warp.cluster_waits[lane] += (mask >> lane) & 1u;
  if (over) {
    context_.peer_access.reset();
    return split;
  }
  warp.splits[split].state = Split::State::kAtBarrier;
  warp.splits[split].barrier = Barriers::kCluster;
  return kNoBlock;
}

// When the threads of all its blocks have come that have not left the kernel.
void BlockRunner::release_cluster() {
  if (cluster_ == nullptr) {
    if (barriers_.complete(Barriers::kCluster)) release(Barriers::kCluster);
    return;
  }
  const auto& members = cluster_->members;
  const bool all = std::ranges::all_of(members, [](const Cluster::Member& member) {
    return member.ended || member.runner->has_come_to_cluster();
  });
  const bool any = std::ranges::any_of(members, [](const Cluster::Member& member) {
    return !member.ended && member.runner->waits_for_cluster();
  });
  if (!all || !any) return;
  for (const Cluster::Member& member : members) {
    if (member.ended) continue;
    // Threads that have left count as having come, and have not waited for who reads from them.
    if (member.runner->waits_for_cluster()) member.context->peer_access.reset();
    member.runner->release(Barriers::kCluster);
    if (member.check != nullptr) member.check->meet_cluster();
  }
}

void BlockRunner::arrive_at_warp_barrier(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  // Lanes that come together may synchronise in groups of their own (tiles): each has its mask.
  std::uint32_t members = 0;
  const std::uint32_t arriving = current.mask;
  for (std::uint32_t left = arriving; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t own = word_at(warp.registers, block.last.row[0], lane) & warp.alive;
    const bool first_of_group = (own & ~members) != 0;
    members |= own;
    if (((own >> lane) & 1u) == 0) {
      report_absent(block, warp, split, own);
    } else if (first_of_group && check_ != nullptr && (own & ~arriving) == 0) {
      check_->warp_barrier(warp, own);
    }
  }
  if ((members & ~arriving) == 0) return;
  current.state = Split::State::kAtWarpBarrier;
  release_met(warp);
}

// An exchange's lanes come together at its place.
void BlockRunner::meet_for_exchange(Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  if ((members_of(warp, current) & ~current.mask) == 0) return;
  current.state = Split::State::kAtExchange;
  release_met(warp);
}

// Those that the split's lanes wait for and that have not left the kernel.
std::uint32_t BlockRunner::members_of(const Warp& warp, const Split& split) const {
  const std::uint32_t row = code_.blocks[split.at].last.row[0];
  std::uint32_t members = 0;
  for (std::uint32_t left = split.mask; left != 0; left &= left - 1)
    members |= word_at(warp.registers, row, static_cast<unsigned>(std::countr_zero(left)));
  return members & warp.alive;
}

// Lanes of a warp whose partners have come too, or have left the kernel.
void BlockRunner::release_met(Warp& warp) {
  std::uint32_t met = 0;
  std::uint32_t synchronised = 0;
  for (const Split& split : warp.splits) {
    if (!split.at_lanes()) continue;
    const bool exchanges = split.state == Split::State::kAtExchange;
    std::uint32_t here = 0;
    for (const Split& other : warp.splits) {
      if (other.state == split.state && (!exchanges || other.at == split.at)) here |= other.mask;
    }
    if ((members_of(warp, split) & ~here) != 0) continue;
    met |= split.mask;
    if (!exchanges) synchronised |= split.mask;
  }
  if (synchronised != 0 && check_ != nullptr) check_->warp_barrier(warp, synchronised);
  for (Split& split : warp.splits) {
    if (split.at_lanes() && (split.mask & met) != 0) split.state = Split::State::kReady;
  }
  for (std::uint32_t i = 0; met != 0 && i < warp.splits.size(); ++i) {
    if (warp.splits[i].state == Split::State::kReady && (warp.splits[i].mask & met) != 0)
      warp.gather(i);
  }
}

// Lanes at bar.warp.sync may wait for lanes that wait for them where their paths meet. Those at an
// exchange that somebody never comes to go on without him, and that is found there.
bool BlockRunner::release_at_warp_barriers() {
  bool released = false;
  for (Warp& warp : warps_) {
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

// Everybody who has not left the kernel waits at this barrier.
bool BlockRunner::everybody_waits(std::uint32_t id) const {
  std::uint32_t waiting = 0;
  std::uint32_t alive = 0;
  for (const Warp& warp : warps_) {
    alive += count_lanes(warp.alive);
    for (const Split& split : warp.splits) {
      const bool here = split.state == Split::State::kAtBarrier && split.barrier == id;
      if (here) waiting += count_lanes(split.mask);
    }
  }
  return waiting == alive;
}

void BlockRunner::release(std::uint32_t id) {
  if (id == Barriers::kCluster) ++cluster_phase_;
  const std::uint32_t arrived = barriers_.arrived(id);
  const std::uint32_t agreeing = barriers_.agreeing(id);
  const bool cluster = id == Barriers::kCluster;
  if (barriers_.whole_block(id) && !cluster) report_mixed(id);
  if (check_ != nullptr) check_->pass(id, warps_, cluster || everybody_waits(id));
  for (Warp& warp : warps_) {
    std::uint32_t released = kNoBlock;
    for (std::uint32_t i = 0; i < warp.splits.size(); ++i) {
      Split& split = warp.splits[i];
      if (split.state != Split::State::kAtBarrier || split.barrier != id) continue;
      split.state = Split::State::kReady;
      released = i;
      const CodeBlock& block = code_.blocks[split.at];
      std::byte* result = warp.registers + block.last.row[3];
      if (block.barrier == BarrierKind::kReducePopc) {
        for (std::uint32_t left = split.mask; left != 0; left &= left - 1) {
          std::memcpy(result + 4 * static_cast<std::size_t>(std::countr_zero(left)), &agreeing,
                      sizeof agreeing);
        }
      } else if (block.barrier == BarrierKind::kReduceAnd ||
                 block.barrier == BarrierKind::kReduceOr) {
        const bool holds =
            block.barrier == BarrierKind::kReduceAnd ? agreeing == arrived : agreeing != 0;
        std::uint32_t lanes = predicate_at(warp.registers, block.last.row[3]) & ~split.mask;
        if (holds) lanes |= split.mask;
        std::memcpy(result, &lanes, sizeof lanes);
      }
    }
    if (released != kNoBlock) warp.gather(released);
  }
  barriers_.clear(id);
}

void BlockRunner::release_complete() {
  for (std::uint32_t id = 0; id < Barriers::kNamed; ++id) {
    if (!barriers_.whole_block(id) || !barriers_.complete(id)) continue;
    report_missing(id);
    release(id);
  }
  release_cluster();
}

}  // namespace tilescope
