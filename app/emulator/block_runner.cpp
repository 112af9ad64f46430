#include "emulator/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/lane_access.h"

namespace tilescope {
namespace {

constexpr std::int64_t kQuantum = 1 << 16;  // warp instructions until the next warp gets its turn
constexpr std::size_t kRegisterAlignment = 64;
constexpr std::byte kUnwritten{0xcd};  // what shared and local memory hold at the start

std::uint32_t word_at(const std::byte* registers, std::uint32_t row, unsigned lane) {
  std::uint32_t value;
  std::memcpy(&value, registers + row + std::size_t{lane} * 4, sizeof value);
  return value;
}
std::uint32_t predicate_at(const std::byte* registers, std::uint32_t row) {
  return word_at(registers, row, 0);
}

std::uint32_t count(std::uint32_t mask) { return static_cast<std::uint32_t>(std::popcount(mask)); }

}  // namespace

BlockRunner::BlockRunner(const Setup& setup)
    : code_(setup.code), launch_(setup.launch), step_budget_(setup.step_budget) {
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  const std::uint32_t warp_count = (threads + kWarpSize - 1) / kWarpSize;
  const std::size_t stride =
      (code_.register_bytes + kRegisterAlignment - 1) / kRegisterAlignment * kRegisterAlignment;
  register_storage_.resize(stride * warp_count + kRegisterAlignment);
  const auto start = reinterpret_cast<std::uintptr_t>(register_storage_.data());
  registers_ = register_storage_.data() +
               (kRegisterAlignment - start % kRegisterAlignment) % kRegisterAlignment;
  const std::size_t local_stride = std::size_t{code_.local_bytes} * kWarpSize;
  local_storage_.resize(local_stride * warp_count);
  const std::uint64_t shared_bytes =
      launch_.dynamic_shared_bytes == 0
          ? code_.static_shared_bytes
          : std::uint64_t{code_.dynamic_shared_offset} + launch_.dynamic_shared_bytes;
  shared_.resize(shared_bytes + 64);  // slack is never addressed: the limit is shared_bytes
  parameters_.resize(code_.parameter_bytes);
  warps_.resize(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    warps_[w].index = w;
    warps_[w].registers = registers_ + stride * w;
    warps_[w].local = local_storage_.data() + local_stride * w;
  }
  block_warps_.assign(code_.blocks.size(), 0);
  block_lanes_.assign(code_.blocks.size(), 0);
  std::uint32_t instructions = 0;
  for (const CodeBlock& block : code_.blocks) {
    instructions = std::max(instructions, block.last.instruction + 1);
  }
  for (const MicroOp& op : code_.ops) instructions = std::max(instructions, op.instruction + 1);
  guarded_lanes_.assign(instructions, 0);

  context_.memory = &setup.memory;
  context_.site_region.assign(code_.sites, nullptr);
  context_.shared = shared_.data();
  context_.shared_bytes = shared_bytes;
  context_.local_bytes = code_.local_bytes;
  context_.parameters = parameters_.data();
  context_.parameter_bytes = parameters_.size();
  context_.constants =
      const_cast<std::byte*>(code_.constant_image.data());  // stores to it are refused
  context_.constant_bytes = code_.constant_image.size();
  context_.sink = setup.sink;
  context_.findings = &setup.findings;
  context_.code = &code_;
  context_.block_extent = launch_.block;
  context_.pending = &pending_;
}

BlockRunner::~BlockRunner() = default;

void BlockRunner::fill_specials(Warp& warp) {
  const auto put = [&](const SpecialRow& special, unsigned lane, std::uint32_t value) {
    std::byte* cell = warp.registers + special.row + std::size_t{lane} * (special.wide ? 8 : 4);
    const std::uint64_t wide = value;
    std::memcpy(cell, &wide, special.wide ? 8 : 4);
  };
  const Dim3& grid = launch_.grid;
  const Dim3& block = launch_.block;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Dim3 thread = unflatten(std::uint64_t{warp.index} * kWarpSize + lane, block);
    const std::uint32_t bit = 1u << lane;
    for (const SpecialRow& special : code_.specials) {
      std::uint32_t value = 0;
      switch (special.value) {
        case SpecialValue::kTidX:
          value = thread.x;
          break;
        case SpecialValue::kTidY:
          value = thread.y;
          break;
        case SpecialValue::kTidZ:
          value = thread.z;
          break;
        case SpecialValue::kNtidX:
          value = block.x;
          break;
        case SpecialValue::kNtidY:
          value = block.y;
          break;
        case SpecialValue::kNtidZ:
          value = block.z;
          break;
        case SpecialValue::kCtaidX:
          value = context_.block.x;
          break;
        case SpecialValue::kCtaidY:
          value = context_.block.y;
          break;
        case SpecialValue::kCtaidZ:
          value = context_.block.z;
          break;
        case SpecialValue::kNctaidX:
          value = grid.x;
          break;
        case SpecialValue::kNctaidY:
          value = grid.y;
          break;
        case SpecialValue::kNctaidZ:
          value = grid.z;
          break;
        case SpecialValue::kLaneid:
          value = lane;
          break;
        case SpecialValue::kWarpid:
          value = warp.index;
          break;
        case SpecialValue::kNwarpid:
          value = static_cast<std::uint32_t>(warps_.size());
          break;
        case SpecialValue::kLanemaskEq:
          value = bit;
          break;
        case SpecialValue::kLanemaskLe:
          value = bit | (bit - 1);
          break;
        case SpecialValue::kLanemaskLt:
          value = bit - 1;
          break;
        case SpecialValue::kLanemaskGe:
          value = ~(bit - 1);
          break;
        case SpecialValue::kLanemaskGt:
          value = ~(bit | (bit - 1));
          break;
        case SpecialValue::kDynamicSharedBytes:
          value = launch_.dynamic_shared_bytes;
          break;
        case SpecialValue::kTotalSharedBytes:
          value = static_cast<std::uint32_t>(context_.shared_bytes);
          break;
        case SpecialValue::kNsmid:
        case SpecialValue::kOne:
          value = 1;
          break;
        case SpecialValue::kSmid:
        case SpecialValue::kGridid:
        case SpecialValue::kZero:
          break;
      }
      put(special, lane, value);
    }
  }
}

