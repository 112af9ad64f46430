#include "emulator/checks/barrier_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/execution/barriers.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"
#include "emulator/finding_place.h"

namespace tilescope {
namespace {

bool waits_at(const Split& split, std::uint32_t barrier) {
  return split.state == Split::State::kAtBarrier && split.barrier == barrier;
}

// see(warp, split) for each split that waits at the block's barrier.
template <class F>
void for_waiting(const ThreadBlock& block, std::uint32_t barrier, F see) {
  for (const Warp& warp : block.warps()) {
    for (const Split& split : warp.splits) {
      if (waits_at(split, barrier)) see(warp, split);
    }
  }
}

// Where the mbarrier lies that the first lane of a split asks for, and what it holds; nullopt: not
// one of the block's own.
std::optional<std::pair<std::uint64_t, Mbarrier>> tested_mbarrier(const ThreadBlock& block,
                                                                  const Warp& warp,
                                                                  const Split& split) {
  const CodeBlock& at = block.code().blocks[split.at];
  for (std::uint32_t i = at.begin; i < at.end; ++i) {
    const MicroOp& op = block.code().ops[i];
    if (op.instruction != at.last.instruction || op.bytes != sizeof(std::uint64_t)) continue;
    const auto lane = static_cast<unsigned>(std::countr_zero(split.mask));
    std::uint64_t address =
        cell_at(warp.registers, op.row[1], lane, (op.flags & kWideAddress) != 0) +
        static_cast<std::uint64_t>(op.immediate);
    const ExecutionContext& context = block.context();
    if (resolve_space(op.space, &address) != MemorySpace::kShared) return std::nullopt;
    address -= context.shared_origin;
    if (address + sizeof(std::uint64_t) > context.shared_bytes) return std::nullopt;
    std::uint64_t word = 0;
    std::memcpy(&word, context.shared + address, sizeof word);
    return std::pair{address, Mbarrier::unpack(word)};
  }
  return std::nullopt;
}

// Who of the cluster may have been meant to arrive or to copy.
std::string blocks_that_left(const ThreadBlock& block) {
  std::string text;
  const Cluster* const cluster = block.context().cluster;
  if (cluster == nullptr) return text;
  for (const Cluster::Member& member : cluster->members) {
    if (!member.ended || member.block == &block) continue;
    const Dim3& index = member.context->block;
    text += fmt::format("; block ({},{},{}) of its cluster has left the kernel", index.x, index.y,
                        index.z);
  }
  return text;
}

// `expect`: what told the mbarrier of bytes.
std::string why_never_completed(const ThreadBlock& block, const std::optional<Mbarrier>& object,
                                const std::string& expect) {
  if (!object || !object->valid || (object->pending == 0 && object->bytes == 0))
    return "too few threads arrive, or fewer bytes are copied than were expected";
  std::vector<std::string> reasons;
  if (object->pending != 0)
    reasons.push_back(fmt::format("too few threads arrive ({} missing)", object->pending));
  if (object->bytes > 0)
    reasons.push_back(fmt::format(
        "fewer bytes are copied than were expected ({} bytes missing): let {} name the bytes of "
        "the copies",
        object->bytes, expect));
  if (object->bytes < 0)
    reasons.push_back(fmt::format(
        "more bytes are copied than were expected ({} bytes more): let {} name the bytes of the "
        "copies",
        -object->bytes, expect));
  return fmt::format("{}", fmt::join(reasons, ", and ")) + blocks_that_left(block);
}

}  // namespace

void BarrierCheck::on_block_begin(std::vector<Warp>&) {
  stopped_lanes_ = false;
  reported_ = false;
  places_.clear();
  expects_.clear();
  arrivals_.clear();
  starts_.clear();
}

StepEvents BarrierCheck::needs(std::uint32_t instruction) const {
  return {.before = program_ != nullptr && program_->instructions()[instruction].synchronisation ==
                                               Synchronisation::kStartMbarrier};
}

void BarrierCheck::before(const WarpStep& start) {
  const MicroOp& op = start.op;
  for_lanes(start.lanes, [&](unsigned lane) {
    const std::uint64_t named =
        (cell_at(start.registers, op.row[1], lane, (op.flags & kWideAddress) != 0) +
         static_cast<std::uint64_t>(op.immediate)) &
        (kWindowBytes - 1);
    const SharedPlace place = find_shared(named, true, block_.context());
    if (place.owner != &block_.context()) return;
    starts_[place.offset] = {op.instruction, block_.context().block,
                             thread_of(block_.context(), lane)};
  });
}

void BarrierCheck::on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                               bool waits, bool) {
  if (!waits) ++arrivals_[{offset, where.warp * kWarpSize + lane}];
}

