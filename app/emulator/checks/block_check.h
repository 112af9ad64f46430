#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/block/async_copies.h"
#include "emulator/block/execution_context.h"
#include "emulator/block/warp.h"
#include "emulator/checks/access_cell.h"
#include "emulator/checks/block_order.h"
#include "emulator/checks/cluster_races.h"
#include "emulator/checks/global_cells.h"
#include "emulator/checks/launch_check.h"
#include "emulator/checks/ticket_order.h"
#include "emulator/checks/undefined_source.h"
#include "emulator/checks/undefined_values.h"
#include "emulator/checks/warp_meeting.h"
#include "emulator/checks/written_bytes.h"

namespace tilescope {

// Follows the accesses and synchronisations of the blocks that one worker executes and reports what
// is wrong with them (docs/findings.md). The runner tells it what happens, in order; accesses come
// in as to any sink, and go on to the sink behind it.
class BlockCheck final : public TraceSink, public OperandWatcher {
 public:
  BlockCheck(LaunchCheck& launch, ExecutionContext& context, TraceSink* next);

  void start_block(std::vector<Warp>& warps);
  [[nodiscard]] bool watches(const MicroOp& op) const {
    return notes_.of[op.instruction].watched || undefined_.any();
  }
  void before(const MicroOp& op, const std::byte* registers, std::uint32_t lanes, Warp& warp);
  void after(const MicroOp& op, std::uint32_t lanes);
  // The guard of an instruction that this watches leaves these lanes out.
  void skip(const MicroOp& op, std::uint32_t lanes, const Warp& warp) {
    if (undefined_.any()) follow_skip(op, lanes, warp);
  }
  // `lanes` of a warp come to the end of a basic block: a branch, a barrier ...
  void end_block(std::uint32_t block, std::uint32_t lanes, const Warp& warp) {
    if (undefined_.any()) follow_end(block, lanes, warp);
  }
  void on_access(const WarpPoint& where, const WarpAccess& access) override;
  void on_operand_read(const WarpPoint& where, const WarpAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, std::uint64_t from, std::uint64_t to,
                    std::uint64_t bytes) override;

  void arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes);
  // The barrier lets those go that wait at it. `whole`: everybody who has not exited.
  void pass(std::uint32_t barrier, const std::vector<Warp>& warps, bool whole);
  void warp_barrier(const Warp& warp, std::uint32_t lanes);
  void meet_cluster();  // all its blocks have come to the cluster's barrier
  void exit(const Warp& warp, std::uint32_t lanes);
  void finish_block();
  // Of memory that the records take.
  [[nodiscard]] std::uint64_t held_bytes() const {
    return shared_.size() * sizeof(AccessCell) + global_.held_bytes() + order_.held_bytes();
  }

 private:
  struct Access {  // of the lanes of one instruction
    const WarpAccess& lanes;
    std::uint32_t instruction = 0;
    const InstructionNote& note;
    AccessStamp stamp;  // but for the thread
    bool reads = false;
    bool writes = false;
    bool has_value = false;  // stored_value() knows what is written
  };
  void check_shared(const Access& access);
  bool check_array(const Access& access, unsigned lane, std::uint64_t offset);
  bool check_pending(const Access& access, unsigned lane, std::uint64_t offset);
  void check_written(const Access& access, unsigned lane, std::uint64_t offset);
  void check_local(const Access& access);
  void check_cluster(const Access& access);
  [[nodiscard]] bool stores_the_same(const Access& access, unsigned lane, unsigned first,
                                     const std::byte* content) const;
  void report_cluster_race(const Access& access, unsigned lane, const ClusterRaces::Race& race,
                           const ExecutionContext& owner, std::uint64_t offset);
  void check_global(const Access& access);
  void note_ticket(const Access& access, unsigned lane, std::uint64_t address);
  void note_for_grid(const Access& access, GlobalCell& cell, const AccessStamp& now,
                     std::uint32_t value);
  void check_cell(const Access& access, AccessCell& cell, const AccessStamp& now,
                  std::uint64_t address, unsigned first, const std::byte* content,
                  std::uint32_t bytes);
  void synchronise(const Access& access, unsigned lane, std::uint64_t key);
  [[nodiscard]] bool same_source(const Access& access, const AccessStamp& past,
                                 const AccessStamp& now) const;
  [[nodiscard]] bool same_value(const Access& access, const AccessStamp& past,
                                const AccessStamp& now, std::uint64_t address, unsigned first,
                                const std::byte* content, std::uint32_t bytes) const;
  [[nodiscard]] bool one_statement(const AccessStamp& past, const AccessStamp& now) const;
  void take_arrivals();
  [[nodiscard]] bool overwrites(const AccessStamp& past, const AccessStamp& copy) const;
  void meet_at_mbarrier(const InstructionNote& note, const MicroOp& op, std::uint32_t lanes,
                        const Warp& warp);
  void touch_mbarrier(const MicroOp& op, std::uint64_t address, std::uint32_t thread);
  void meet_members(const InstructionNote& note, const MicroOp& op, std::uint32_t lanes,
                    const Warp& warp);
  void follow_shuffle(const MicroOp& op, std::uint32_t lanes, const Warp& warp,
                      const std::array<std::uint32_t, kWarpSize>& masks);
  void report_unnamed(std::uint32_t instruction, const Warp& warp, std::uint32_t lanes,
                      std::uint32_t members);
  void report_part_of_warp(std::uint32_t instruction, const Warp& warp, std::uint32_t lanes);
  void hand_to_grid();

