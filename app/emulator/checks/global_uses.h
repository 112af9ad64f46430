#pragma once
#include <cstdint>

#include "emulator/checks/block_order.h"
#include "emulator/checks/checked_block.h"
#include "emulator/checks/shadow_memory.h"

namespace tilescope {

// Records how a block uses global memory: its reads and writes, and what orders them for other
// blocks. When the block is done, the record goes to the launch's history (GridHistory), which
// finds races between blocks.
class GlobalUses {
 public:
  explicit GlobalUses(CheckedBlock& block);

  void start_block();
  // A lane's access to a piece of memory, of which `value` is what it stores.
  void note(const CheckedAccess& access, GlobalCell& cell, const AccessStamp& now,
            std::uint32_t value);
  // `has_value`: it is known what is written.
  void note_write(GlobalCell& cell, const AccessStamp& now, std::uint32_t value, bool has_value);
  void note_read(GlobalCell& cell, const AccessStamp& now);
  // A lane's atomic or volatile access: see TicketOrder. Tickets of a whole launch are drawn by one
  // worker.
  void note_ticket(const CheckedAccess& access, unsigned lane, std::uint64_t address);
  void end_instruction() { blocks_.end_instruction(); }
  [[nodiscard]] BlockOrder& blocks() { return blocks_; }
  // When the block is done. `cells`: what it noted.
  void hand_over(const GlobalCells& cells) const;

 private:
  bool describe(const GlobalCell& cell, GridRecord& record) const;
  [[nodiscard]] GridUse use_of(const AccessStamp& stamp) const;
  [[nodiscard]] GridUse announced_use(GridUse use, const AccessStamp& store) const;
  void hand_informed_reads() const;

  CheckedBlock& block_;
  BlockOrder blocks_;
  TicketOrder tickets_;
};

}  // namespace tilescope