void BlockRunner::start_block(std::uint64_t linear_block) {
  context_.block = unflatten(linear_block, launch_.grid);
  context_.point.block = linear_block;
  context_.clock = 0;
  steps_ = 0;
  stopped_lanes_ = false;
  std::fill(shared_.begin(), shared_.end(), kUnwritten);
  std::fill(local_storage_.begin(), local_storage_.end(), kUnwritten);
  std::fill(parameters_.begin(), parameters_.end(), std::byte{0});
  for (std::size_t i = 0; i < launch_.arguments.size() && i < context_.arguments.size(); ++i) {
    const auto& [offset, bytes] = context_.arguments[i];
    std::memcpy(parameters_.data() + offset, &launch_.arguments[i],
                std::min<std::size_t>(bytes, 8));
  }
  pending_.reset(code_.uses_async_copies ? context_.shared_bytes : 0);
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  barriers_.reset(threads);
  std::memset(
      registers_, 0,
      code_.register_bytes == 0
          ? 0
          : static_cast<std::size_t>(warps_.back().registers - registers_) + code_.register_bytes);
  for (Warp& warp : warps_) {
    const std::uint32_t left = threads - warp.index * kWarpSize;
    warp.start(left >= kWarpSize ? kFullMask : (1u << left) - 1, 0);
    warp.async.reset(&pending_, warp.lanes);
    std::memcpy(warp.registers, &kFullMask, sizeof kFullMask);  // the predicate that always holds
    for (const ConstantRow& constant : code_.constants) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        std::memcpy(warp.registers + constant.row + std::size_t{lane} * (constant.wide ? 8 : 4),
                    &constant.bits, constant.wide ? 8 : 4);
      }
    }
    fill_specials(warp);
  }
}

