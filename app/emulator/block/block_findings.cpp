#include <fmt/format.h>

#include "core/quantity.h"
#include "emulator/block/block_runner.h"
#include "emulator/block/cluster.h"
#include "emulator/block/lane_access.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

// What a block does wrong as a whole: its barriers, waiting for ever, never ending.
namespace tilescope {

std::string BlockRunner::thread_text(const Place& place) const {
  const Dim3 thread = unflatten(std::uint64_t{place.warp->index} * kWarpSize +
                                    static_cast<unsigned>(std::countr_zero(place.lanes)),
                                launch_.block);
  return fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z);
}

BlockRunner::Place BlockRunner::place_of(const Warp& warp, const Split& split) const {
  const CodeBlock& block = code_.blocks[split.at_barrier() ? split.at : split.block];
  const bool begun = split.at_barrier() || block.begin == block.end;
  return {&warp, begun ? block.last.instruction : code_.ops[block.begin].instruction, split.mask};
}

void BlockRunner::report_at(const Place& place, FindingKind kind, std::string message,
                            const Place* other) {
  if (kind == FindingKind::kBarrier) barrier_reported_ = true;
  const auto thread_at = [&](const Place& at) {
    return unflatten(std::uint64_t{at.warp->index} * kWarpSize +
                         static_cast<unsigned>(std::countr_zero(at.lanes)),
                     launch_.block);
  };
  if (!context_.findings->wants(kind, place.instruction, context_.point.block)) return;
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.instruction = place.instruction;
  finding.block = context_.block;
  finding.thread = thread_at(place);
  if (other != nullptr)
    finding.other = Finding::Other{other->instruction, context_.block, thread_at(*other)};
  context_.findings->add(context_.point.block, std::move(finding));
}

// A barrier of the whole block that threads which have left never came to. The hardware goes on
// without them since Volta; the language asks for every thread.
void BlockRunner::report_missing(std::uint32_t id) {
  if (barriers_.exited() == 0 || stopped_lanes_ || barrier_reported_) return;
  if (id == Barriers::kCluster) return;
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != id) continue;
      const CodeBlock& block = code_.blocks[split.at];
      std::string example;
      for (const Warp& other : warps_) {
        const std::uint32_t left = other.lanes & ~other.alive;
        if (left == 0) continue;
        example = thread_text({&other, 0, left}) + " among them, ";
        break;
      }
      report_at({&warp, block.last.instruction, split.mask}, FindingKind::kBarrier,
                fmt::format("{} of the block's {} threads, {}have left the kernel and never come "
                            "to this barrier: let every thread reach it before any returns",
                            barriers_.exited(), barriers_.threads(), example));
      return;
    }
  }
}

// Threads that meet at barriers in different places: in divergent code.
void BlockRunner::report_mixed(std::uint32_t id) {
  Place most;
  std::uint32_t most_threads = 0;
  std::uint32_t places = 0;
  const auto each = [&](auto see) {
    for (const Warp& warp : warps_) {
      for (const Split& split : warp.splits) {
        const bool here = split.state == Split::State::kAtBarrier && split.barrier == id;
        if (here && code_.blocks[split.at].aligned) see(warp, split);
      }
    }
  };
  std::uint32_t first = kNoBlock;
  each([&](const Warp&, const Split& split) {
    places += split.at != first ? 1u : 0u;
    first = split.at;
  });
  if (places < 2) return;
  each([&](const Warp& warp, const Split& split) {
    std::uint32_t threads = 0;
    each([&](const Warp&, const Split& other) {
      if (other.at == split.at) threads += count_lanes(other.mask);
    });
    if (threads <= most_threads) return;
    most_threads = threads;
    most = place_of(warp, split);
  });
  bool done = false;
  each([&](const Warp& warp, const Split& split) {
    const Place place = place_of(warp, split);
    if (done || place.instruction == most.instruction) return;
    done = true;
    report_at(place, FindingKind::kBarrier,
              fmt::format("the block does not meet at one barrier: {} waits here while {} waits at "
                          "another one; move the barrier out of the branch, so that every thread "
                          "reaches the same one",
                          thread_text(place), thread_text(most)),
              &most);
  });
}

void BlockRunner::report_count(const CodeBlock& block, const Warp& warp, std::uint32_t split,
                               std::uint32_t id, std::uint32_t expected) {
  const Place place{&warp, block.last.instruction, warp.splits[split].mask};
  if (expected % kWarpSize != 0) {
    report_at(place, FindingKind::kBarrier,
              fmt::format("barrier {} is to count {} threads, which are no whole warps: give a "
                          "multiple of 32",
                          id, expected));
    return;
  }
  const bool begun = barriers_.arrived(id) != 0;
  if (!begun || barriers_.expected(id) == expected) return;
  report_at(place, FindingKind::kBarrier,
            fmt::format("barrier {} is to count {} threads here, but {} where others have come to "
                        "it already: give one number everywhere",
                        id, expected, barriers_.expected(id)));
}

void BlockRunner::report_no_barrier(const CodeBlock& block, const Warp& warp, std::uint32_t split,
                                    std::uint32_t id) {
  report_at({&warp, block.last.instruction, warp.splits[split].mask}, FindingKind::kBarrier,
            fmt::format("names barrier {}, and a block has 0 to {}: use each number again once "
                        "those that met there have gone on",
                        id, Barriers::kNamed - 1));
}

