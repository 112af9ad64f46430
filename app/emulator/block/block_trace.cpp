#include "emulator/block/block_trace.h"

#include <algorithm>
#include <bit>

#include "emulator/block/launch_state.h"
#include "emulator/block/resident_blocks.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// Writes a block's accesses into its trace, as long as events are kept.
class Recorder final : public TraceSink, public OperandWatcher {
 public:
  Recorder(EventRecorder& events, std::size_t instructions, TraceSink* next)
      : events_(events), last_(2 * instructions, kNoAccess), next_(next) {}

  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    if (next_ != nullptr) next_->on_access(where, access);
    BlockTrace& trace = *events_.trace;
    if (trace.truncated) return;
    const auto index = static_cast<std::uint32_t>(trace.access_count());
    // The two accesses of a cp.async have their own shapes.
    const bool second =
        access.kind == AccessKind::kAsyncCopy && access.space == MemorySpace::kShared;
    std::uint32_t& like = last_[2 * std::size_t{where.instruction} + (second ? 1 : 0)];
    trace.append(access, like);
    like = index;
    if (events_.access == kNoAccess) events_.access = index;
  }

  void on_operand_read(const WarpPoint&, const WarpAccess& access) override {
    BlockTrace& trace = *events_.trace;
    if (trace.truncated) return;
    const auto index = static_cast<std::uint32_t>(trace.access_count());
    trace.operand_reads.push_back(
        {static_cast<std::uint32_t>(trace.events.size()),
         static_cast<std::uint32_t>(
             access.address[static_cast<std::size_t>(std::countr_zero(access.active))]),
         index});
    trace.append(access, like_operand_);
    like_operand_ = index;
  }

  void on_bulk_copy(unsigned lane, std::uint64_t from, std::uint64_t to,
                    std::uint64_t bytes) override {
    BlockTrace& trace = *events_.trace;
    if (trace.truncated) return;
    trace.bulk_copies.push_back(
        {static_cast<std::uint32_t>(trace.events.size()), lane, from, to, bytes});
  }

  bool on_repeat(const WarpPoint& where, std::uint64_t base, std::uint64_t times) override {
    if (next_ != nullptr && !next_->on_repeat(where, base, times)) return false;
    BlockTrace& trace = *events_.trace;
    if (trace.truncated) return true;
    std::uint32_t& like = last_[2 * std::size_t{where.instruction}];
    const auto index = static_cast<std::uint32_t>(trace.access_count());
    trace.repeat(like, base);
    like = index;
    if (events_.access == kNoAccess) events_.access = index;
    return true;
  }

 private:
  EventRecorder& events_;
  std::vector<std::uint32_t> last_;         // access of each instruction; of a cp.async, both
  std::uint32_t like_operand_ = kNoAccess;  // the last piece of an operand
  TraceSink* next_;
};

// The launch's other clusters, or blocks where there are none, which run as far as the traced one
// waits for them. What they do wrong is not told here.
class Companions {
 public:
  Companions(const Program& program, const Launch& launch, const MemoryMap& memory,
             std::uint64_t traced)  // cluster
      : findings_(1),
        traced_(traced),
        blocks_(
            {program.implementation().code(), launch, memory, findings_, nullptr, kBudget}, all_,
            [](std::uint64_t) { return true; },
            [&program](BlockRunner& runner) { bind_arguments(program, runner.context()); }) {
    all_.clusters = launch.grid.count() / program.cluster().count();
    all_.most = most_resident_clusters(program.implementation().code(), launch);
  }

  BlockOutcome accompany(ClusterRunner& runner, EventRecorder& events,
                         const std::stop_token& stop) {
    BlockOutcome outcome = BlockOutcome::kWaits;
    int looks = 0;  // that were all that is left to do
    while (outcome == BlockOutcome::kWaits) {
      const BlockOutcome other = step(stop);
      if (other == BlockOutcome::kCancelled) return other;
      looks = other == BlockOutcome::kEndless ? looks + 1 : 0;
      if (looks > kMostLooks) {
        runner.give_up(FindingKind::kEndless,
                       "a loop here waits for what no other block does: let a thread that does not "
                       "wait itself write what it reads");
        return other;
      }
      outcome = runner.go_on(&events, stop);
    }
    return outcome;
  }

 private:
  static constexpr std::uint64_t kBudget = EmulationOptions{}.step_budget;
  // A warp's turn ends with its look, and what it saw shows in its next one only; each of several
  // warps and blocks may have to look.
  static constexpr int kMostLooks = 64;

  // kEndless: there is nothing left to do.
  BlockOutcome step(const std::stop_token& stop) {
    if (blocks_.has_room() && all_.next == traced_) ++all_.next;
    if (blocks_.has_room() && all_.next < all_.clusters) return blocks_.begin(all_.next++, stop);
    return blocks_.any_waits() ? blocks_.look_again(stop) : BlockOutcome::kEndless;
  }

  FindingLog findings_;
  Residents all_;
  std::uint64_t traced_;
  ResidentBlocks blocks_;
};

}  // namespace

