#include "emulator/block/block_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/block/cluster.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

namespace tilescope {
namespace {

// Warp instructions until the next warp gets its turn; and once a warp has spent a turn in a loop
// that may be waiting for another's write, such as a lock.
constexpr std::int64_t kQuantum = 1 << 16;
constexpr std::int64_t kSpinningQuantum = 1 << 11;
constexpr std::int64_t kShortQuantum = 1 << 4;     // with the other turns
constexpr std::int64_t kLookCost = kQuantum / 16;  // of a turn, to look whether another has written
constexpr std::uint64_t kLookSteps = 1 << 11;      // that a look counts as
constexpr std::uint64_t kShortTurn = 256;          // of a loop around one mbarrier.try_wait
constexpr std::uint32_t kMostIdleRounds = 1 << 14;
// Before other blocks get their turn: rounds in which all wait, and steps of a block that may.
constexpr std::uint32_t kWaitingRounds = 4;
constexpr std::uint64_t kLongTurn = 1 << 24;
constexpr std::int64_t kLook = 1 << 6;        // a warp's turn when its block looks again
constexpr std::uint64_t kCheckedAccess = 63;  // further steps that a checked access stands for
constexpr std::size_t kRegisterAlignment = 64;
constexpr std::byte kUnwritten{0xcd};  // what shared and local memory hold at the start

// Shared memory is handed out in pieces of this size (CUDA occupancy calculator, sm_70 and later).
constexpr std::uint64_t kSharedGranularity = 128;
constexpr std::size_t kSharedSlack = 64;  // never addressed: the limit is shared_bytes

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t granularity) {
  return (bytes + granularity - 1) / granularity * granularity;
}

// Without the part that is CUDA's own.
std::uint64_t shared_bytes_of(const Code& code, const Launch& launch) {
  const std::uint64_t bytes =
      launch.dynamic_shared_bytes == 0
          ? code.static_shared_bytes
          : std::uint64_t{code.dynamic_shared_offset} + launch.dynamic_shared_bytes;
  // Machine code reads past the end of an array where nobody asks for what is there.
  return code.converges_at_barriers ? round_up(bytes, kSharedGranularity) : bytes;
}

bool names_reserved_shared(const Code& code) {
  return std::any_of(code.specials.begin(), code.specials.end(), [](const SpecialRow& special) {
    return special.value >= SpecialValue::kReservedShared &&
           special.value <= SpecialValue::kReservedSharedEnd;
  });
}

std::uint32_t count_instructions(const Code& code) {
  std::uint32_t instructions = 0;
  for (const CodeBlock& block : code.blocks) {
    instructions = std::max(instructions, block.last.instruction + 1);
  }
  for (const MicroOp& op : code.ops) instructions = std::max(instructions, op.instruction + 1);
  return instructions;
}

// Bits of BlockRunner::traits_.
constexpr std::uint8_t kActs = 1;        // stores or comes to a barrier
constexpr std::uint8_t kAsksOthers = 2;  // may wait for another block
constexpr std::uint8_t kLooks = 4;  // loads what another thread may write, and does nothing else

// Does it read shared memory that another block of the cluster may write meanwhile?
bool polls_shared(const MicroOp& op) {
  return op.space == MemorySpace::kShared &&
         (op.access == AccessKind::kAtomic ||
          (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0));
}

std::uint8_t traits_of(const Code& code, const CodeBlock& block) {
  const bool of_warp =
      block.barrier == BarrierKind::kWarp || block.barrier == BarrierKind::kConvergence;
  std::uint8_t traits = block.kind == EndKind::kBarrier && !of_warp ? kActs : 0;
  bool looks = false;
  bool updates = false;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const MicroOp& op = code.ops[i];
    const bool stores = op.access == AccessKind::kStore || op.access == AccessKind::kStmatrix ||
                        op.access == AccessKind::kAsyncCopy;
    if (stores && op.space != MemorySpace::kLocal) traits |= kActs;
    if (asks_others(op) || (code.cluster.count() > 1 && polls_shared(op))) traits |= kAsksOthers;
    looks |= op.access == AccessKind::kLoad && (op.flags & kPolls) != 0;
    updates |= op.access == AccessKind::kAtomic;
  }
  if (looks && !updates && (traits & kActs) == 0) traits |= kLooks;
  return traits;
}

}  // namespace

bool asks_others(const MicroOp& op) {
  const bool strong = op.access == AccessKind::kAtomic ||
                      (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0);
  return strong && (op.space == MemorySpace::kGlobal || op.space == MemorySpace::kGeneric);
}

