#pragma once
#include <cstdint>
#include <vector>

#include "emulator/block/event_list.h"
#include "emulator/program.h"

namespace tilescope {

// What the 32 lane slots of one warp instruction are, as masks that share no lane. A lane works
// where its predicate is true; at a branch, call or return everyone who came along does: they
// decide.
struct LaneStates {
  std::uint32_t working = 0;
  std::uint32_t predicated = 0;  // came along, switched off by the predicate
  std::uint32_t waiting = 0;     // others of the warp go another way meanwhile
  std::uint32_t done = 0;        // nothing is left for it but to return
  std::uint32_t absent = 0;      // the block has no thread for it

  friend bool operator==(const LaneStates&, const LaneStates&) = default;
};

// Lane slots summed over warp instructions.
struct LaneSlots {
  std::uint64_t instructions = 0;  // of warps
  std::uint64_t working = 0;
  std::uint64_t predicated = 0;
  std::uint64_t waiting = 0;
  std::uint64_t done = 0;
  std::uint64_t absent = 0;

  LaneSlots& operator+=(const LaneSlots& other);
  void add(const LaneStates& states, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t total() const { return 32 * instructions; }
  [[nodiscard]] std::uint64_t lost() const { return total() - working; }
  [[nodiscard]] double lost_share() const;  // 0..1; 0 of nothing
  // Warp instructions that the same work takes with all 32 lanes in each.
  [[nodiscard]] std::uint64_t ideal_instructions() const { return (working + 31) / 32; }
};

// Which instructions are branches, calls and returns, where every lane works that came along.
[[nodiscard]] std::vector<bool> deciding_instructions(const Program& program);

// What a warp's lanes do at one event of its trace. `existing` and `done`: WarpLanes, LaneRun.
[[nodiscard]] LaneStates states_of(const StaticInstruction& instruction, const TraceEvent& event,
                                   std::uint32_t existing, std::uint32_t done);

}  // namespace tilescope