  // block_check_undefined.cpp
  [[nodiscard]] const RowUse& rows_of(const MicroOp& op) const;
  [[nodiscard]] UndefinedValues::Step executing() const;
  void follow_skip(const MicroOp& op, std::uint32_t lanes, const Warp& warp);
  void follow_end(std::uint32_t block, std::uint32_t lanes, const Warp& warp);
  void finish_undefined();
  void note_uses(const std::vector<UndefinedValues::Use>& uses, const UndefinedValues::Step& step);
  void note_use(UndefinedValues::Set origins, std::uint32_t thread, std::uint32_t instruction);
  void read_unwritten(const Access& access, unsigned lane, UnwrittenRead read);
  void keep_undefined(WrittenBytes& written, const Access& access, unsigned lane,
                      std::uint64_t offset);
  void report_used(const UndefinedSource& source);
  void report_taken(const TakenValue& value, std::uint32_t use);
  void report_read(const UnwrittenRead& read, std::uint32_t use);
  void judge_reads();
  [[nodiscard]] GridUse announced_use(GridUse use, const AccessStamp& store) const;
  void hand_informed_reads();

  // block_check_reports.cpp
  struct Race {
    MemorySpace space = MemorySpace::kShared;
    std::uint64_t address = 0;
    unsigned bytes = 4;
    AccessStamp past;
    AccessStamp now;
    bool past_writes = false;
    bool now_writes = false;
    bool both_write = false;  // each of the two threads in turn
  };
  void report_race(const Race& race);
  void note_change(MemorySpace space, std::uint64_t address, const AccessStamp& now);
  // A touch of shared memory that a copy under way has still to fill.
  struct EarlyTouch {
    AccessStamp stamp;
    AccessStamp copy;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    bool reads = false;
    std::optional<Finding::Other> bulk = std::nullopt;  // who issued it, where it is a bulk copy
  };
  [[nodiscard]] bool may_be_late(const Race& race);
  [[nodiscard]] static EarlyTouch touch_of(const Race& race);
  void report_copy(const EarlyTouch& touch);
  void report_early_touches();
  struct FoundRace {
    Race race;
    bool past_is_main = false;  // what is reported stands at race.past
    bool between_warps = false;
    bool many_write = false;  // several threads have been at the writing instruction
    // The write is a cp.async's, which its thread has not waited for before it came to the read.
    bool copy_is_late = false;
  };
  [[nodiscard]] bool changes_in_turn(const FoundRace& found) const;
  [[nodiscard]] std::string describe_update(const FoundRace& found, const std::string& place,
                                            const std::string& by, const char* barrier) const;
  // `barrier`: what puts the two in order.
  [[nodiscard]] Finding describe_race(FindingKind kind, const FoundRace& found,
                                      const char* barrier) const;
  [[nodiscard]] bool meets_other_warps(const FoundRace& found) const;
  void report_races();
  [[nodiscard]] bool is_new(FindingKind kind, std::uint32_t instruction);
  [[nodiscard]] bool was_reported(FindingKind kind, std::uint32_t instruction) const;
  [[nodiscard]] Finding finding_of(FindingKind kind, std::uint32_t instruction,
                                   std::uint32_t thread, std::string message,
                                   const AccessStamp* other) const;
  void add(FindingKind kind, std::uint32_t instruction, std::uint32_t thread, std::string message,
           const AccessStamp* other = nullptr);
  [[nodiscard]] std::string thread_text(std::uint32_t thread) const;

  LaunchCheck& launch_;
  const InstructionNotes& notes_;
  ExecutionContext& context_;
  TraceSink* next_;
  AccessOrder order_;
  BlockOrder block_order_;
  TicketOrder tickets_;
  std::vector<AccessCell> shared_;
  WrittenBytes shared_written_;
  std::vector<WrittenBytes> local_written_;  // by thread
  GlobalCells global_;
  WarpMeeting meeting_;
  UndefinedValues undefined_;
  // By the instruction that brought the value in and the thread that it came to.
  std::map<std::pair<std::uint32_t, std::uint32_t>, UndefinedSource> sources_;
  bool open_reads_ = false;                 // of sources_, some are
  std::vector<std::uint32_t> raced_lines_;  // since the last barrier of the block
  std::vector<AsyncCopies::Arrival> arrivals_;
  std::vector<EarlyTouch> early_;  // since the last barrier of the block
  std::map<std::pair<FindingKind, std::uint32_t>, FoundRace> races_;  // of this block
  std::vector<std::uint8_t> reported_;  // by instruction, a bit for each kind
  bool cp_async_reported_ = false;      // in this block
  ClusterRaces cluster_races_;          // on this block's shared memory
  std::uint32_t cluster_phase_ = 0;     // how often the cluster has met
  bool has_heard_ = false;              // since then, maybe, of other blocks

  // The instruction that executes.
  const MicroOp* op_ = nullptr;
  const std::byte* registers_ = nullptr;
  std::uint32_t executing_ = 0;

  static constexpr std::size_t kMostEarly = 1024;
};

}  // namespace tilescope