std::uint32_t BarrierCheck::single_arrivals(std::uint64_t offset) const {
  std::uint32_t threads = 0;
  for (auto at = arrivals_.lower_bound({offset, 0});
       at != arrivals_.end() && at->first.first == offset; ++at) {
    if (at->second > 1) return 0;
    ++threads;
  }
  return threads;
}

void BarrierCheck::report_phase(const LanesAt& at, std::string message,
                                const std::map<std::uint64_t, Finding::Other>& others,
                                std::uint64_t offset) {
  reported_ = true;
  ExecutionContext& context = block_.context();
  Finding finding{
      FindingKind::kBarrier, std::move(message), at.instruction, context.block,
      unflatten(at.warp->index * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(at.lanes)),
                context.block_extent)};
  if (const auto other = others.find(offset); other != others.end()) finding.other = other->second;
  context.findings->add(context.point.block, std::move(finding));
}

void BarrierCheck::on_block_end() {
  if (reported_ || stopped_lanes_) return;
  for (const auto& [few, most] : places_) {
    report_at(block_, few, FindingKind::kBarrierPlaces,
              fmt::format("{} waits at this barrier while {} waits at another one. Move the "
                          "barrier out of the branch: CUDA allows it there only if the whole "
                          "block takes the branch. GPUs since sm_70 go on all the same, for they "
                          "count arrivals, and all threads of the block come to equally many "
                          "barriers",
                          thread_text(block_, few), thread_text(block_, most)),
              &most);
  }
}

void BarrierCheck::on_expect(const WarpPoint& where, unsigned lane, std::uint64_t offset) {
  const Launch& launch = block_.launch();
  expects_[offset] = {where.instruction, unflatten(where.block, launch.grid),
                      unflatten(where.warp * kWarpSize + lane % kWarpSize, launch.block)};
}

void BarrierCheck::on_surplus(const ByteSurplus& surplus) {
  const ExecutionContext& context = block_.context();
  const auto expect = expects_.find(surplus.barrier);
  const Finding::Other& at = expect == expects_.end() ? surplus.copy : expect->second;
  if (!context.findings->wants(FindingKind::kBarrier, at.instruction, context.point.block)) return;
  Finding finding{
      FindingKind::kBarrier,
      fmt::format("copies bring {} bytes more to the mbarrier {} than it expects, so that its "
                  "phase is over before all are there: let expect_tx name the bytes of all its "
                  "copies",
                  surplus.bytes, name_place(context, MemorySpace::kShared, surplus.barrier, 8)),
      at.instruction, at.block, at.thread};
  if (expect != expects_.end()) finding.other = surplus.copy;
  context.findings->add(context.point.block, std::move(finding));
}

void BarrierCheck::report(const LanesAt& at, std::string message, const LanesAt* other) {
  reported_ = true;
  report_at(block_, at, FindingKind::kBarrier, std::move(message), other);
}

void BarrierCheck::on_arrive(const BarrierArrival& arrival) {
  const LanesAt at{&arrival.warp, arrival.block.last.instruction, arrival.lanes};
  if (arrival.named >= Barriers::kNamed) {
    report(at, fmt::format("uses barrier {}, but a block has only 0 to {}: use a number again "
                           "once its threads have passed",
                           arrival.named, Barriers::kNamed - 1));
  }
  if (arrival.counted.expected != 0) report_count(arrival, at);
}

void BarrierCheck::report_count(const BarrierArrival& arrival, const LanesAt& at) {
  const Barriers& barriers = block_.barriers();
  const std::uint32_t id = arrival.counted.id;
  const std::uint32_t expected = arrival.counted.expected;
  if (expected % kWarpSize != 0) {
    report(at, fmt::format("barrier {} waits for {} threads, which are no whole warps: give a "
                           "multiple of 32",
                           id, expected));
    return;
  }
  const bool begun = barriers.arrived(id) != 0;
  if (!begun || barriers.expected(id) == expected) return;
  report(at, fmt::format("barrier {} waits for {} threads here, but for {} where others wait "
                         "already: give the same number everywhere",
                         id, expected, barriers.expected(id)));
}

void BarrierCheck::on_release(std::uint32_t barrier, bool) {
  if (barrier == Barriers::kCluster || !block_.barriers().whole_block(barrier)) return;
  report_missing(barrier);
  note_places(barrier);
}

