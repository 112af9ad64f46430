#include "emulator/block/warp_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/block/event_recorder.h"
#include "emulator/execution/register_cells.h"
#include "emulator/memory_map.h"

namespace tilescope {

namespace {

// Does it read shared memory that another block of the cluster may write meanwhile?
bool polls_shared(const MicroOp& op) {
  return op.space == MemorySpace::kShared &&
         (op.access == AccessKind::kAtomic ||
          (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0));
}

}  // namespace

std::uint8_t traits_of(const Code& code, const CodeBlock& block) {
  const bool of_warp = block.barrier == BarrierKind::kWarp ||
                       block.barrier == BarrierKind::kExchange ||
                       block.barrier == BarrierKind::kConvergence;
  std::uint8_t traits = block.kind == EndKind::kBarrier && !of_warp ? kActs : 0;
  const bool of_block = block.barrier == BarrierKind::kSync;
  const bool tests_mbarrier = block.kind == EndKind::kYield && block.last.flags != 0;
  if (tests_mbarrier || (traits != 0 && !of_block) || code.cluster.count() > 1 ||
      code.writes_surfaces)
    traits |= kMeetsOthers;
  bool looks = false;
  bool updates = false;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const MicroOp& op = code.ops[i];
    const bool stores = op.access == AccessKind::kStore || op.access == AccessKind::kStmatrix ||
                        op.access == AccessKind::kAsyncCopy;
    if (stores && op.space != MemorySpace::kLocal) traits |= kActs;
    const bool polls = (op.flags & kPolls) != 0;
    const bool is_shared = op.space == MemorySpace::kShared;
    const bool is_atomic = op.access == AccessKind::kAtomic;
    if (op.access == AccessKind::kAsyncCopy) traits |= kMeetsOthers;
    if ((op.access == AccessKind::kLoad || is_atomic) && !is_shared) traits |= kReads;
    if ((stores || is_atomic) && !is_shared) traits |= kWrites;
    if (asks_others(op) || (code.cluster.count() > 1 && polls_shared(op))) traits |= kAsksOthers;
    looks |= op.access == AccessKind::kLoad && polls;
    updates |= op.access == AccessKind::kAtomic;
  }
  if (looks && !updates && (traits & kActs) == 0) traits |= kLooks;
  return traits;
}

bool asks_others(const MicroOp& op) {
  const bool strong = op.access == AccessKind::kAtomic ||
                      (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0);
  return strong && (op.space == MemorySpace::kGlobal || op.space == MemorySpace::kGeneric);
}

namespace {

bool is_in_loop(const Code& code, std::uint32_t block) {
  std::vector<bool> seen(code.blocks.size(), false);
  std::vector<std::uint32_t> left{block};
  while (!left.empty()) {
    const CodeBlock& from = code.blocks[left.back()];
    left.pop_back();
    const auto add = [&](std::uint32_t to) {
      if (to >= seen.size() || seen[to]) return;
      seen[to] = true;
      left.push_back(to);
    };
    add(from.target);
    add(from.next);
    for (std::uint32_t i = 0; i < from.target_count; ++i) add(code.targets[from.first_target + i]);
  }
  return seen[block];
}

bool is_read(const Code& code, std::uint32_t row) {
  const auto reads = [&](const MicroOp& op, const RowUse& use) {
    bool found = false;
    for_each_row(code, op, use,
                 [&](std::uint32_t of, bool writes) { found |= !writes && of == row; });
    return found;
  };
  for (std::size_t i = 0; i < code.ops.size(); ++i) {
    if (reads(code.ops[i], code.uses[i])) return true;
  }
  for (std::size_t i = 0; i < code.blocks.size(); ++i) {
    if (reads(code.blocks[i].last, code.last_uses[i])) return true;
  }
  return false;
}

constexpr std::int64_t kLookCost = 1 << 12;  // of a slice, to look whether another has written
// Further steps that a checked access, or another watched instruction, stands for.
constexpr std::uint64_t kCheckedAccess = 63;
constexpr std::uint64_t kCheckedStep = 7;

std::uint32_t count_instructions(const Code& code) {
  std::uint32_t instructions = 0;
  for (const CodeBlock& block : code.blocks) {
    instructions = std::max(instructions, block.last.instruction + 1);
  }
  for (const MicroOp& op : code.ops) instructions = std::max(instructions, op.instruction + 1);
  return instructions;
}

}  // namespace

