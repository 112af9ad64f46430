#pragma once
#include "emulator/checks/grid_history.h"
#include "emulator/checks/instruction_notes.h"
#include "emulator/execution/finding_log.h"
#include "emulator/finding.h"
#include "emulator/launch.h"

namespace tilescope {

// What the checks of a launch share: notes on the program, and who used which global memory.
class LaunchCheck {
 public:
  LaunchCheck(const Program& program, const Launch& launch, const MemoryMap& memory,
              std::uint64_t blocks);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const InstructionNotes& notes() const { return notes_; }
  [[nodiscard]] GridHistory& grid() { return grid_; }
  [[nodiscard]] const Launch& launch() const { return launch_; }
  // More than one block is executed, so that blocks can be in each other's way.
  [[nodiscard]] bool many_blocks() const { return many_blocks_; }
  // What the blocks find depends on their order (tickets of atomics): one worker keeps it fixed.
  [[nodiscard]] bool needs_one_worker() const { return notes_.takes_tickets; }
  // Reports the blocks that were in each other's way. After all blocks are done.
  void finish(FindingLog& findings) const;

 private:
  [[nodiscard]] Finding describe(const GridHistory::Race& race) const;

  const Program& program_;
  InstructionNotes notes_;
  const Launch& launch_;
  const MemoryMap& memory_;
  GridHistory grid_;
  bool many_blocks_;
};

}  // namespace tilescope