BlockOutcome BlockRunner::run(std::uint64_t linear_block, EventRecorder* events,
                              const std::stop_token& stop) {
  start_block(linear_block);
  for (;;) {
    bool ran = false;
    bool done = true;
    for (Warp& warp : warps_) {
      if (warp.done()) continue;
      done = false;
      if (warp.find_ready() == kNoBlock) continue;
      ran = true;
      quantum_ = kQuantum;
      context_.point.warp = warp.index;
      context_.local = warp.local;
      context_.async = code_.uses_async_copies ? &warp.async : nullptr;
      context_.warp = &warp;
      const bool go_on =
          events != nullptr ? run_warp<true>(warp, events) : run_warp<false>(warp, nullptr);
      if (!go_on) return BlockOutcome::kStoppedAtEvent;
      if (stop.stop_requested()) return BlockOutcome::kCancelled;
      if (steps_ > step_budget_) {
        report_endless(warp);
        complete_ = false;
        return BlockOutcome::kDone;
      }
    }
    if (done) return BlockOutcome::kDone;
    if (!ran && release_at_warp_barriers()) continue;
    if (!ran) {
      report_deadlock();
      complete_ = false;
      return BlockOutcome::kDone;
    }
  }
}

// False: this was the event to stop after.
inline bool BlockRunner::record(EventRecorder& events, std::uint32_t instruction,
                                std::uint32_t mask) {
  BlockTrace& trace = *events.trace;
  if (trace.events.size() < events.most_events) [[likely]] {
    trace.events.push_back(
        {instruction, mask, events.access, static_cast<std::uint16_t>(context_.point.warp)});
  } else {
    trace.truncated = true;
    ++trace.omitted_events;
  }
  events.access = kNoAccess;
  return ++events.seen < events.stop_after;
}

template <bool kTraced>
bool BlockRunner::run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask,
                          EventRecorder* events) {
  const MicroOp* op = code_.ops.data() + block.begin;
  const MicroOp* const end = code_.ops.data() + block.end;
  std::byte* const registers = warp.registers;
  for (; op != end; ++op) {
    std::uint32_t lanes = mask;
    if (op->guard != 0) [[unlikely]] {
      lanes &= predicate_at(registers, op->guard) ^ op->guard_flip;
      if (op->hidden == 0) guarded_lanes_[op->instruction] += count(lanes);
    }
    if (lanes != 0) [[likely]]
      op->execute(*op, registers, lanes, context_);
    if constexpr (kTraced) {
      if (op->hidden == 0 && !record(*events, op->instruction, lanes)) return false;
    }
  }
  return true;
}

template <bool kTraced>
bool BlockRunner::run_warp(Warp& warp, EventRecorder* events) {
  std::uint32_t split = warp.next_turn();
  bool polled = false;
  while (split != kNoBlock) {
    const Split& current = warp.splits[split];
    if (current.block == current.rejoin && current.rejoin != kNoBlock) {
      warp.rejoin(split);
      split = warp.find_ready();
      continue;
    }
    const std::uint32_t at = current.block;
    const std::uint32_t mask = current.mask;
    const CodeBlock& block = code_.blocks[at];
    ++block_warps_[at];
    block_lanes_[at] += count(mask);
    steps_ += block.instruction_count + 1;
    quantum_ -= block.instruction_count + 1;
    context_.clock += block.instruction_count;
    polled |= block.polls;
    if (!run_ops<kTraced>(block, warp, mask, events)) return false;
    const MicroOp& last = block.last;
    std::uint32_t taken = mask;
    if (last.guard != 0) {
      taken &= predicate_at(warp.registers, last.guard) ^ last.guard_flip;
      if (block.has_instruction) guarded_lanes_[last.instruction] += count(taken);
    }
    if constexpr (kTraced) {
      if (block.has_instruction && !record(*events, last.instruction, taken)) return false;
    }
    split = end_block(block, warp, split, taken);
    if (quantum_ < 0) {
      if (split != kNoBlock && polled) warp.release_waiting(split);
      warp.last_turn = split;
      return true;
    }
    if (split == kNoBlock) split = warp.find_ready();
    if (warp.splits.size() > Warp::kMostSplits) {
      steps_ = step_budget_ + 1;
      return true;
    }
  }
  return true;
}