WarpInterpreter::WarpInterpreter(ThreadBlock& block, BarrierUnit& barriers, bool shares_draws)
    : block_(block),
      code_(block.code()),
      context_(block.context()),
      observers_(block.observers()),
      barriers_(barriers) {
  block_warps_.assign(code_.blocks.size(), 0);
  block_lanes_.assign(code_.blocks.size(), 0);
  const std::uint32_t instructions = count_instructions(code_);
  guarded_lanes_.assign(instructions, 0);
  divergences_.assign(instructions, 0);
  for (const CodeBlock& code_block : code_.blocks) traits_.push_back(traits_of(code_, code_block));
  for (std::uint32_t at = 0; shares_draws && at < traits_.size(); ++at) {
    const MicroOp* const op = drawing_op(code_, at);
    if (op == nullptr) continue;
    traits_[at] |= kDraws;
    draws_.emplace(at, op);
  }
}

const MicroOp* drawing_op(const Code& code, std::uint32_t block) {
  for (std::uint32_t i = code.blocks[block].begin; i < code.blocks[block].end; ++i) {
    const MicroOp& op = code.ops[i];
    const RowUse& use = code.uses[i];
    const bool counts = op.access == AccessKind::kAtomic && op.space != MemorySpace::kShared &&
                        use.operation == Operation::kAtomic &&
                        (use.mode == Modifier::kAdd || use.mode == Modifier::kInc);
    if (counts && (use.written & 1u) != 0 && is_read(code, op.row[0]) && is_in_loop(code, block))
      return &op;
  }
  return nullptr;
}

// Basic blocks were counted; instructions follow from them.
ExecutionCounts WarpInterpreter::counts(std::size_t instructions) const {
  ExecutionCounts counts(instructions);
  counts.divergent = divergences_;
  counts.divergent.resize(instructions);  // a kernel of no instruction has a block all the same
  const auto add = [&](const MicroOp& op, std::size_t block) {
    counts.warps[op.instruction] += block_warps_[block];
    counts.threads[op.instruction] += block_lanes_[block];
    counts.lanes[op.instruction] +=
        op.guard != 0 ? guarded_lanes_[op.instruction] : block_lanes_[block];
  };
  for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
    const CodeBlock& block = code_.blocks[b];
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      if (code_.ops[i].hidden == 0) add(code_.ops[i], b);
    }
    if (block.has_instruction) add(block.last, b);
  }
  return counts;
}

const WarpInterpreter::TimeSlice& WarpInterpreter::run(Warp& warp, std::int64_t instructions,
                                                       bool pauses, EventRecorder* events) {
  slice_ = {instructions, pauses};
  context_.point.warp = warp.index;
  context_.local = warp.local;
  context_.async = code_.uses_async_copies ? &warp.async : nullptr;
  context_.warp = &warp;
  if (events != nullptr) {
    run_slice<Mode::kTraced>(warp, events);
  } else if (observers_.watches_any()) {
    run_slice<Mode::kWatched>(warp, nullptr);
  } else {
    run_slice<Mode::kPlain>(warp, nullptr);
  }
  return slice_;
}

template <WarpInterpreter::Mode kMode>
void WarpInterpreter::run_slice(Warp& warp, EventRecorder* events) {
  const bool goes_on = warp.pause.instructions >= 0;
  const Warp::Pause paused = std::exchange(warp.pause, {});
  std::uint32_t split = goes_on ? warp.last_split : warp.next_split();
  bool polled = paused.polled;
  std::uint8_t traits = paused.traits;  // of what this slice executes
  warp.acted &= goes_on;
  warp.waits = false;
  while (split != kNoBlock) {
    const Split& current = warp.splits[split];
    if (current.block == current.rejoin && current.rejoin != kNoBlock) {
      warp.rejoin(split);
      split = warp.choose();
      continue;
    }
    const std::uint32_t at = current.block;
    const CodeBlock& block = code_.blocks[at];
    polled |= block.polls;
    traits |= traits_[at];
    const std::uint32_t taken = run_code_block<kMode>(at, warp, current.mask, events);
    split = end_block(block, warp, split, taken);
    if (slice_.instructions < 0) [[unlikely]] {
      end_slice(warp, split, polled, traits);
      return;
    }
    if (split == kNoBlock) split = warp.choose();
    if (warp.splits.size() > Warp::kMostSplits) {
      slice_.has_too_many_splits = true;
      return;
    }
  }
  note_traits(traits);
  warp.last_split = kNoBlock;
}