WarpAccess BlockTrace::access(std::uint32_t index) const {
  const Record& record = accesses_[index];
  WarpAccess access;
  access.active = record.active;
  access.bytes_per_lane = record.bytes_per_lane;
  access.space = record.space;
  access.kind = record.kind;
  const auto first = static_cast<std::int64_t>(std::countr_zero(record.active));
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const std::int64_t distance = record.pattern != kNoAccess
                                      ? patterns_[record.pattern + lane]
                                      : record.stride * (static_cast<std::int64_t>(lane) - first);
    access.address[lane] = record.base + static_cast<std::uint64_t>(distance);
  }
  return access;
}

void BlockTrace::reserve(std::size_t most_events) {
  // Memory that is not touched costs nothing; growing step by step would copy what is there.
  constexpr std::size_t kLikelyEvents = std::size_t{1} << 20;
  events.reserve(std::min(most_events, kLikelyEvents));
  accesses_.reserve(std::min(most_events, kLikelyEvents / 4));
}

bool BlockTrace::has_shape_of(const WarpAccess& access, const Record& record) const {
  if (record.active != access.active || record.space != access.space) return false;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
  const std::uint64_t base = access.address[first];
  if (record.active == 0xffffffff) {
    std::uint64_t different = 0;
    if (record.pattern != kNoAccess) {
      const std::int64_t* pattern = patterns_.data() + record.pattern;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        different |= access.address[lane] - base - static_cast<std::uint64_t>(pattern[lane]);
      }
    } else {
      std::uint64_t expected = base;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        different |= access.address[lane] - expected;
        expected += static_cast<std::uint64_t>(record.stride);
      }
    }
    return different == 0;
  }
  for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t distance =
        record.pattern != kNoAccess ? static_cast<std::uint64_t>(patterns_[record.pattern + lane])
                                    : static_cast<std::uint64_t>(record.stride) * (lane - first);
    if (access.address[lane] - base != distance) return false;
  }
  return true;
}

BlockTrace::Record BlockTrace::describe(const WarpAccess& access) {
  Record record;
  record.active = access.active;
  record.space = access.space;
  if (access.active == 0) return record;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
  record.base = access.address[first];
  const std::uint32_t rest = access.active & (access.active - 1);
  if (rest != 0) {
    const auto second = static_cast<std::size_t>(std::countr_zero(rest));
    const auto gap = static_cast<std::int64_t>(access.address[second] - access.address[first]);
    record.stride = gap / static_cast<std::int64_t>(second - first);
  }
  if (has_shape_of(access, record)) return record;
  record.pattern = static_cast<std::uint32_t>(patterns_.size());
  for (const std::uint64_t address : access.address) {
    patterns_.push_back(static_cast<std::int64_t>(address - record.base));
  }
  return record;
}

void BlockTrace::repeat(std::uint32_t index, std::uint64_t base) {
  accesses_.push_back(accesses_[index]);
  accesses_.back().base = base;
}

void BlockTrace::append(const WarpAccess& access, std::uint32_t like) {
  Record record;
  if (like != kNoAccess && has_shape_of(access, accesses_[like])) {
    record = accesses_[like];
    if (access.active != 0)
      record.base = access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
  } else {
    record = describe(access);
  }
  record.bytes_per_lane = access.bytes_per_lane;
  record.kind = access.kind;
  accesses_.push_back(record);
}

Result<BlockTrace> trace_block(const Program& program, const Launch& launch, DeviceMemory& memory,
                               std::uint64_t linear_block, std::size_t most_events,
                               std::stop_token stop, TraceSink* sink) {
  const Status launchable = check_launch(program, launch);
  if (!launchable) return launchable.error();
  if (linear_block >= launch.grid.count()) {
    return Error{ErrorCode::kUsage,
                 "the block to trace lies outside the grid",
                 "Name a block of the grid",
                 {}};
  }
  BlockTrace trace;
  trace.block = unflatten(linear_block, launch.grid);
  trace.reserve(most_events);
  EventRecorder events;
  events.trace = &trace;
  events.most_events = most_events;
  Recorder recorder(events, program.instructions().size(), sink);
  const Code& code = program.implementation().code();
  LaunchRegions regions(code, memory);
  const EmulationOptions defaults;
  FindingLog findings(defaults.most_findings);
  BlockRunner::Setup setup{code, launch, regions.map(), findings, &recorder, defaults.step_budget};
  const std::uint64_t cluster = ClusterGrid{launch.grid, code.cluster}.cluster_of(linear_block);
  ClusterRunner runner(
      setup, [linear_block](std::uint64_t block) { return block == linear_block; },
      [&](BlockRunner& block) {
        bind_arguments(program, block.context());
        if (block.context().sink != nullptr) block.context().operand_watcher = &recorder;
      });
  BlockOutcome outcome = runner.run(cluster, &events, stop);
  if (outcome == BlockOutcome::kWaits) {
    Companions companions(program, launch, regions.map(), cluster);
    outcome = companions.accompany(runner, events, stop);
  }
  if (outcome == BlockOutcome::kCancelled) {
    return Error{ErrorCode::kCancelled, "the trace was stopped", {}, {}};
  }
  trace.findings = findings.take();
  trace.counts = runner.counts(program.instructions().size());
  trace.complete = runner.complete();
  return trace;
}

}  // namespace tilescope