// Where the split goes on; kNoBlock: it waits or is gone.
std::uint32_t BlockRunner::end_block(const CodeBlock& block, Warp& warp, std::uint32_t split,
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
        return warp.diverge(split, taken, block.target, block.next, block.reconvergence);
      }
      return split;
    case EndKind::kIndexed:
      return branch_indexed(block, warp, split);
    case EndKind::kCall:
      return warp.call(split, block.target, block.next);
    case EndKind::kReturn:
    case EndKind::kExit: {
      current.block = block.next;
      const bool some_stay = taken != current.mask;
      if (taken != 0) {
        const std::uint32_t before = warp.alive;
        if (block.kind == EndKind::kExit) {
          warp.leave(split, taken);
        } else {
          warp.come_back(split, taken);
        }
        if (warp.alive != before) {
          barriers_.exit(count(before & ~warp.alive));
          release_complete();
        }
      }
      return some_stay ? split : kNoBlock;
    }
    case EndKind::kBarrier:
      current.block = block.next;
      current.at = static_cast<std::uint32_t>(&block - code_.blocks.data());
      return arrive(block, warp, split);
    case EndKind::kYield:
      current.block = block.next;
      quantum_ = -1;
      return split;
    case EndKind::kStop:
      stop_lanes(block, warp, split);
      return kNoBlock;
  }
  return kNoBlock;
}

// Lanes with one index go one way; every way is a divergence of its own.
std::uint32_t BlockRunner::branch_indexed(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const auto target_of = [&](unsigned lane) {
    const std::uint32_t index = word_at(warp.registers, block.last.row[0], lane);
    return index < block.target_count ? code_.targets[block.first_target + index] : kNoBlock;
  };
  const std::uint32_t target = target_of(first);
  if (target == kNoBlock) {
    report_at(warp, FindingKind::kUnsupported, block.last.instruction, mask,
              "an indexed branch leaves its list of targets");
    complete_ = false;
    leave(warp, split, 1u << first);
    return warp.splits[split].mask != 0 ? split : kNoBlock;
  }
  std::uint32_t same = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (target_of(lane) == target) same |= 1u << lane;
  }
  if (same == mask) {
    warp.splits[split].block = target;
    return split;
  }
  // The others choose again, in a copy of the branch.
  return warp.diverge(split, same, target, block.target, block.reconvergence);
}

void BlockRunner::leave(Warp& warp, std::uint32_t split, std::uint32_t lanes) {
  warp.leave(split, lanes);
  barriers_.exit(count(lanes));
  release_complete();
}

void BlockRunner::stop_lanes(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  report_at(warp, FindingKind::kUnsupported, block.last.instruction, mask,
            code_.messages[static_cast<std::size_t>(block.last.immediate)]);
  complete_ = false;
  stopped_lanes_ = true;
  leave(warp, split, mask);
}

std::uint32_t BlockRunner::arrive(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  if (block.barrier == BarrierKind::kWarp) {
    arrive_at_warp_barrier(block, warp, split);
    return current.state == Split::State::kReady ? split : kNoBlock;
  }
  const auto lane = static_cast<unsigned>(std::countr_zero(current.mask));
  Barriers::Arrival arrival;
  arrival.id = word_at(warp.registers, block.last.row[0], lane) % Barriers::kCount;
  arrival.expected = word_at(warp.registers, block.last.row[1], lane);
  arrival.threads = count(current.mask);
  // A barrier is counted in whole warps: the lanes that a warp lacks, or that have left, come
  // along.
  if (arrival.expected != 0 && current.mask == warp.alive) arrival.threads = kWarpSize;
  if (block.barrier != BarrierKind::kSync && block.barrier != BarrierKind::kArrive) {
    std::uint32_t agree = predicate_at(warp.registers, block.last.row[2]);
    if (block.last.flags != 0) agree = ~agree;
    arrival.agreeing = count(agree & current.mask);
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

// A barrier of the whole block that threads which have left never came to. The hardware goes on
// without them; CUDA calls it undefined.
void BlockRunner::report_missing(std::uint32_t id) {
  if (barriers_.exited() == 0 || stopped_lanes_) return;
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != id) continue;
      const CodeBlock& block = code_.blocks[split.at];
      if (!block.aligned) continue;
      const std::uint32_t running = context_.point.warp;
      report_at(warp, FindingKind::kBarrier, block.last.instruction, split.mask,
                fmt::format("{} of the block's {} threads have left the kernel and never come to "
                            "this barrier: let "
                            "every thread reach it before any returns",
                            barriers_.exited(), barriers_.threads()));
      context_.point.warp = running;
      return;
    }
  }
}