// A barrier of the whole block that threads which have left never came to. The hardware goes on
// without them since Volta; the language asks for every thread.
void BarrierCheck::report_missing(std::uint32_t id) {
  const Barriers& barriers = block_.barriers();
  if (barriers.exited() == 0 || stopped_lanes_ || reported_) return;
  if (report_places()) return;
  std::optional<LanesAt> waiting;
  for_waiting(block_, id, [&](const Warp& warp, const Split& split) {
    if (!waiting) waiting = lanes_at(block_.code(), warp, split);
  });
  if (!waiting) return;
  std::string example;
  for (const Warp& warp : block_.warps()) {
    const std::uint32_t left = warp.lanes & ~warp.alive;
    if (left == 0) continue;
    example = thread_text(block_, {&warp, 0, left}) + " among them, ";
    break;
  }
  report(*waiting, fmt::format("{} of the block's {} threads, {}have left the kernel and never "
                               "reach this barrier: let every thread reach it before any returns",
                               barriers.exited(), barriers.threads(), example));
}

// Threads that wait at the same barrier in different places: in divergent code.
void BarrierCheck::note_places(std::uint32_t id) {
  const Code& code = block_.code();
  const auto each = [&](auto see) {
    for_waiting(block_, id, [&](const Warp& warp, const Split& split) {
      if (code.blocks[split.at].aligned) see(warp, split);
    });
  };
  std::uint32_t places = 0;
  std::uint32_t first = kNoBlock;
  each([&](const Warp&, const Split& split) {
    places += split.at != first ? 1u : 0u;
    first = split.at;
  });
  if (places < 2) return;
  LanesAt most;
  std::uint32_t most_threads = 0;
  each([&](const Warp& warp, const Split& split) {
    std::uint32_t threads = 0;
    each([&](const Warp&, const Split& other) {
      if (other.at == split.at) threads += count_lanes(other.mask);
    });
    if (threads <= most_threads) return;
    most_threads = threads;
    most = lanes_at(code, warp, split);
  });
  bool done = false;
  each([&](const Warp& warp, const Split& split) {
    const LanesAt at = lanes_at(code, warp, split);
    if (done || at.instruction == most.instruction) return;
    done = true;
    const bool is_known = std::ranges::any_of(
        places_, [&](const Places& known) { return known.few.instruction == at.instruction; });
    if (!is_known) places_.push_back({at, most});
  });
}

// Whether there were any: barriers in different places of which some thread has one more.
bool BarrierCheck::report_places() {
  for (const auto& [few, most] : places_) {
    report(few,
           fmt::format(
               "the block's threads wait at different barriers: {} waits here while {} "
               "waits at another one; move the barrier out of the branch, so that every thread "
               "reaches the same one",
               thread_text(block_, few), thread_text(block_, most)),
           &most);
  }
  return !places_.empty();
}

void BarrierCheck::on_unnamed_lanes(const CodeBlock& block, const Warp& warp, std::uint32_t lanes,
                                    std::uint32_t members) {
  const LanesAt at{&warp, block.last.instruction, lanes};
  report(at,
         fmt::format("{} synchronises with a mask ({:#x}) that does not include it: include every "
                     "lane that executes this",
                     thread_text(block_, at), members));
}

// Threads of the block, and a block of its cluster that does not come.
std::string BarrierCheck::cluster_text() const {
  const Barriers& barriers = block_.barriers();
  std::string text =
      fmt::format("the block waits here for ever: {} of its {} threads have reached cluster.sync()",
                  barriers.arrived(Barriers::kCluster), barriers.threads());
  const Cluster* cluster = block_.context().cluster;
  if (cluster == nullptr) return text;
  for (const Cluster::Member& member : cluster->members) {
    if (member.ended || member.block == &block_) continue;
    if (member.block->barriers().all_have_come(Barriers::kCluster)) continue;
    const Dim3& block = member.context->block;
    return text + fmt::format(", and block ({},{},{}) of its cluster does not reach it", block.x,
                              block.y, block.z);
  }
  return text;
}

std::string BarrierCheck::waiting_text(const Split& stuck) const {
  if (stuck.state != Split::State::kAtBarrier)
    return "lanes wait here for ever for others of their warp";
  const Barriers& barriers = block_.barriers();
  const std::uint32_t id = stuck.barrier;
  if (id == Barriers::kCluster) return cluster_text();
  if (id >= Barriers::kWarpgroups) {
    return fmt::format(
        "the warpgroup waits here for ever: {} of its {} threads have reached "
        "wgmma.wait_group",
        barriers.arrived(id), barriers.expected(id));
  }
  return fmt::format("the block waits here for ever: {} of {} threads have reached {}",
                     barriers.arrived(id),
                     barriers.whole_block(id) ? barriers.threads() : barriers.expected(id),
                     id == 0 ? "__syncthreads() (barrier 0)" : fmt::format("barrier {}", id));
}

