#pragma once
#include <array>
#include <cstdint>

#include "emulator/checks/checked_block.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {

// The bulk groups of each thread of a block (PTX ISA, "cp.async.bulk.commit_group" and
// "cp.async.bulk.wait_group").
class BulkGroups {
 public:
  [[nodiscard]] static bool commits(const StaticInstruction& instruction) {
    return instruction.is(Mnemonic::kCp) && instruction.has(Modifier::kBulk) &&
           instruction.has(Modifier::kCommitGroup);
  }
  [[nodiscard]] static bool waits(const StaticInstruction& instruction) {
    return instruction.synchronisation == Synchronisation::kWaitBulkCopies;
  }

  void start_block() { committed_.fill(0); }
  // Counts what a step commits; calls wait(thread, newest) for each thread of one that waits for
  // all but its `newest` groups.
  template <class F>
  void follow(const CheckedBlock& block, const WarpStep& step, F wait) {
    const StaticInstruction& which = block.instruction(step.op.instruction);
    const auto newest =
        which.operands.empty() ? 0 : static_cast<std::uint32_t>(which.operands[0].bits);
    for_lanes(step.lanes, [&](unsigned lane) {
      const std::uint32_t thread = block.thread(lane);
      if (thread >= kThreads) return;
      if (commits(which)) {
        ++committed_[thread];
      } else {
        wait(thread, newest);
      }
    });
  }
  // The number of the group that a thread's next copy belongs to.
  [[nodiscard]] std::uint32_t open(std::uint32_t thread) const { return committed_[thread]; }
  // Is that group of the thread complete once all but its `newest` are?
  [[nodiscard]] bool is_over(std::uint32_t thread, std::uint32_t group,
                             std::uint32_t newest) const {
    return group + newest < committed_[thread];
  }

 private:
  static constexpr std::size_t kThreads = 1024;
  std::array<std::uint32_t, kThreads> committed_{};
};

}  // namespace tilescope