void BlockRunner::report_absent(const CodeBlock& block, const Warp& warp, std::uint32_t split,
                                std::uint32_t members) {
  const Place place{&warp, block.last.instruction, warp.splits[split].mask & ~members};
  report_at(
      place, FindingKind::kBarrier,
      fmt::format("{} synchronises with a mask ({:#x}) that does not name it: name every lane "
                  "that comes here",
                  thread_text(place), members));
}

// Threads of the block, and a block of its cluster that does not come.
std::string BlockRunner::cluster_text() const {
  std::string text =
      fmt::format("the block waits here for ever: {} of its {} threads have come to cluster.sync()",
                  barriers_.arrived(Barriers::kCluster), barriers_.threads());
  if (cluster_ == nullptr) return text;
  for (const Cluster::Member& member : cluster_->members) {
    if (member.ended || member.runner == this || member.runner->has_come_to_cluster()) continue;
    const Dim3& block = member.context->block;
    return text + fmt::format(", and block ({},{},{}) of its cluster does not come", block.x,
                              block.y, block.z);
  }
  return text;
}

void BlockRunner::report_deadlock() {
  const Warp* stuck_warp = nullptr;
  const Split* stuck = nullptr;
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      if (!split.at_barrier()) continue;
      // Part of a warp says more than a warp that others have let down.
      const bool better =
          stuck == nullptr || (stuck->mask == stuck_warp->alive && split.mask != warp.alive);
      if (!better) continue;
      stuck_warp = &warp;
      stuck = &split;
    }
  }
  if (stuck == nullptr) return;
  const Place place = place_of(*stuck_warp, *stuck);
  std::optional<Place> absent;
  for (const Warp& warp : warps_) {
    for (std::uint32_t i = 0; i < warp.splits.size() && !absent; ++i) {
      const Split& split = warp.splits[i];
      if (split.state == Split::State::kGone) continue;
      Place other = place_of(warp, split);
      if (split.state == Split::State::kWaitsForChildren) other.lanes = warp.waiting_lanes(i);
      if (other.lanes != 0 && other.instruction != place.instruction) absent = other;
    }
  }
  std::string message = "lanes wait here for ever for others of their warp";
  if (stuck->state == Split::State::kAtBarrier) {
    const std::uint32_t id = stuck->barrier;
    const bool whole = barriers_.whole_block(id);
    message =
        fmt::format("the block waits here for ever: {} of {} threads have come to {}",
                    barriers_.arrived(id), whole ? barriers_.threads() : barriers_.expected(id),
                    id == 0 ? "__syncthreads() (barrier 0)" : fmt::format("barrier {}", id));
    if (id == Barriers::kCluster) message = cluster_text();
  }
  if (absent) message += fmt::format("; {} is elsewhere and never comes", thread_text(*absent));
  message += ": move the barrier to where every thread that it counts on reaches it";
  report_at(place, FindingKind::kBarrier, std::move(message), absent ? &*absent : nullptr);
}

void BlockRunner::report_endless(const Warp& warp) {
  const std::uint32_t split = warp.find_ready();
  Place place{&warp, 0, warp.lanes};
  if (split != kNoBlock) place = place_of(warp, warp.splits[split]);
  for (const Split& waiting : warp.splits) {  // its turn may have ended at a barrier
    if (split == kNoBlock && waiting.at_barrier()) place = place_of(warp, waiting);
  }
  report_at(place, FindingKind::kEndless,
            fmt::format("the block is not done after {} warp instructions: a loop here does not "
                        "end, or the step budget is too small",
                        format_count(step_budget_)));
}

void BlockRunner::give_up(FindingKind kind, std::string why) {
  for (const Warp& warp : warps_) {
    if (!warp.waits) continue;
    const std::uint32_t split = warp.find_ready();
    if (split == kNoBlock) continue;
    report_at(place_of(warp, warp.splits[split]), kind, std::move(why));
    break;
  }
  abandon();
}

void BlockRunner::abandon() {
  if (check_ != nullptr) check_->finish_block();
  complete_ = false;
}

// Nobody will complete the phase.
void BlockRunner::report_waiting() {
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kReady) continue;
      report_at({&warp, code_.blocks[split.at].last.instruction, split.mask}, FindingKind::kBarrier,
                "waits for a phase of an mbarrier that is never completed: too few threads arrive, "
                "or fewer bytes are copied than were expected");
      return;
    }
  }
}

bool BlockRunner::waits_at_cluster_barrier() const {
  return waits_for_ == WaitsFor::kBarrier && waits_for_cluster() && has_come_to_cluster();
}

void BlockRunner::report_stuck(bool others) {
  if (!others && waits_for_ == WaitsFor::kMbarrier) report_waiting();
  if (!others && waits_for_ == WaitsFor::kBarrier) report_deadlock();
  abandon();
}

void BlockRunner::report_late_peer() {
  if (!context_.peer_access || !complete_) return;
  const Finding::Other& peer = *context_.peer_access;
  const Dim3& block = context_.block;
  context_.findings->add(
      flatten(peer.block, launch_.grid),
      {FindingKind::kBarrier,
       fmt::format("block ({},{},{}) may have left the kernel by now, and its shared memory with "
                   "it: let the cluster meet (cluster.sync()) before its blocks end",
                   block.x, block.y, block.z),
       peer.instruction, peer.block, peer.thread});
}

}  // namespace tilescope
