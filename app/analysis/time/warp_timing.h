#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/time/instruction_cost.h"
#include "core/result.h"
#include "emulator/block/block_trace.h"

namespace tilescope {

// Why a warp does not issue, by Nsight Compute's names; kMbarrier is called by a name of
// ours.
enum class Stall : std::uint8_t {
  kNone,
  kLongScoreboard,   // a value from global or local memory, or a group of cp.async
  kShortScoreboard,  // a value from shared memory, a shuffle or a special function
  kBarrier,
  kWait,              // a fixed latency: arithmetic
  kMathPipeThrottle,  // the unit is busy
  kMioThrottle,       // the queue to the memory pipe is full; the instruction is for shared memory
  kLgThrottle,        // ... for global or local memory
  kBranchResolving,
  kNotSelected,  // another warp of the scheduler issued
  kMbarrier,     // copies or arrivals that an mbarrier waits for
  kGmma,         // products of a warp group (wgmma)
};
inline constexpr std::size_t kStallCount = 12;
[[nodiscard]] const char* name_of(Stall stall);  // "long scoreboard"

// A warp instruction of the traced block, in cycles from the block's start.
struct EventTime {
  std::uint32_t waits_from = 0;  // after the warp's instruction before
  std::uint32_t ready = 0;       // until here for `stall`, then for `late` until it issues
  std::uint32_t issue = 0;
  std::uint32_t done = 0;  // its result, or its data, is there
  Stall stall = Stall::kNone;
  Stall late = Stall::kNone;  // the reason of most of these cycles
};
inline constexpr std::uint32_t kNever = 0xffffffff;  // EventTime::issue of what was not reached

// What bounds the multiprocessor, as the share of cycles in which it is busy.
enum class Resource : std::uint8_t {
  kIssue,
  kFma,
  kAlu,
  kDouble,
  kSpecial,
  kTensor,
  kData,
  kL2,
  kDram
};
inline constexpr std::size_t kResourceCount = 9;
[[nodiscard]] const char* name_of(Resource resource);  // "issue slots", "FMA pipe" ...

// Which of the units behind the short scoreboard and the memory queue (MIO) a kernel uses: what its
// waits for them can be for.
struct ShortLatencyUnits {
  bool shared_memory = false;
  bool special_functions = false;  // MUFU and conversions
  bool shuffles = false;

  // "shared memory or special functions"; `queued`: of those in the memory queue alone. "shared
  // memory" where it uses none.
  [[nodiscard]] std::string words(bool queued = false) const;
};

// One multiprocessor that executes copies of the traced block: a new one takes the place of one
// that ends. Numbers of the traced block are those of a copy in the middle.
struct WarpTiming {
  std::vector<EventTime> events;                  // parallel to BlockTrace::events
  std::vector<std::vector<std::uint32_t>> warps;  // the events of each warp, ascending
  std::uint32_t cycles = 0;                       // until the traced block's end
  std::uint32_t resident_blocks = 1;
  std::array<std::uint64_t, kStallCount> stalled{};  // warp-cycles of the traced block, each by its
                                                     // own reason
  std::uint64_t issued = 0;                          // instructions of the traced block
  std::array<double, kResourceCount> busy{};         // 0..1
  double l1_hits = 0;                                // 0..1 of the sectors that loads ask for
  ShortLatencyUnits short_latency;                   // that its instructions use
  bool truncated = false;        // some instructions of the traced block were not reached
  double reached = 1;            // 0..1 of them; `cycles` are of that part
  std::uint32_t all_cycles = 0;  // until what was run had ended, its stores included
  double blocks = 0;             // copies that were run, the last ones perhaps in part
  double first_cycles =
      0;  // until resident_blocks of them had ended, and how many had been run then
  double first_blocks = 0;

  // Cycles until `blocks_each` blocks have ended, at the pace of those that were run; 0: not known.
  [[nodiscard]] double cycles_of(double blocks_each) const;

  [[nodiscard]] Resource bound() const;  // the busiest
};

struct TimingRequest {
  std::uint32_t resident_blocks = 1;
  std::uint32_t most_blocks = 1;  // copies to run in all
  std::uint32_t warps_per_block = 1;
  double dram_share = 1;  // of the sectors that miss L1; the rest hits L2
  std::uint64_t l1_bytes = 0;
  std::size_t most_events = std::size_t{1} << 20;  // of all copies together; then it is cut
  std::vector<std::uint8_t> stalls;                // stall_counts() of the kernel; empty: not known
  double port_clocks = 1;                          // MachineRates::port_clocks
};

// A model, not a measurement: each cycle each of four schedulers issues at most one instruction, of
// the next warp in turn that is ready. A warp issues in order, after the stall count of its
// instruction before, once the registers are there that the instruction reads, its unit is free and
// the memory queue has room. Loads take a latency and their share of the L1 data stage (one
// wavefront a cycle), of L2 and of DRAM. Bulk copies take the latency of a load and their share of
// L2 and of DRAM. Not modelled: register banks, instruction caches, other multiprocessors, TLBs,
// clocks that change.
[[nodiscard]] Result<WarpTiming> time_warps(const Program& program, const BlockTrace& trace,
                                            const std::vector<InstructionCost>& costs,
                                            const LatencyModel& model, const TimingRequest& request,
                                            std::stop_token stop);

// Of each warp of the traced block its events: indices into BlockTrace::events, ascending. At least
// `warps` entries; one is empty where nothing of its warp was traced.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> events_by_warp(const BlockTrace& trace,
                                                                     std::size_t warps = 0);

}  // namespace tilescope
