#include "emulator/block/event_recorder.h"

#include <algorithm>
#include <cstring>

#include "emulator/execution/barriers.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

constexpr std::size_t kLikelyRuns = 1 << 11;  // growing step by step would copy what is there

}  // namespace

EventRecorder::EventRecorder(const Program& program, BlockTrace& trace, std::size_t most_events,
                             TraceSink* next)
    : trace_(trace),
      most_events_(most_events),
      next_(next),
      logs_repeats_(next == nullptr || next->takes_repeats_late()),
      layouts_(std::make_shared<const BlockLayouts>(layouts_of(program.implementation().code()))),
      log_(trace.events.accesses()),
      shape_(2 * program.instructions().size(), kNoAccess) {
  trace_.events = EventList(layouts_);
  trace_.events.reserve_runs(kLikelyRuns);
}

void EventRecorder::watch(ExecutionContext& context) {
  context_ = &context;
  context.observers->add(*this);
  context.observers->want_operand_reads();
  if (logs_repeats_) context.access_log = &log_;
}

void EventRecorder::truncate() {
  trace_.truncated = true;
  context_->access_log = nullptr;
}

bool EventRecorder::takes_whole(std::uint32_t block) {
  const BlockLayouts::Block& layout = layouts_->blocks[block];
  accesses_ = log_.next_index();
  block_ = block;
  whole_ = !layout.guarded && trace_.events.size() + layout.size <= most_events_;
  return whole_;
}

void EventRecorder::record_block(std::uint16_t warp, std::uint32_t active, std::uint32_t ended) {
  if (layouts_->blocks[block_].size == 0) return;
  trace_.events.add_block(block_, warp, active, ended, accesses_);
}

void EventRecorder::record(std::uint32_t instruction, std::uint32_t active, std::uint32_t present,
                           std::uint16_t warp) {
  const std::uint32_t accesses = log_.next_index();
  if (trace_.events.size() < most_events_) [[likely]] {
    const std::uint32_t access = accesses > accesses_ ? accesses_ : kNoAccess;
    trace_.events.add({instruction, active, access, warp, present}, accesses_);
  } else {
    if (!trace_.truncated) truncate();
    ++trace_.omitted_events;
  }
  accesses_ = accesses;
}

void EventRecorder::finish() {
  log_.finish();
  settle_waits();
}

// A warp that has to wait at an mbarrier executes the instruction once, as on the hardware: its
// event is there before the phase is over.
void EventRecorder::settle_waits() {
  constexpr std::uint32_t kFarthest = 1u << 14;  // events
  std::vector<MbarrierUse>& uses = trace_.mbarrier_uses;
  const EventList& events = trace_.events;
  const auto size = static_cast<std::uint32_t>(events.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!uses[i].waits || uses[i].elsewhere || size == 0) continue;
    const auto is_it = [&](std::uint32_t event) {
      const TraceEvent& traced = events[event];
      return traced.instruction == users_[i].instruction && traced.warp == users_[i].warp;
    };
    const std::uint32_t last = std::min(uses[i].event, size - 1);
    for (std::uint32_t back = 0; back <= std::min(last, kFarthest); ++back) {
      if (!is_it(last - back)) continue;
      uses[i].event = last - back;
      break;
    }
  }
  std::ranges::stable_sort(uses, {}, &MbarrierUse::event);
}

void EventRecorder::log(const WarpAccess& access, std::uint32_t instruction, std::uint32_t* shape) {
  *shape = trace_.events.accesses().shape_of(access, *shape);
  log_.add({base_of(access), *shape, instruction});
}

void EventRecorder::on_access(const WarpPoint& where, const WarpAccess& access) {
  if (next_ != nullptr) next_->on_access(where, access);
  if (trace_.truncated) return;
  // The two accesses of a cp.async have their own shapes.
  const bool second = access.kind == AccessKind::kAsyncCopy && access.space == MemorySpace::kShared;
  log(access, where.instruction, &shape_[2 * std::size_t{where.instruction} + (second ? 1 : 0)]);
}