BlockRunner::BlockRunner(const Setup& setup)
    : code_(setup.code),
      launch_(setup.launch),
      step_budget_(setup.step_budget),
      gives_way_(setup.gives_way),
      turns_(setup.turns) {
  make_warps();
  parameters_.resize(code_.parameter_bytes);
  block_warps_.assign(code_.blocks.size(), 0);
  block_lanes_.assign(code_.blocks.size(), 0);
  const std::uint32_t instructions = count_instructions(code_);
  guarded_lanes_.assign(instructions, 0);
  divergences_.assign(instructions, 0);
  for (const CodeBlock& block : code_.blocks) traits_.push_back(traits_of(code_, block));
  make_context(setup);
}

void BlockRunner::make_warps() {
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  const std::uint32_t warp_count = (threads + kWarpSize - 1) / kWarpSize;
  const std::size_t stride = round_up(code_.register_bytes, kRegisterAlignment);
  register_storage_.resize(stride * warp_count + kRegisterAlignment);
  const auto start = reinterpret_cast<std::uintptr_t>(register_storage_.data());
  registers_ = register_storage_.data() +
               (kRegisterAlignment - start % kRegisterAlignment) % kRegisterAlignment;
  const std::size_t local_stride = std::size_t{code_.local_bytes} * kWarpSize;
  local_storage_.resize(local_stride * warp_count);
  warps_.resize(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    warps_[w].index = w;
    warps_[w].converges_at_barriers = code_.converges_at_barriers;
    warps_[w].registers = registers_ + stride * w;
    warps_[w].local = local_storage_.data() + local_stride * w;
  }
}

void BlockRunner::make_context(const Setup& setup) {
  std::uint64_t shared_bytes = shared_bytes_of(code_, launch_);
  if (names_reserved_shared(code_)) {
    reserved_shared_ = static_cast<std::uint32_t>(round_up(shared_bytes, kSharedGranularity));
    shared_bytes = reserved_shared_ + kReservedSharedBytes;
  }
  shared_.resize(shared_bytes + kSharedSlack);
  context_.memory = &setup.memory;
  context_.site_region.assign(code_.sites, nullptr);
  context_.shared = shared_.data();
  context_.shared_bytes = shared_bytes;
  context_.reserved_shared = names_reserved_shared(code_) ? reserved_shared_ : shared_bytes;
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
  context_.transfers = &transfers_;
  if (setup.check != nullptr) {
    check_ = std::make_unique<BlockCheck>(*setup.check, context_, setup.sink);
    context_.sink = check_.get();
  }
  if (context_.sink != nullptr) {
    context_.last_access.resize(code_.sites);
    if (context_.sink->takes_repeats_late()) context_.repeats.resize(code_.sites);
  }
}

BlockRunner::~BlockRunner() = default;

// Basic blocks were counted; instructions follow from them.
ExecutionCounts BlockRunner::counts(std::size_t instructions) const {
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

void BlockRunner::start_block(std::uint64_t linear_block) {
  context_.block = unflatten(linear_block, launch_.grid);
  context_.point.block = linear_block;
  context_.clock = 0;
  steps_ = 0;
  stopped_lanes_ = false;
  barrier_reported_ = false;
  std::fill(shared_.begin(), shared_.end(), kUnwritten);
  std::fill(local_storage_.begin(), local_storage_.end(), kUnwritten);
  std::fill(parameters_.begin(), parameters_.end(), std::byte{0});
  ParameterIndex index;
  for (const LaunchArgument& argument : launch_.arguments) {
    const std::uint32_t parameter = index.next(argument.member);
    if (parameter >= context_.arguments.size()) break;
    const auto& [offset, bytes] = context_.arguments[parameter];
    const std::uint32_t within = argument.member ? argument.member->offset : 0;
    if (within >= bytes) continue;
    std::memcpy(parameters_.data() + offset + within, &argument.bits,
                std::min<std::size_t>(bytes - within, argument.bytes));
  }
  pending_.reset(code_.uses_async_copies ? context_.shared_bytes : 0);
  const auto threads = static_cast<std::uint32_t>(launch_.block.count());
  barriers_.reset(threads);
  transfers_.reset();
  cluster_phase_ = 0;
  context_.peer_access.reset();
  idle_rounds_ = 0;
  waiting_rounds_ = 0;
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
        put_cell(warp.registers, constant.row, lane, constant.wide, constant.bits);
      }
    }
    fill_specials(warp);
  }
  if (check_ != nullptr) check_->start_block(warps_);
}