// All of a basic block but where it leads. Returns the lanes for which the guard of its end holds.
template <WarpInterpreter::Mode kMode>
std::uint32_t WarpInterpreter::run_code_block(std::uint32_t at, Warp& warp, std::uint32_t mask,
                                              EventRecorder* events) {
  const CodeBlock& block = code_.blocks[at];
  ++block_warps_[at];
  block_lanes_[at] += count_lanes(mask);
  slice_.steps += block.instruction_count + 1;
  slice_.instructions -= block.instruction_count + 1;
  if ((traits_[at] & (kLooks | kDraws | kAsksOthers)) != 0) [[unlikely]] {
    if ((traits_[at] & kDraws) != 0 && draws(at, warp, mask)) {
      slice_.draws = true;
      slice_.instructions = -1;
    } else if ((traits_[at] & kLooks) != 0) {
      slice_.instructions -= kLookCost;
      ++slice_.looks;
    } else if ((traits_[at] & kActs) == 0) {
      ++slice_.looks;
    }
  }
  context_.clock += block.instruction_count;
  bool whole = false;
  if constexpr (kMode == Mode::kTraced) whole = events->takes_whole(at);
  if (whole) {
    run_ops<Mode::kPlain>(block, warp, mask, nullptr);
  } else {
    run_ops<kMode>(block, warp, mask, events);
  }
  const MicroOp& last = block.last;
  std::uint32_t taken = mask;
  if (last.guard != 0) {
    taken &= predicate_at(warp.registers, last.guard) ^ last.guard_flip;
    if (block.has_instruction) guarded_lanes_[last.instruction] += count_lanes(taken);
  }
  if constexpr (kMode == Mode::kTraced) {
    const auto index = static_cast<std::uint16_t>(warp.index);
    if (whole) {
      events->record_block(index, mask, taken);
    } else if (block.has_instruction) {
      events->record(last.instruction, taken, mask, index);
    }
  }
  if constexpr (kMode == Mode::kWatched) observers_.on_code_block_end(at, mask, warp);
  return taken;
}

template <WarpInterpreter::Mode kMode>
void WarpInterpreter::run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask,
                              EventRecorder* events) {
  const MicroOp* op = code_.ops.data() + block.begin;
  const MicroOp* const end = code_.ops.data() + block.end;
  std::byte* const registers = warp.registers;
  for (; op != end; ++op) {
    std::uint32_t lanes = mask;
    if (op->guard != 0) [[unlikely]] {
      lanes &= predicate_at(registers, op->guard) ^ op->guard_flip;
      if (op->hidden == 0) guarded_lanes_[op->instruction] += count_lanes(lanes);
    }
    if constexpr (kMode == Mode::kWatched) {
      if (lanes != mask) observers_.on_skip({*op, registers, mask & ~lanes, warp});
      if (lanes != 0 && observers_.watches(*op)) {
        const WarpStep step{*op, registers, lanes, warp};
        observers_.before(step);
        op->execute(*op, registers, lanes, context_);
        observers_.after(step);
        slice_.steps += op->access == AccessKind::kNone ? kCheckedStep : kCheckedAccess;
        continue;
      }
    }
    if (lanes != 0) [[likely]]
      op->execute(*op, registers, lanes, context_);
    if constexpr (kMode == Mode::kTraced) {
      if (op->hidden == 0) {
        events->record(op->instruction, lanes, mask, static_cast<std::uint16_t>(warp.index));
      }
    }
  }
}

void WarpInterpreter::end_slice(Warp& warp, std::uint32_t split, bool polled, std::uint8_t traits) {
  if (warp.pause.instructions >= 0) {
    warp.last_split = split;
    warp.pause.polled = polled;
    warp.pause.traits = traits;
    slice_.traits = kMeetsOthers;  // it is not over
    return;
  }
  // Asleep between two tests of an mbarrier: it still waits there.
  const std::uint8_t deeds = traits & (kActs | kAsksOthers | kLooks);
  if (slice_.sleeps && warp.failed_tests > 0 && deeds == 0) slice_.polls_in_vain = true;
  if (split == kNoBlock) split = warp.choose();
  polled &= !slice_.draws;  // it has what it wants
  if (split != kNoBlock && polled) warp.release_waiting(split);
  warp.last_split = split;
  warp.polls = polled || slice_.polls_in_vain;
  warp.spins = polled;
  warp.waits = (deeds & ~kLooks) == kAsksOthers && !warp.acted;
  note_traits(traits);
}

