#pragma once
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "emulator/block/barriers.h"
#include "emulator/block/block_trace.h"
#include "emulator/block/execution_context.h"
#include "emulator/block/finding_log.h"
#include "emulator/block/warp.h"
#include "emulator/common_executors/bulk_transfers.h"

namespace tilescope {

class BlockCheck;
class EventRecorder;
class LaunchCheck;
struct Cluster;

// How a block ended; kWaits: it has not, for all its warps wait for what another block does.
enum class BlockOutcome : std::uint8_t { kDone, kEndless, kCancelled, kWaits };

// Executes blocks of one launch, one at a time, on the calling thread. A warp runs until it waits
// at a barrier or its quantum is over, then the next one does, so that warps that spin on each
// other's results make progress; the order depends on the code alone.
class BlockRunner {
 public:
  struct Setup {
    const Code& code;
    const Launch& launch;
    const MemoryMap& memory;
    FindingLog& findings;
    TraceSink* sink = nullptr;
    std::uint64_t step_budget = 0;
    LaunchCheck* check = nullptr;  // nullptr: nobody checks
    bool gives_way = false;        // to other blocks: run() may return kWaits
    Turns turns = Turns::kUsual;
  };
  explicit BlockRunner(const Setup& setup);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  BlockOutcome run(std::uint64_t linear_block, EventRecorder* events, const std::stop_token& stop);
  // The same in two steps: this, then go_on().
  void start(std::uint64_t linear_block) { start_block(linear_block); }
  // After kWaits: looks once more whether what the block waits for has come.
  BlockOutcome go_on(EventRecorder* events, const std::stop_token& stop);
  // After kWaits: what it waits for will not come. Reports so, for this reason.
  void give_up(FindingKind kind, std::string why);

  // From the next start() on, the block is this one of a cluster of several. go_on() then returns
  // kWaits also where nothing but another block of the cluster can help.
  void join(Cluster& cluster, std::uint32_t rank);
  enum class WaitsFor : std::uint8_t { kMemory, kMbarrier, kBarrier };
  // After kWaits: the least that would help.
  [[nodiscard]] WaitsFor waits_for() const { return waits_for_; }
  [[nodiscard]] bool waits_at_cluster_barrier() const;
  // After kWaits: no block of the cluster can go on. Reports what this one waits for, unless it is
  // the `others` that are to blame.
  void report_stuck(bool others);
  // After kWaits: another block has ended the launch.
  void abandon();
  // Every thread has come to the cluster's barrier, or has left.
  [[nodiscard]] bool has_come_to_cluster() const {
    return barriers_.all_have_come(Barriers::kCluster);
  }
  [[nodiscard]] bool waits_for_cluster() const {
    return barriers_.arrived(Barriers::kCluster) != 0;
  }
  // After the end: an access of another block that may have come too late.
  void report_late_peer();

  // Steps since run() or go_on() began: warp instructions, a checked access being many.
  [[nodiscard]] std::uint64_t steps_of_turn() const { return steps_of_turn_; }
  // ... which changed nothing.
  [[nodiscard]] bool looked_in_vain() const { return rounds_of_turn_ <= 1; }
  // Of memory that the runner holds.
  [[nodiscard]] std::uint64_t held_bytes() const;

  // Of all blocks so far; a program has that many instructions.
  [[nodiscard]] ExecutionCounts counts(std::size_t instructions) const;
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] ExecutionContext& context() { return context_; }