bool EventRecorder::on_repeat(const WarpPoint& where, std::uint64_t base, std::uint64_t times) {
  if (next_ == nullptr) return trace_.truncated;
  return logs_repeats_ && next_->on_repeat(where, base, times);
}

bool EventRecorder::on_copy_repeat(const WarpPoint& where, std::uint64_t source,
                                   std::uint64_t destination) {
  if (!logs_repeats_) return false;
  return next_ == nullptr || next_->on_copy_repeat(where, source, destination);
}

// Executes in the middle of a block that may be recorded as a whole.
std::uint32_t EventRecorder::event_of(std::uint32_t instruction) const {
  std::uint32_t before = 0;
  if (whole_) {
    const BlockLayouts::Block& block = layouts_->blocks[block_];
    const auto* const steps = layouts_->steps.data() + block.begin;
    while (before < block.size && steps[before].instruction != instruction) ++before;
  }
  return static_cast<std::uint32_t>(trace_.events.size()) + before;
}

void EventRecorder::on_operand_read(const WarpPoint& where, const WarpAccess& access) {
  if (trace_.truncated) return;
  trace_.operand_reads.push_back({event_of(where.instruction),
                                  static_cast<std::uint32_t>(base_of(access)), log_.next_index()});
  log(access, kNoInstruction, &operand_shape_);
  if (!whole_) accesses_ = log_.next_index();
}

// What another block does comes before the next event of this one.
std::uint32_t EventRecorder::event_of(std::uint32_t instruction, unsigned lane) const {
  return lane < kWarpSize ? event_of(instruction)
                          : static_cast<std::uint32_t>(trace_.events.size());
}

// A phase has at least one arrival, which is told here: no more than one is over since the last.
std::uint32_t EventRecorder::phases_over(std::uint64_t mbarrier, bool parity) {
  std::uint32_t& over = phases_over_[mbarrier];
  if ((over % 2 != 0) != parity) ++over;
  return over;
}

void EventRecorder::on_bulk_copy(const WarpPoint& where, unsigned lane,
                                 const BulkTransfers::Copy& copy,
                                 std::span<const BulkPiece> pieces) {
  if (trace_.truncated) return;
  std::uint64_t word = 0;
  std::memcpy(&word, context_->shared + copy.barrier, sizeof word);
  const std::uint32_t phase = phases_over(copy.barrier, Mbarrier::unpack(word).phase);
  const std::uint32_t event = event_of(where.instruction, lane);
  for (const BulkPiece& piece : pieces)
    trace_.bulk_copies.push_back({BulkCopy::Kind::kLoad, event, lane, piece.global, piece.shared,
                                  piece.bytes, static_cast<std::uint32_t>(copy.barrier), phase});
}

void EventRecorder::on_bulk_store(const WarpPoint& where, unsigned lane,
                                  std::span<const BulkPiece> pieces, bool reduces) {
  if (trace_.truncated) return;
  const BulkCopy::Kind kind = reduces ? BulkCopy::Kind::kReduction : BulkCopy::Kind::kStore;
  const std::uint32_t event = event_of(where.instruction);
  for (const BulkPiece& piece : pieces)
    trace_.bulk_copies.push_back({kind, event, lane, piece.global, piece.shared, piece.bytes});
}

void EventRecorder::on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                                bool waits, bool parity) {
  if (trace_.truncated) return;
  const std::uint32_t over = phases_over(offset, waits ? !parity : parity);
  if (waits && over == 0) return;  // for the phase before the first, which is over from the start
  const MbarrierUse use{event_of(where.instruction, lane), static_cast<std::uint32_t>(offset),
                        waits ? over - 1 : over, waits, lane >= kWarpSize};
  std::vector<MbarrierUse>& uses = trace_.mbarrier_uses;
  if (waits && !uses.empty() && uses.back() == use) return;  // not for each lane
  uses.push_back(use);
  users_.push_back(where);
}

}  // namespace tilescope
