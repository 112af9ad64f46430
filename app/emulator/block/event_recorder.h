#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "emulator/block/block_trace.h"
#include "emulator/execution/access_list.h"
#include "emulator/execution/observer.h"

namespace tilescope {

// Writes what one block does into its trace, as long as events are kept.
class EventRecorder final : public TraceSink, public BlockObserver {
 public:
  // `next` sees every access too; nullptr: nobody does.
  EventRecorder(const Program& program, BlockTrace& trace, std::size_t most_events,
                TraceSink* next);

  // The context in which the traced block executes.
  void watch(ExecutionContext& context);
  // A warp comes to a basic block. True: it is recorded as a whole, when it has been executed.
  [[nodiscard]] bool takes_whole(std::uint32_t block);
  void record_block(std::uint16_t warp, std::uint32_t active, std::uint32_t ended);
  // The same instruction by instruction.
  void record(std::uint32_t instruction, std::uint32_t active, std::uint32_t present,
              std::uint16_t warp);
  // Nothing else comes.
  void finish();

  void on_access(const WarpPoint& where, const WarpAccess& access) override;
  bool on_repeat(const WarpPoint& where, std::uint64_t base, std::uint64_t times) override;
  bool on_copy_repeat(const WarpPoint& where, std::uint64_t source,
                      std::uint64_t destination) override;
  [[nodiscard]] bool takes_repeats_late() const override {
    return logs_repeats_ && next_ != nullptr;
  }
  void on_operand_read(const WarpPoint& where, const WarpAccess& access) override;
  void on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                    std::span<const BulkPiece> pieces) override;
  void on_bulk_store(const WarpPoint& where, unsigned lane, std::span<const BulkPiece> pieces,
                     bool reduces) override;
  void on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset, bool waits,
                   bool parity) override;

 private:
  void truncate();
  [[nodiscard]] std::uint32_t event_of(std::uint32_t instruction) const;
  [[nodiscard]] std::uint32_t event_of(std::uint32_t instruction, unsigned lane) const;
  void settle_waits();
  [[nodiscard]] std::uint32_t phases_over(std::uint64_t mbarrier, bool parity);
  void log(const WarpAccess& access, std::uint32_t instruction, std::uint32_t* shape);

  BlockTrace& trace_;
  std::size_t most_events_;
  TraceSink* next_;
  bool logs_repeats_;  // by itself: executors write them into the log
  std::shared_ptr<const BlockLayouts> layouts_;
  AccessLog log_;
  ExecutionContext* context_ = nullptr;
  std::uint32_t block_ = 0;
  bool whole_ = false;                // it is recorded as a whole
  std::uint32_t accesses_ = 0;        // before what executes now
  std::vector<std::uint32_t> shape_;  // of each instruction's last access; of a cp.async, both
  std::uint32_t operand_shape_ = kNoAccess;             // the last piece of an operand
  std::map<std::uint64_t, std::uint32_t> phases_over_;  // by mbarrier, at its last use
  std::vector<WarpPoint> users_;                        // parallel to BlockTrace::mbarrier_uses
};

}  // namespace tilescope