void BlockRunner::arrive_at_warp_barrier(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  Split& current = warp.splits[split];
  const auto lane = static_cast<unsigned>(std::countr_zero(current.mask));
  const std::uint32_t members = word_at(warp.registers, block.last.row[0], lane) & warp.alive;
  if ((members & ~current.mask) == 0) return;
  current.state = Split::State::kAtWarpBarrier;
  std::uint32_t here = 0;
  for (const Split& other : warp.splits) {
    if (other.state == Split::State::kAtWarpBarrier) here |= other.mask;
  }
  if ((members & ~here) != 0) return;
  for (Split& other : warp.splits) {
    if (other.state == Split::State::kAtWarpBarrier) other.state = Split::State::kReady;
  }
}

// Lanes at bar.warp.sync may wait for lanes that wait for them where their paths meet.
bool BlockRunner::release_at_warp_barriers() {
  bool released = false;
  for (Warp& warp : warps_) {
    for (std::uint32_t split = 0; split < warp.splits.size(); ++split) {
      if (warp.splits[split].state == Split::State::kAtWarpBarrier) {
        released |= warp.release_waiting(split);
      }
    }
  }
  return released;
}

void BlockRunner::release(std::uint32_t id) {
  const std::uint32_t arrived = barriers_.arrived(id);
  const std::uint32_t agreeing = barriers_.agreeing(id);
  for (Warp& warp : warps_) {
    for (Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != id) continue;
      split.state = Split::State::kReady;
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
  }
  barriers_.clear(id);
}

void BlockRunner::release_complete() {
  for (std::uint32_t id = 0; id < Barriers::kCount; ++id) {
    if (!barriers_.whole_block(id) || !barriers_.complete(id)) continue;
    report_missing(id);
    release(id);
  }
}

void BlockRunner::report_at(const Warp& warp, FindingKind kind, std::uint32_t instruction,
                            std::uint32_t lanes, std::string message) {
  MicroOp op;
  op.instruction = instruction;
  context_.point.warp = warp.index;
  report(context_, kind, op, static_cast<unsigned>(std::countr_zero(lanes)), std::move(message));
}

void BlockRunner::report_deadlock() {
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      const bool at_barrier = split.state == Split::State::kAtBarrier;
      if (!at_barrier && split.state != Split::State::kAtWarpBarrier) continue;
      const CodeBlock& block = code_.blocks[split.at];
      std::string message =
          at_barrier ? fmt::format(
                           "the block waits here for ever: {} of {} threads have come to barrier "
                           "{}; every thread "
                           "that it counts on must reach it",
                           barriers_.arrived(split.barrier), barriers_.threads(), split.barrier)
                     : std::string("lanes wait here for others of their warp that never come");
      report_at(warp, FindingKind::kBarrier, block.last.instruction, split.mask,
                std::move(message));
      return;
    }
  }
}

void BlockRunner::report_endless(const Warp& warp) {
  const std::uint32_t split = warp.find_ready();
  std::uint32_t instruction = 0;
  std::uint32_t lanes = warp.lanes;
  if (split != kNoBlock) {
    const CodeBlock& block = code_.blocks[warp.splits[split].block];
    instruction =
        block.begin < block.end ? code_.ops[block.begin].instruction : block.last.instruction;
    lanes = warp.splits[split].mask;
  }
  report_at(warp, FindingKind::kEndless, instruction, lanes,
            fmt::format("the block is not done after {} warp instructions: a loop here does not "
                        "end, or the step budget "
                        "is too small",
                        step_budget_));
}

}  // namespace tilescope
