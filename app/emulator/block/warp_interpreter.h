#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/block/barrier_unit.h"
#include "emulator/code.h"
#include "emulator/emulate.h"
#include "emulator/execution/thread_block.h"

namespace tilescope {

// What tells whether a warp that executes a basic block may be waiting for somebody: bits.
inline constexpr std::uint8_t kActs = 1;        // stores or comes to a barrier
inline constexpr std::uint8_t kAsksOthers = 2;  // may wait for another block
inline constexpr std::uint8_t kLooks = 4;  // loads what another thread may write, and nothing else
inline constexpr std::uint8_t kMeetsOthers = 8;  // ... of a cluster, or copies, or surfaces
inline constexpr std::uint8_t kReads = 16;       // other memory than shared
inline constexpr std::uint8_t kWrites = 32;      // other memory than shared
inline constexpr std::uint8_t kDraws = 64;  // a number of a counter in global memory, in a loop

[[nodiscard]] std::uint8_t traits_of(const Code& code, const CodeBlock& block);

// Does it read global memory that another block may write meanwhile?
[[nodiscard]] bool asks_others(const MicroOp& op);

// An atomic of the basic block that counts up in global memory and whose result is used, in a loop:
// it may give blocks the numbers of their tiles. nullptr: there is none.
[[nodiscard]] const MicroOp* drawing_op(const Code& code, std::uint32_t block);

class EventRecorder;

// Executes the instructions of a block's warps: a warp at a time, until its time slice is over or
// none of its lanes can go on. Counts what it executes, over all blocks.
class WarpInterpreter {
 public:
  // How much a warp may do before others of its block come; and what it did.
  struct TimeSlice {
    std::int64_t instructions = 0;     // left; below 0: the slice is over
    bool pauses = true;                // it may be cut at a pause, to be continued
    bool polls_in_vain = false;        // it ended at an mbarrier whose phase is not over
    bool sleeps = false;               // ... in nanosleep
    bool draws = false;                // ... at an atomic of kDraws, by one lane
    std::uint64_t steps = 0;           // executed: warp instructions, a checked access being many
    std::uint64_t looks = 0;           // basic blocks of kLooks, or that only ask others
    bool asks_others = false;          // read what another block may write
    bool has_too_many_splits = false;  // recursion without an end
    std::uint8_t traits = 0;           // of what it executed: kActs ...
  };

  // `shares_draws`: a warp's slice ends where it draws a number (TimeSlice::draws).
  WarpInterpreter(ThreadBlock& block, BarrierUnit& barriers, bool shares_draws);

  // A slice of so many instructions; what it did is known until the next one. `events`: of a block
  // that is traced, else nullptr.
  const TimeSlice& run(Warp& warp, std::int64_t instructions, bool pauses, EventRecorder* events);

  // Of all blocks so far; the program has that many instructions.
  [[nodiscard]] ExecutionCounts counts(std::size_t instructions) const;
  // False: lanes have come to something that is not emulated.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  enum class Mode : std::uint8_t { kPlain, kTraced, kWatched };
  template <Mode kMode>
  void run_slice(Warp& warp, EventRecorder* events);
  template <Mode kMode>
  std::uint32_t run_code_block(std::uint32_t at, Warp& warp, std::uint32_t mask,
                               EventRecorder* events);
  template <Mode kMode>
  void run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask, EventRecorder* events);

  // Where lanes go at the end of a basic block. Each returns the split that goes on, kNoBlock where
  // it waits or is gone.
  std::uint32_t end_block(const CodeBlock& block, Warp& warp, std::uint32_t split,
                          std::uint32_t taken);
  std::uint32_t branch_indexed(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t call(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t call_address(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t leave_or_return(const CodeBlock& block, Warp& warp, std::uint32_t split,
                                std::uint32_t taken);
  std::uint32_t yield(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void pause(Warp& warp);
  [[nodiscard]] bool draws(std::uint32_t at, const Warp& warp, std::uint32_t mask) const;
  // Lanes come to something that is not emulated, and end there.
  std::uint32_t stop(const CodeBlock& block, Warp& warp, std::uint32_t split, std::uint32_t lanes,
                     std::string why);
  void end_slice(Warp& warp, std::uint32_t split, bool polled, std::uint8_t traits);
  void note_traits(std::uint8_t traits);

  ThreadBlock& block_;
  const Code& code_;
  ExecutionContext& context_;
  Observers& observers_;
  BarrierUnit& barriers_;
  TimeSlice slice_;                   // of the warp that runs
  std::vector<std::uint8_t> traits_;  // by basic block: traits_of(), and kDraws
  std::unordered_map<std::uint32_t, const MicroOp*> draws_;  // by basic block: drawing_op()
  bool complete_ = true;
  // Executed so far, by basic block: warps that came through, and their lanes.
  std::vector<std::uint64_t> block_warps_;
  std::vector<std::uint64_t> block_lanes_;
  // By instruction: lanes of guarded ones, and branches after which the lanes had diverged.
  std::vector<std::uint64_t> guarded_lanes_;
  std::vector<std::uint64_t> divergences_;
};

}  // namespace tilescope