// After a slice. What the warp read may have told it what others have done.
void WarpInterpreter::note_traits(std::uint8_t traits) {
  slice_.traits = traits;
  if ((traits & kAsksOthers) == 0) return;
  slice_.asks_others = true;
  context_.peer_access.reset();
}

std::uint32_t WarpInterpreter::end_block(const CodeBlock& block, Warp& warp, std::uint32_t split,
                                         std::uint32_t taken) {
  Split& current = warp.splits[split];
  switch (block.kind) {
    case EndKind::kFall:
      current.block = block.next;
      return split;
    case EndKind::kBranch:
      if (taken == current.mask) {
        current.block = block.target;
      } else if (taken == 0) {
        current.block = block.next;
      } else {
        divergences_[block.last.instruction] += block.has_instruction ? 1 : 0;
        return warp.diverge(split, taken, block.target, block.next, block.reconvergence);
      }
      return split;
    case EndKind::kIndexed:
      return branch_indexed(block, warp, split);
    case EndKind::kCall:
      return call(block, warp, split);
    case EndKind::kCallAddress:
      return call_address(block, warp, split);
    case EndKind::kReturn:
    case EndKind::kExit:
      current.block = block.next;
      return leave_or_return(block, warp, split, taken);
    case EndKind::kBarrier:
      current.block = block.next;
      current.at = static_cast<std::uint32_t>(&block - code_.blocks.data());
      return taken == 0 ? split : barriers_.arrive(block, warp, split);
    case EndKind::kYield:
      current.block = block.next;
      return yield(block, warp, split);
    case EndKind::kGiveWay:
      current.block = block.next;
      return taken == 0 || warp.yield(split) ? split : kNoBlock;
    case EndKind::kPause:
      current.block = block.next;
      pause(warp);
      return split;
    case EndKind::kTrap:
    case EndKind::kStop:
      return stop(block, warp, split, current.mask,
                  code_.messages[static_cast<std::size_t>(block.last.immediate)]);
  }
  return kNoBlock;
}

std::uint32_t WarpInterpreter::leave_or_return(const CodeBlock& block, Warp& warp,
                                               std::uint32_t split, std::uint32_t taken) {
  const bool some_stay = taken != warp.splits[split].mask;
  if (taken != 0) {
    const std::uint32_t before = warp.alive;
    if (block.kind == EndKind::kExit) {
      warp.leave(split, taken);
    } else {
      warp.return_from(split, taken);
    }
    if (warp.alive != before) barriers_.exited(warp, before);
  }
  return some_stay ? split : kNoBlock;
}

std::uint32_t WarpInterpreter::yield(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.last.flags != 0) {  // an mbarrier's test
    const bool sleeps = block.target != kNoBlock;
    if (sleeps) warp.splits[split].block = code_.blocks[block.target].next;
    if ((mask & ~predicate_at(warp.registers, block.last.row[0])) == 0) {
      warp.failed_tests = 0;
      context_.peer_access.reset();  // who completed the phase may have said that it is done
      return split;
    }
    slice_.polls_in_vain = true;
    warp.splits[split].at = static_cast<std::uint32_t>(&block - code_.blocks.data());
    // Lanes of this warp that wait for these may be the ones that must arrive.
    constexpr std::uint32_t kPatience = 64;
    if (++warp.failed_tests % kPatience == 0) {
      warp.release_waiting(split);
    } else if (sleeps) {
      warp.splits[split].block = block.target;
    }
  } else {
    slice_.sleeps = true;
  }
  slice_.instructions = -1;
  return split;
}

// The rest of the slice comes after the other warps' slices.
void WarpInterpreter::pause(Warp& warp) {
  if (slice_.instructions < 0 || !slice_.pauses) return;
  warp.pause.instructions = slice_.instructions;
  slice_.instructions = -1;
}

// Does one lane draw a number from a counter here? Lanes that draw together share no work, and an
// add of 0 only looks at the counter.
bool WarpInterpreter::draws(std::uint32_t at, const Warp& warp, std::uint32_t mask) const {
  const MicroOp& op = *draws_.at(at);
  std::uint32_t lanes = mask;
  if (op.guard != 0) lanes &= predicate_at(warp.registers, op.guard) ^ op.guard_flip;
  return count_lanes(lanes) == 1 &&
         word_at(warp.registers, op.row[2], static_cast<unsigned>(std::countr_zero(lanes))) != 0;
}