void BlockRunner::take_turn(Warp& warp, EventRecorder* events) {
  quantum_ = warp.pause.quantum >= 0   ? warp.pause.quantum
             : turns_ == Turns::kOther ? kShortQuantum
             : warp.spins              ? kSpinningQuantum
                                       : kQuantum;
  if (gives_way_ && waiting_rounds_ + 1 >= kWaitingRounds) {
    quantum_ = std::min(quantum_, kLook);
  }
  context_.point.warp = warp.index;
  context_.local = warp.local;
  context_.async = code_.uses_async_copies ? &warp.async : nullptr;
  context_.warp = &warp;
  if (events != nullptr) {
    run_warp<Mode::kTraced>(warp, events);
  } else if (check_ != nullptr) {
    run_warp<Mode::kChecked>(warp, nullptr);
  } else {
    run_warp<Mode::kPlain>(warp, nullptr);
  }
}

BlockOutcome BlockRunner::run(std::uint64_t linear_block, EventRecorder* events,
                              const std::stop_token& stop) {
  start_block(linear_block);
  return end_turn(run_warps(events, stop), 0);
}

void BlockRunner::join(Cluster& cluster, std::uint32_t rank) {
  cluster_ = &cluster;
  context_.cluster = &cluster;
  context_.shared_origin = cluster.origin_of(rank);
  cluster.members[rank].check = check_.get();
}

BlockOutcome BlockRunner::go_on(EventRecorder* events, const std::stop_token& stop) {
  const std::uint64_t before = steps_;
  const BlockOutcome outcome = end_turn(run_warps(events, stop), before);
  if (outcome == BlockOutcome::kWaits && looked_in_vain()) steps_ = before;
  return outcome;
}

// Another runner may tell the sink of its accesses next.
BlockOutcome BlockRunner::end_turn(BlockOutcome outcome, std::uint64_t steps_before) {
  steps_of_turn_ = steps_ - steps_before;
  for (Repeats& repeats : context_.repeats) tell_repeats(repeats, context_);
  if (gives_way_) std::fill(context_.last_access.begin(), context_.last_access.end(), LastAccess{});
  return outcome;
}

std::uint64_t BlockRunner::held_bytes() const {
  return register_storage_.size() + local_storage_.size() + shared_.size() +
         (check_ == nullptr ? 0 : check_->held_bytes());
}

BlockOutcome BlockRunner::run_warps(EventRecorder* events, const std::stop_token& stop) {
  const std::uint64_t steps_before = steps_;
  rounds_of_turn_ = 0;
  asked_others_ = false;
  for (;;) {
    bool ran = false;
    bool done = true;
    bool idle = true;    // every warp that ran waited at an mbarrier, in vain
    bool again = true;   // ... and had done nothing since it last did
    bool waits = false;  // for memory to change; so do all that ran, but for those at mbarriers
    bool acts = false;
    for (std::size_t turn = 0; turn < warps_.size(); ++turn) {
      Warp& warp = warps_[turns_ == Turns::kUsual ? turn : warps_.size() - 1 - turn];
      if (warp.done()) continue;
      done = false;
      if (warp.find_ready() == kNoBlock) continue;
      ran = true;
      waited_in_vain_ = false;
      const std::uint64_t before = steps_;
      take_turn(warp, events);
      if (stop.stop_requested()) return BlockOutcome::kCancelled;
      idle &= waited_in_vain_ && steps_ - before < kShortTurn;
      again &= warp.failed_waits > 1;
      waits |= warp.waits;
      acts |= !warp.waits && !waited_in_vain_ && warp.pause.quantum < 0;
      if (steps_ > step_budget_) {
        report_endless(warp);
        if (check_ != nullptr) check_->finish_block();
        complete_ = false;
        return BlockOutcome::kEndless;
      }
    }
    if (done) {
      if (check_ != nullptr) check_->finish_block();
      return BlockOutcome::kDone;
    }
    idle_rounds_ = ran && idle ? idle_rounds_ + 1 : 0;
    ++rounds_of_turn_;
    waiting_rounds_ = waits && !acts ? waiting_rounds_ + 1 : 0;
    const bool may_wait =
        waiting_rounds_ >= kWaitingRounds || (asked_others_ && steps_ - steps_before > kLongTurn);
    if (gives_way_ && may_wait) {
      waiting_rounds_ = std::min(waiting_rounds_, kWaitingRounds - 1);
      waits_for_ = WaitsFor::kMemory;
      return BlockOutcome::kWaits;
    }
    if (cluster_ != nullptr && ran && idle) {
      waits_for_ = WaitsFor::kMbarrier;
      if (!again) ++rounds_of_turn_;  // not in vain
      return BlockOutcome::kWaits;
    }
    if (idle_rounds_ > kMostIdleRounds) {
      report_waiting();
      if (check_ != nullptr) check_->finish_block();
      complete_ = false;
      return BlockOutcome::kDone;
    }
    if (!ran && (release_at_warp_barriers() || release_leaving_lanes())) continue;
    if (!ran && cluster_ != nullptr) {
      waits_for_ = WaitsFor::kBarrier;
      return BlockOutcome::kWaits;
    }
    if (!ran) {
      report_deadlock();
      if (check_ != nullptr) check_->finish_block();
      complete_ = false;
      return BlockOutcome::kDone;
    }
  }
}

