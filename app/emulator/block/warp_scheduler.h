#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "emulator/block/repeated_state.h"
#include "emulator/block/warp_interpreter.h"
#include "emulator/emulate.h"

namespace tilescope {

// How a block ended; kWaits: it has not, for all its warps wait for what another block does;
// kLate: it has not, and the time for the launch is over.
enum class BlockOutcome : std::uint8_t { kDone, kEndless, kCancelled, kWaits, kLate };

// Decides which warp of a block runs next, and whether any can. Warps run in rounds: in each round
// every warp with a lane that is ready has one time slice, so that warps that spin on each other's
// results make progress. A slice ends where the warp waits at a barrier or an mbarrier, or after a
// number of instructions; the order depends on the code alone.
class WarpScheduler {
 public:
  struct Policy {
    std::uint64_t step_budget = 0;  // of a block, before it counts as endless
    bool yields_to_blocks = false;  // run() may return kWaits
    SchedulingOrder order = SchedulingOrder::kForward;
    std::chrono::steady_clock::time_point ends_at = std::chrono::steady_clock::time_point::max();
  };
  // The least that another block of the cluster, or of the grid, must do for this one to go on.
  // kTurn: nothing. It has drawn a number (kDraws), and others shall draw theirs.
  enum class WaitsFor : std::uint8_t { kMemory, kMbarrier, kBarrier, kTurn };

  WarpScheduler(ThreadBlock& block, BarrierUnit& barriers, WarpInterpreter& interpreter,
                const Policy& policy);

  void start();  // of a block
  // Until the block ends or waits for another one; the first time, or again after kWaits.
  BlockOutcome run(EventRecorder* events, const std::stop_token& stop);

  // After kWaits.
  [[nodiscard]] WaitsFor waits_for() const { return waits_for_; }
  // ... for this other block, which will not come: reports so, for this reason.
  void report_in_vain(FindingKind kind, std::string why) const;

  // Warp instructions of the last run(). A checked access counts as many; so does a load that looks
  // for what another block writes, if nothing came of it.
  [[nodiscard]] std::uint64_t steps() const { return steps_of_run_; }
  // ... in which no memory changed and nobody came to a barrier.
  [[nodiscard]] bool ran_in_vain() const { return rounds_of_run_ <= 1; }
  // ... and the registers have the same values again and again, after each run or in a cycle of
  // several: the block waits. Another block may get on without a store: it adds up what it loads,
  // or counts how often it looked.
  [[nodiscard]] bool waits_unchanged() const { return waits_unchanged_; }
  // False: a block was given up, or never ended.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  // What the warps did in one round.
  struct Round {
    bool any_left = false;  // not all lanes have left the kernel
    bool any_ran = false;
    bool only_polls = true;         // every warp that ran waited at an mbarrier, in vain
    bool polls_again = true;        // ... and had done nothing since it last did
    bool sleeps = false;            // some do, in nanosleep
    bool draws = false;             // one has drawn a number
    bool waits_for_memory = false;  // some spin on memory, the others at mbarriers
    bool acts = false;              // ... or else some did something
    std::uint8_t traits = 0;        // of all slices
    const Warp* last = nullptr;     // that ran
  };
  [[nodiscard]] std::optional<BlockOutcome> run_round(EventRecorder* events,
                                                      const std::stop_token& stop, Round* round);
  void run_slice(Warp& warp, EventRecorder* events, Round* round);
  [[nodiscard]] bool is_late(std::uint64_t steps_before);
  [[nodiscard]] std::int64_t slice_of(const Warp& warp) const;
  [[nodiscard]] std::optional<BlockOutcome> judge(const Round& round);
  BlockOutcome wait_for(WaitsFor what);
  BlockOutcome end(BlockOutcome outcome, bool complete);
  BlockOutcome run_rounds(EventRecorder* events, const std::stop_token& stop);
  // Whether the round shows that the block will never end.
  [[nodiscard]] bool goes_round(const Round& round);
  // After a run in vain: whether the block only goes round, however many runs it takes.
  [[nodiscard]] bool is_in_cycle();
  void report_endless(const Warp& warp, std::string why) const;

  ThreadBlock& block_;
  BarrierUnit& barriers_;
  WarpInterpreter& interpreter_;
  Policy policy_;
  bool is_alone_;                    // the only block of the grid
  RepeatedState repeated_;           // after rounds
  RepeatedState looked_;             // after runs in vain
  std::uint64_t runs_in_cycle_ = 0;  // left of the period that looked_ has found
  bool waits_unchanged_ = false;
  bool complete_ = true;
  std::uint64_t steps_ = 0;  // of this block
  std::uint64_t steps_of_run_ = 0;
  std::uint64_t looks_of_run_ = 0;
  std::uint64_t steps_since_clock_ = 0;  // was read
  std::uint64_t steps_before_run_ = 0;
  std::uint64_t rounds_of_run_ = 0;
  std::uint32_t idle_rounds_ = 0;     // in which no warp did anything but poll mbarriers
  std::uint32_t waiting_rounds_ = 0;  // in which every warp that ran waited for memory to change
  bool asked_others_ = false;         // in this run: a warp read what another block may write
  WaitsFor waits_for_ = WaitsFor::kMemory;
};

}  // namespace tilescope