// Lanes with one index take one path; every path is a divergence of its own.
std::uint32_t WarpInterpreter::branch_indexed(const CodeBlock& block, Warp& warp,
                                              std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const auto target_of = [&](unsigned lane) {
    const std::uint32_t index = word_at(warp.registers, block.last.row[0], lane);
    return index < block.target_count ? code_.targets[block.first_target + index] : kNoBlock;
  };
  const std::uint32_t target = target_of(first);
  if (target == kNoBlock) {
    return stop(block, warp, split, 1u << first, "an indexed branch leaves its list of targets");
  }
  const std::uint32_t same = lanes_with(target, mask, target_of);
  if (same == mask) {
    warp.splits[split].block = target;
    return split;
  }
  // The others choose again, in a copy of the branch.
  divergences_[block.last.instruction] += block.has_instruction ? 1 : 0;
  return warp.diverge(split, same, target, block.target, block.reconvergence);
}

// Calls block.target and gives every lane its next frame, where it has one. Lanes without room for
// it stop here.
std::uint32_t WarpInterpreter::call(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const auto is_free = [](const Split& each) { return each.state == Split::State::kGone; };
  if (warp.splits.size() >= Warp::kMostSplits && std::ranges::none_of(warp.splits, is_free)) {
    return stop(block, warp, split, warp.splits[split].mask,
                fmt::format("the calls are nested deeper than is emulated ({} of a warp)",
                            Warp::kMostSplits));
  }
  if (!block.enters_frame) return warp.call(split, block.target, block.next);
  std::uint32_t full = 0;
  for (const unsigned lane : lanes_in(warp.splits[split].mask)) {
    if (value_at<std::uint64_t>(warp.registers, code_.frame_row, lane) +
            2 * std::uint64_t{code_.frame_bytes} >
        code_.local_bytes)
      full |= 1u << lane;
  }
  if (full != 0) {
    split =
        stop(block, warp, split, full,
             "the calls are nested deeper than the stack of a thread that is emulated (32 KiB)");
    if (split == kNoBlock) return kNoBlock;
  }
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.saves != kNoBlock)
    warp.saved.save(code_, code_.frames[block.saves], warp.registers, mask);
  for (const unsigned lane : lanes_in(mask)) {
    const std::uint64_t next =
        value_at<std::uint64_t>(warp.registers, code_.frame_row, lane) + code_.frame_bytes;
    put_value(warp.registers, code_.frame_row, lane, next);
  }
  return warp.call(split, block.target, block.next);
}

// Lanes with one callee call it together; the others choose again in a copy of the call.
std::uint32_t WarpInterpreter::call_address(const CodeBlock& block, Warp& warp,
                                            std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  const auto target_of = [&](unsigned lane) {
    const std::uint64_t offset =
        value_at<std::uint64_t>(warp.registers, block.last.row[0], lane) - kFunctionAddresses;
    const std::uint64_t function = offset / kFunctionStride - 1;
    return offset % kFunctionStride == 0 && function < code_.function_blocks.size()
               ? code_.function_blocks[function]
               : kNoBlock;
  };
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint32_t target = target_of(first);
  if (target == kNoBlock) {
    return stop(block, warp, split, 1u << first, "calls an address that is no function's");
  }
  const std::uint32_t same = lanes_with(target, mask, target_of);
  if (same != mask) return warp.diverge(split, same, block.target, block.target, block.next);
  CodeBlock known = block;
  known.target = target;
  return call(known, warp, split);
}

std::uint32_t WarpInterpreter::stop(const CodeBlock& block, Warp& warp, std::uint32_t split,
                                    std::uint32_t lanes, std::string why) {
  report_at(block_, {&warp, block.last.instruction, lanes},
            block.kind == EndKind::kTrap ? FindingKind::kTrap : FindingKind::kUnsupported,
            std::move(why));
  complete_ = false;
  observers_.tell(&BlockObserver::on_stopped_lanes);
  barriers_.stop(warp, split, lanes);
  return warp.splits[split].mask != 0 ? split : kNoBlock;
}

}  // namespace tilescope
