#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/global_uses.h"
#include "emulator/checks/shadow_memory.h"

namespace tilescope {

class CopyReports;

// Finds data races of a block's threads on shared and global memory: two accesses to one place, one
// of them a write, with nothing that puts them in order. Each piece of memory has a cell that
// remembers who accessed it last. What the block did to global memory it hands to the launch's
// history when it ends, where races between blocks are found (GridHistory).
class RaceCheck final : public BlockObserver {
 public:
  struct Race {
    MemorySpace space = MemorySpace::kShared;
    std::uint64_t address = 0;
    unsigned bytes = 4;
    AccessStamp past;
    AccessStamp now;
    bool past_writes = false;
    bool now_writes = false;
    bool both_write = false;   // each of the two threads, one after the other
    bool now_is_main = false;  // what is reported is at `now`, whatever the code's order says
  };

  RaceCheck(CheckedBlock& block, CopyReports& copies);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void after(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_block_end() override;
  [[nodiscard]] std::uint64_t held_bytes() const override {
    return shared_.size() * sizeof(AccessCell) + further_.held_bytes() + global_.held_bytes();
  }

  // For the checks of asynchronous copies: what is known of a place in shared memory.
  [[nodiscard]] AccessCell& shared_cell(std::uint64_t offset) {
    return shared_[offset >> shared_shift_];
  }
  void remember_shared_read(std::uint64_t offset, const AccessStamp& read);
  // is_it(reader) for those of its readers that a write may have to come after, until it is true.
  template <class F>
  bool any_shared_reader(std::uint64_t offset, F is_it) const {
    const std::size_t index = offset >> shared_shift_;
    const auto& [first, second] = shared_[index].read;
    return is_it(first) || is_it(second) ||
           further_.find(FurtherAccesses::kReads, index, is_it) != nullptr;
  }
  // The block's last write to a place of global memory; nullptr: none is known.
  [[nodiscard]] const AccessStamp* last_global_write(std::uint64_t address) {
    const GlobalCell* const cell = global_.at(address);
    return cell != nullptr && order_.is_recent(cell->cell.write) ? &cell->cell.write : nullptr;
  }
  // What a bulk copy does to global memory beside the threads, issued by the stamp's thread.
  struct GlobalTouch {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
    bool reduces = false;             // it combines with what is there, as atomics do
    const std::byte* data = nullptr;  // what it writes
  };
  void touch_global(const GlobalTouch& touch, AccessStamp now);
  // The thread has waited for its bulk store: this is when it wrote.
  void renew_write(std::uint64_t address, std::uint64_t bytes, const AccessStamp& issued,
                   const AccessStamp& now);
  void report_race(const Race& race);
  // The thread has waited for its copy: who raced with it may have to blame no missing wait.
  void note_arrival(const AccessStamp& copy);
  // Has a line of the source raced since the last barrier of the whole block?
  [[nodiscard]] bool has_raced(std::uint32_t line) const;

 private:
  struct FoundRace {
    Race race;
    bool past_is_main = false;  // what is reported is at race.past
    bool between_warps = false;
    bool many_write = false;  // several threads have been at the writing instruction
    // The write is a cp.async's, which its thread has not waited for before it came to the read.
    bool copy_is_late = false;
    bool in_groups = false;  // of warps, each of which makes one of the accesses
  };

  // A read by lanes of a warp that counts only where its value is taken.
  struct HeldRead {
    std::uint32_t load = 0;
    AccessStamp stamp;
    WarpAccess access;
    std::uint32_t lanes = 0;
  };

  void hold_read(const CheckedAccess& access, std::uint32_t lanes);
  void decide_reads(const WarpStep& choice);
  void check_access(const CheckedAccess& access, std::uint32_t lanes);
  void check_shared(const CheckedAccess& access, std::uint32_t lanes);
  template <bool Crowds>
  void read_shared(const CheckedAccess& access, std::uint32_t lanes);
  void check_global(const CheckedAccess& access, std::uint32_t lanes);
  void check_shared_cells(const CheckedAccess& access, std::uint32_t lanes, std::uint32_t begin);
  void check_global_cells(const CheckedAccess& access, std::uint32_t lanes, std::uint32_t begin);
  // What shared_ has no room for, where the kernel orders its warps one by one.
  [[nodiscard]] bool has_further(MemorySpace space, const AccessCell& cell) const {
    return space == MemorySpace::kShared && further_.any(index_of(cell));
  }
  [[nodiscard]] std::size_t index_of(const AccessCell& cell) const {
    return static_cast<std::size_t>(&cell - shared_.data());
  }
  void find_further_races(const CheckedAccess& access, AccessCell& cell, const AccessStamp& now,
                          std::uint64_t address);
  void check_cell(const CheckedAccess& access, AccessCell& cell, const AccessStamp& now,
                  std::uint64_t address, unsigned first, const std::byte* content);
  void find_races(const CheckedAccess& access, AccessCell& cell, const AccessStamp& now,
                  std::uint64_t address, unsigned first, const std::byte* content);
  [[nodiscard]] bool is_copy(const AccessStamp& access) const {  // cp.async
    return block_.instruction(access.instruction).access == AccessKind::kAsyncCopy;
  }
  [[nodiscard]] bool overtakes(const AccessCell& cell, const AccessStamp& read,
                               const AccessStamp& write) const;
  void synchronise(const CheckedAccess& access, unsigned lane, std::uint64_t address);
  void touch_mbarrier(const WarpStep& step, std::uint64_t address, std::uint32_t thread);
  void note_change(MemorySpace space, std::uint64_t address, const AccessStamp& now);

  // Writes that do no harm.
  [[nodiscard]] bool same_source(const CheckedAccess& access, const AccessStamp& past,
                                 const AccessStamp& now) const;
  [[nodiscard]] bool same_value(const CheckedAccess& access, const AccessStamp& past,
                                const AccessStamp& now, std::uint64_t address, unsigned first,
                                const std::byte* content, std::uint32_t bytes) const;
  [[nodiscard]] bool loses_change(const AccessStamp& past, const AccessStamp& now) const;
  [[nodiscard]] bool one_statement(const AccessStamp& past, const AccessStamp& now) const;

  [[nodiscard]] bool may_be_late(const Race& race);
  [[nodiscard]] bool changes_in_turn(const FoundRace& found) const;
  [[nodiscard]] bool meets_other_warps(const FoundRace& found) const;
  void report_races();
  [[nodiscard]] Finding finding_of(FindingKind kind, const FoundRace& found) const;

  CheckedBlock& block_;
  const InstructionNotes& notes_;
  AccessOrder& order_;
  CopyReports& copies_;
  GlobalUses uses_;
  std::vector<AccessCell> shared_;
  FurtherAccesses further_;
  unsigned shared_shift_;  // a cell has 1 << shared_shift_ bytes
  GlobalCells global_;
  std::vector<std::vector<HeldRead>> held_reads_;                     // by warp
  std::map<std::pair<FindingKind, std::uint32_t>, FoundRace> races_;  // of this block
  // By key_of(its place): of races_; where one has taken another's place, under both places.
  std::unordered_map<std::uint64_t, std::vector<FoundRace*>> races_at_;
  std::unordered_set<std::uint32_t> raced_lines_;  // since the last barrier of the block
};

}  // namespace tilescope
