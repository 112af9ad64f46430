#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/race_check.h"

namespace tilescope {

// An access to shared memory that a copy under way has still to fill.
struct EarlyAccess {
  AccessStamp stamp;
  AccessStamp copy;  // tick 0: not known
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool reads = false;
  std::optional<Finding::Other> bulk = std::nullopt;  // who issued it, where it is a bulk copy
  std::string remedy{};  // for this bulk copy; empty: wait for its phase
};
[[nodiscard]] EarlyAccess early_access_of(const RaceCheck::Race& race);

// What is said of asynchronous copies that nobody has waited for.
class CopyReports {
 public:
  explicit CopyReports(CheckedBlock& block) : block_(block) {}

  void start_block() { any_ = false; }
  // In this block: has something been found about its copies?
  [[nodiscard]] bool any() const { return any_; }
  void note_any() { any_ = true; }
  void report(const EarlyAccess& access);

 private:
  CheckedBlock& block_;
  bool any_ = false;
};

// Checks cp.async and bulk copies: nobody may use the place that one fills before it has arrived,
// nor leave the kernel while it is under way. Takes such accesses out: there is no more to say.
class CopyCheck final : public BlockObserver {
 public:
  CopyCheck(CheckedBlock& block, CopyReports& reports, RaceCheck& races)
      : block_(block), reports_(reports), races_(races) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& test) override;
  void after(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset, bool waits,
                   bool parity) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_exit(const Warp& warp, std::uint32_t lanes) override;
  void on_surplus(const ByteSurplus&) override { reports_.note_any(); }  // the rest follows from it
  void on_stopped_lanes() override { stopped_lanes_ = true; }
  void on_block_end() override;

 private:
  static constexpr std::size_t kMostEarly = 1024;
  // The mbarrier whose phase a thread has last found over.
  struct PassedPhase {
    std::uint32_t instruction = kNoIndex;  // kNoIndex: none
    std::uint64_t barrier = 0;             // offset into shared memory
    bool parity = false;
    bool again = false;      // it was the last one before, too
    std::uint32_t tick = 0;  // of the warp
  };

  [[nodiscard]] bool is_early(const CheckedAccess& access, unsigned lane, std::uint64_t offset);
  [[nodiscard]] bool waits_for_copies(std::uint32_t instruction) const;
  void take_arrivals();
  void settle_early(const AsyncCopies::Arrival& arrival, const AccessStamp& stamp);
  [[nodiscard]] std::string remedy_for(const BulkTransfers::Copy& copy, std::uint32_t thread) const;
  [[nodiscard]] bool has_waited(const AccessStamp& access, const BulkTransfers::Copy& copy) const;
  void note_unwaited(const AccessStamp& access, bool reads, std::uint64_t offset, unsigned bytes,
                     const BulkTransfers::Copy& copy);
  void report_left();
  [[nodiscard]] bool overwrites(const AccessStamp& past, const AccessStamp& copy) const;
  void report_early();

  CheckedBlock& block_;
  CopyReports& reports_;
  RaceCheck& races_;
  std::vector<AsyncCopies::Arrival> arrivals_;
  std::vector<EarlyAccess> early_;   // since the last barrier of the block
  std::vector<PassedPhase> passed_;  // by thread
  bool stopped_lanes_ = false;       // in this block: some ended at what is not emulated
};

// Reports a read of what a cp.async has still to fill, where nothing else is checked.
class EarlyReadCheck final : public BlockObserver {
 public:
  explicit EarlyReadCheck(ExecutionContext& context) : context_(context) {}
  void on_early_read(const MicroOp& op, std::uint32_t lanes, const LaneArray& offsets,
                     std::uint64_t bytes) override;

 private:
  ExecutionContext& context_;
};

}  // namespace tilescope