void BarrierCheck::on_deadlock() {
  report_places();
  const Warp* stuck_warp = nullptr;
  const Split* stuck = nullptr;
  for (const Warp& warp : block_.warps()) {
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
  const LanesAt at = lanes_at(block_.code(), *stuck_warp, *stuck);
  std::optional<LanesAt> absent;
  for (const Warp& warp : block_.warps()) {
    for (std::uint32_t i = 0; i < warp.splits.size() && !absent; ++i) {
      const Split& split = warp.splits[i];
      if (split.state == Split::State::kGone) continue;
      LanesAt other = lanes_at(block_.code(), warp, split);
      if (split.state == Split::State::kWaitsForChildren) other.lanes = warp.waiting_lanes(i);
      if (other.lanes != 0 && other.instruction != at.instruction) absent = other;
    }
  }
  std::string message = waiting_text(*stuck);
  if (absent)
    message += fmt::format("; {} is elsewhere and never reaches it", thread_text(block_, *absent));
  message += ": move the barrier to where every thread that it waits for reaches it";
  const bool counted = stuck->state == Split::State::kAtBarrier &&
                       stuck->barrier < Barriers::kNamed &&
                       !block_.barriers().whole_block(stuck->barrier);
  if (counted) message += ", or let its count be that of the threads that do";
  report(at, std::move(message), absent ? &*absent : nullptr);
}

// A copy that could not be made, or an arrival too many, is reported already: a phase that is never
// over follows from it.
bool BarrierCheck::follows_from_another() const {
  const ExecutionContext& context = block_.context();
  if (context.program == nullptr) return false;
  const auto& instructions = context.program->instructions();
  return context.findings->any_up_to(
      context.point.block, [&](FindingKind kind, std::uint32_t instruction) {
        switch (kind) {
          case FindingKind::kMisaligned:
          case FindingKind::kOutOfBounds:
          case FindingKind::kCpAsync:
            return instructions[instruction].fills_in_bulk();
          case FindingKind::kBarrier:
            return instructions[instruction].synchronisation == Synchronisation::kArriveMbarrier;
          default:
            return false;
        }
      });
}

// Nobody will complete the phase.
void BarrierCheck::on_endless_wait() {
  if (follows_from_another()) return;
  const Program* const program = block_.context().program;
  for (const Warp& warp : block_.warps()) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kReady) continue;
      const LanesAt at{&warp, block_.code().blocks[split.at].last.instruction, split.mask};
      const auto tested = tested_mbarrier(block_, warp, split);
      const std::uint32_t once = tested ? single_arrivals(tested->first) : 0;
      if (tested && tested->second.bytes == 0 && once > tested->second.expected) {
        report_phase(
            at,
            fmt::format(
                "waits for a phase of an mbarrier that is over, and another after it, for {} "
                "threads arrive and it counts {}: let mbarrier.init count all the arrivals of a "
                "phase",
                once, tested->second.expected),
            starts_, tested->first);
        return;
      }
      std::string expect = "expect_tx";
      const bool of_bytes = tested && tested->second.valid && tested->second.bytes != 0;
      if (of_bytes && program != nullptr && expects_.contains(tested->first)) {
        expect += fmt::format(
            " (line {})", FindingPlaces(*program).line_of(expects_.at(tested->first).instruction));
      }
      std::string message =
          "waits for a phase of an mbarrier that is never completed: " +
          why_never_completed(block_, tested ? std::optional(tested->second) : std::nullopt,
                              expect);
      if (of_bytes) {
        report_phase(at, std::move(message), expects_, tested->first);
      } else {
        report(at, std::move(message));
      }
      return;
    }
  }
}

void BarrierCheck::on_left_cluster() {
  const ExecutionContext& context = block_.context();
  if (!context.peer_access) return;
  const Finding::Other& peer = *context.peer_access;
  const Dim3& block = context.block;
  context.findings->add(
      flatten(peer.block, block_.launch().grid),
      {FindingKind::kBarrier,
       fmt::format("block ({},{},{}) may have left the kernel by now, and its shared memory with "
                   "it: synchronise the cluster (cluster.sync()) before its blocks end",
                   block.x, block.y, block.z),
       peer.instruction, peer.block, peer.thread});
}

}  // namespace tilescope