inline void BlockRunner::record(EventRecorder& events, std::uint32_t instruction,
                                std::uint32_t active, std::uint32_t present) {
  BlockTrace& trace = *events.trace;
  if (trace.events.size() < events.most_events) [[likely]] {
    trace.events.push_back({instruction, active, events.access,
                            static_cast<std::uint16_t>(context_.point.warp), present});
  } else {
    trace.truncated = true;
    ++trace.omitted_events;
  }
  events.access = kNoAccess;
}

template <BlockRunner::Mode kMode>
void BlockRunner::run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask,
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
    if constexpr (kMode == Mode::kChecked) {
      if (lanes != 0 && check_->watches(*op)) {
        check_->before(*op, registers, lanes, warp);
        op->execute(*op, registers, lanes, context_);
        check_->after(*op, lanes);
        steps_ += kCheckedAccess;
        continue;
      }
    }
    if (lanes != 0) [[likely]]
      op->execute(*op, registers, lanes, context_);
    if constexpr (kMode == Mode::kTraced) {
      if (op->hidden == 0) record(*events, op->instruction, lanes, mask);
    }
  }
}

// The warp has had its turn: what it read may have told it what others have done.
void BlockRunner::note_asking(std::uint8_t traits) {
  if ((traits & kAsksOthers) == 0) return;
  asked_others_ = true;
  context_.peer_access.reset();
}

template <BlockRunner::Mode kMode>
void BlockRunner::run_warp(Warp& warp, EventRecorder* events) {
  const bool goes_on = warp.pause.quantum >= 0;
  const Warp::Pause paused = std::exchange(warp.pause, {});
  std::uint32_t split = goes_on ? warp.last_turn : warp.next_turn();
  bool polled = paused.polled;
  std::uint8_t traits = paused.traits;  // of what this turn executes
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
    const std::uint32_t mask = current.mask;
    const CodeBlock& block = code_.blocks[at];
    ++block_warps_[at];
    block_lanes_[at] += count_lanes(mask);
    steps_ += block.instruction_count + 1;
    quantum_ -= block.instruction_count + 1;
    if ((traits_[at] & kLooks) != 0) [[unlikely]] {
      quantum_ -= kLookCost;
      steps_ += kLookSteps;
    }
    context_.clock += block.instruction_count;
    polled |= block.polls;
    traits |= traits_[at];
    run_ops<kMode>(block, warp, mask, events);
    const MicroOp& last = block.last;
    std::uint32_t taken = mask;
    if (last.guard != 0) {
      taken &= predicate_at(warp.registers, last.guard) ^ last.guard_flip;
      if (block.has_instruction) guarded_lanes_[last.instruction] += count_lanes(taken);
    }
    if constexpr (kMode == Mode::kTraced) {
      if (block.has_instruction) record(*events, last.instruction, taken, mask);
    }
    split = end_block(block, warp, split, taken);
    if (quantum_ < 0) [[unlikely]] {
      if (warp.pause.quantum >= 0) {
        warp.last_turn = split;
        warp.pause.polled = polled;
        warp.pause.traits = traits;
        return;
      }
      if (split == kNoBlock) split = warp.choose();
      if (split != kNoBlock && polled) warp.release_waiting(split);
      warp.last_turn = split;
      warp.polls = polled || waited_in_vain_;
      warp.spins = polled;
      warp.waits = (traits & ~kLooks) == kAsksOthers && !warp.acted;
      note_asking(traits);
      return;
    }
    if (split == kNoBlock) split = warp.choose();
    if (warp.splits.size() > Warp::kMostSplits) {
      steps_ = step_budget_ + 1;
      return;
    }
  }
  note_asking(traits);
  warp.last_turn = kNoBlock;
}

}  // namespace tilescope
