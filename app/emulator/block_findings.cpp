#include <fmt/format.h>

#include "emulator/block_runner.h"
#include "emulator/lane_access.h"
#include "emulator/register_cells.h"

// What a block does wrong as a whole: it waits for ever, or never ends.
namespace tilescope {

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

// Nobody will complete the phase.
void BlockRunner::report_waiting() {
  for (const Warp& warp : warps_) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kReady) continue;
      context_.point.warp = warp.index;
      report_at(warp, FindingKind::kBarrier, code_.blocks[split.at].last.instruction, split.mask,
                "waits for a phase of an mbarrier that is never completed: too few threads arrive, "
                "or fewer bytes are copied than were expected");
      return;
    }
  }
}

}  // namespace tilescope