 private:
  void make_warps();
  void make_context(const Setup& setup);
  void start_block(std::uint64_t linear_block);
  BlockOutcome run_warps(EventRecorder* events, const std::stop_token& stop);
  void fill_specials(Warp& warp);
  [[nodiscard]] std::uint32_t value_of(SpecialValue special, const Warp& warp, unsigned lane,
                                       const Dim3& thread) const;
  enum class Mode : std::uint8_t { kPlain, kTraced, kChecked };
  void take_turn(Warp& warp, EventRecorder* events);
  template <Mode kMode>
  void run_warp(Warp& warp, EventRecorder* events);
  template <Mode kMode>
  void run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask, EventRecorder* events);
  void note_asking(std::uint8_t traits);
  std::uint32_t end_block(const CodeBlock& block, Warp& warp, std::uint32_t split,
                          std::uint32_t taken);
  std::uint32_t call(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t call_address(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t branch_indexed(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t arrive(const CodeBlock& block, Warp& warp, std::uint32_t split);
  std::uint32_t meet_cluster(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void release_cluster();
  std::uint32_t yield(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void pause(Warp& warp);
  void report_waiting();
  void arrive_at_warp_barrier(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void meet_for_exchange(Warp& warp, std::uint32_t split);
  [[nodiscard]] std::uint32_t members_of(const Warp& warp, const Split& split) const;
  void release_met(Warp& warp);
  bool release_at_warp_barriers();
  bool release_leaving_lanes();
  void exited(Warp& warp, std::uint32_t before);
  void report_missing(std::uint32_t barrier);
  void report_mixed(std::uint32_t barrier);
  void report_count(const CodeBlock& block, const Warp& warp, std::uint32_t split, std::uint32_t id,
                    std::uint32_t expected);
  void report_no_barrier(const CodeBlock& block, const Warp& warp, std::uint32_t split,
                         std::uint32_t id);
  void report_absent(const CodeBlock& block, const Warp& warp, std::uint32_t split,
                     std::uint32_t members);
  [[nodiscard]] bool everybody_waits(std::uint32_t barrier) const;
  void release(std::uint32_t barrier);
  void release_complete();
  void leave(Warp& warp, std::uint32_t split, std::uint32_t lanes);
  void stop_lanes(const CodeBlock& block, Warp& warp, std::uint32_t split);
  void report_deadlock();
  [[nodiscard]] std::string cluster_text() const;
  void report_endless(const Warp& warp);
  [[nodiscard]] BlockOutcome end_turn(BlockOutcome outcome, std::uint64_t steps_before);
  struct Place {  // of lanes
    const Warp* warp = nullptr;
    std::uint32_t instruction = 0;
    std::uint32_t lanes = 0;
  };
  void report_at(const Place& place, FindingKind kind, std::string message,
                 const Place* other = nullptr);
  [[nodiscard]] Place place_of(const Warp& warp, const Split& split) const;
  [[nodiscard]] std::string thread_text(const Place& place) const;

  const Code& code_;
  const Launch& launch_;
  std::uint64_t step_budget_;
  std::uint64_t steps_ = 0;  // of this block
  std::uint64_t steps_of_turn_ = 0;
  std::uint64_t rounds_of_turn_ = 0;
  bool gives_way_ = false;
  Turns turns_ = Turns::kUsual;
  std::int64_t quantum_ = 0;  // left to the running warp
  bool complete_ = true;
  bool stopped_lanes_ = false;     // this block lost lanes to something unsupported
  bool barrier_reported_ = false;  // in this block: what follows from it is not said again

  ExecutionContext context_;
  std::vector<std::byte> register_storage_;
  std::byte* registers_ = nullptr;  // aligned
  std::vector<std::byte> local_storage_;
  std::vector<std::byte> shared_;
  std::vector<std::byte> parameters_;
  std::uint32_t reserved_shared_ = 0;  // where the reserved KiB begins, when the code names it
  std::vector<Warp> warps_;
  Barriers barriers_;
  std::unique_ptr<BlockCheck> check_;
  PendingWords pending_;
  BulkTransfers transfers_;
  std::uint32_t cluster_phase_ = 0;
  Cluster* cluster_ = nullptr;  // of several blocks
  WaitsFor waits_for_ = WaitsFor::kMemory;
  bool waited_in_vain_ = false;       // the turn of the warp that runs ended so
  bool slept_ = false;                // ... or in nanosleep
  std::uint32_t idle_rounds_ = 0;     // in which no warp did anything else
  std::uint32_t waiting_rounds_ = 0;  // in which every warp that ran waited for memory to change
  std::vector<std::uint8_t> traits_;  // by basic block: block_traits.h
  bool asked_others_ = false;         // in this turn of the block: it read what another may write
  // Executed so far, by basic block: warps that came through, and their lanes.
  std::vector<std::uint64_t> block_warps_;
  std::vector<std::uint64_t> block_lanes_;
  // By instruction: lanes of guarded ones, and branches after which the lanes had parted.
  std::vector<std::uint64_t> guarded_lanes_;
  std::vector<std::uint64_t> divergences_;
};

}  // namespace tilescope
