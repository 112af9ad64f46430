#include "emulator/block_trace.h"

#include <bit>

#include "emulator/launch_state.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// Writes a block's accesses into its trace, as long as events are kept.
class Recorder final : public TraceSink {
 public:
  explicit Recorder(BlockTrace& trace) : trace_(trace) {}
  void on_access(const WarpPoint&, const WarpAccess& access) override {
    if (!trace_.truncated) trace_.append(access);
  }

 private:
  BlockTrace& trace_;
};

}  // namespace

WarpAccess BlockTrace::access(std::uint32_t index) const {
  const Record& record = accesses_[index];
  WarpAccess access;
  access.active = record.active;
  access.bytes_per_lane = record.bytes_per_lane;
  access.space = record.space;
  access.kind = record.kind;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    access.address[lane] = record.irregular != kNoAccess
                               ? irregular_[record.irregular + lane]
                               : record.base + static_cast<std::uint64_t>(record.stride) * lane;
  }
  return access;
}

void BlockTrace::append(const WarpAccess& access) {
  Record record;
  record.active = access.active;
  record.bytes_per_lane = access.bytes_per_lane;
  record.space = access.space;
  record.kind = access.kind;
  if (access.active != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
    const std::uint32_t rest = access.active & (access.active - 1);
    std::uint64_t stride = 0;
    if (rest != 0) {
      const auto second = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t gap = access.address[second] - access.address[first];
      stride = second == first + 1
                   ? gap
                   : static_cast<std::uint64_t>(static_cast<std::int64_t>(gap) /
                                                static_cast<std::int64_t>(second - first));
    }
    record.base = access.address[first] - stride * first;
    record.stride = static_cast<std::int64_t>(stride);
    std::uint64_t uneven = 0;
    if (access.active == 0xffffffff) {
      for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        uneven |= access.address[lane] - (record.base + stride * lane);
    } else {
      for (std::uint32_t left = access.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        uneven |= access.address[lane] - (record.base + stride * lane);
      }
    }
    if (uneven != 0) {
      record.irregular = static_cast<std::uint32_t>(irregular_.size());
      irregular_.insert(irregular_.end(), access.address.begin(), access.address.end());
    }
  }
  accesses_.push_back(record);
}

Result<BlockTrace> trace_block(const Program& program, const Launch& launch, DeviceMemory& memory,
                               std::uint64_t linear_block, std::size_t most_events,
                               std::stop_token stop) {
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
  Recorder recorder(trace);
  const Code& code = program.implementation().code();
  LaunchMemory launch_memory(code, memory);
  const EmulationOptions defaults;
  FindingLog findings(defaults.most_findings);
  BlockRunner runner(
      {code, launch, launch_memory.map(), findings, &recorder, defaults.step_budget});
  bind_arguments(program, runner.context());
  EventRecorder events{&trace, most_events, ~std::uint64_t{0}, 0};
  if (runner.run(linear_block, &events, stop) == BlockOutcome::kCancelled) {
    return Error{ErrorCode::kCancelled, "the trace was stopped", {}, {}};
  }
  trace.findings = findings.take();
  return trace;
}

}  // namespace tilescope
