#include "emulator/checks/global_uses.h"

#include <algorithm>
#include <vector>

namespace tilescope {

GlobalUses::GlobalUses(CheckedBlock& block)
    : block_(block),
      blocks_(block.launch.grid(), block.order,
              static_cast<std::uint32_t>(block.launch.launch().block.count())),
      tickets_(block.launch.grid(), block.order) {}

void GlobalUses::start_block() {
  const auto number = static_cast<std::uint32_t>(block_.context.point.block);
  blocks_.start_block(number);
  tickets_.start_block(number);
}

void GlobalUses::note(const CheckedAccess& access, GlobalCell& cell, const AccessStamp& now,
                      std::uint32_t value) {
  // A volatile load that does not wait for a flag needs the order that a plain one does.
  const bool only_reads = !access.writes && access.stamp.atomic == 0 && access.stamp.polls == 0;
  if (access.stamp.strong != 0 && !access.note.of_block && !only_reads) {
    if (access.writes) cell.last_strong = now;
    return;
  }
  if (access.writes) {
    note_write(cell, now, value, access.has_value);
  } else {
    note_read(cell, now);
  }
}

void GlobalUses::note_write(GlobalCell& cell, const AccessStamp& now, std::uint32_t value,
                            bool has_value) {
  if (!block_.order.is_recent(cell.first_write)) {
    cell.first_write = now;
    cell.several_values = !has_value;
    cell.write_after_atomic = block_.order.is_recent(cell.last_strong);
  } else if (blocks_.acquired_since(cell.first_write)) {
    return;  // see GridRecord
  } else {
    cell.several_values |= !has_value || cell.value != value;
  }
  cell.value = value;
}

void GlobalUses::note_read(GlobalCell& cell, const AccessStamp& now) {
  if (!block_.order.is_recent(cell.first_read) || cell.first_read.strong > now.strong ||
      blocks_.knew_less(now, cell.first_read))
    cell.first_read = now;
}

void GlobalUses::note_ticket(const CheckedAccess& access, unsigned lane, std::uint64_t address) {
  const AccessStamp now = block_.stamp_of(lane);
  if (access.lanes.kind == AccessKind::kAtomic && !access.note.of_block) {
    tickets_.draw(address, now, access.note.publishes, access.note.answers);
  } else if (access.note.polls) {
    tickets_.poll(address, now);
  } else if (access.note.kept_volatile) {
    tickets_.read(address, now);
  } else if (access.note.signals && !access.note.of_block) {
    tickets_.draw(address, now, access.note.publishes, false);
  } else if (access.writes && access.note.strong) {
    tickets_.store();
  }
}

GridUse GlobalUses::use_of(const AccessStamp& stamp) const {
  GridUse use;
  use.block = static_cast<std::uint32_t>(block_.context.point.block);
  use.thread = stamp.thread;
  use.instruction = stamp.instruction;
  use.acquired = blocks_.acquired_at(stamp);
  return use;
}

// Fills the record with the block's uses of a piece of global memory. False: it did not use it.
bool GlobalUses::describe(const GlobalCell& cell, GridRecord& record) const {
  bool any = false;
  if (block_.order.is_recent(cell.first_read)) {
    record.read = use_of(cell.first_read);
    record.read.is_volatile = cell.first_read.strong != 0;
    std::uint32_t last = blocks_.published_at(cell.first_read);
    for (const AccessStamp& read : cell.cell.read) {
      if (block_.order.is_recent(read) && blocks_.acquired_at(read) == record.read.acquired)
        last = std::max(last, blocks_.published_at(read));
    }
    record.read.published = last;
    any = true;
  }
  if (block_.order.is_recent(cell.first_write)) {
    const AccessStamp& write = cell.cell.write;
    record.write = use_of(cell.first_write);
    const bool is_last = write.strong == 0 && blocks_.acquired_at(write) == record.write.acquired;
    record.write.published = blocks_.published_at(is_last ? write : cell.first_write);
    record.value = cell.value;
    record.several_values = cell.several_values;
    record.write_after_atomic = cell.write_after_atomic;
    any = true;
  }
  if (block_.order.is_recent(cell.last_strong)) {
    record.strong = use_of(cell.last_strong);
    record.strong.published = blocks_.published_at(cell.last_strong);
    record.announced = announced_use(record.strong, cell.last_strong);
    any = true;
  }
  return any;
}

void GlobalUses::hand_over(const GlobalCells& cells) const {
  if (!block_.launch.many_blocks()) return;
  GridHistory& grid = block_.launch.grid();
  std::vector<GridRecord> records;
  cells.for_chunks([&](std::uint64_t first, const GlobalCell* chunk, std::uint32_t count) {
    if (!grid.watches(first)) return;
    records.assign(count, {});
    bool any = false;
    for (std::uint32_t i = 0; i < count; ++i) any |= describe(chunk[i], records[i]);
    if (any) grid.add(first, records.data(), count);
  });
  hand_informed_reads();
}

// The use of a strong store, with the ticket that announces it; no use where none does.
GridUse GlobalUses::announced_use(GridUse use, const AccessStamp& store) const {
  if (!block_.notes.volatile_tickets || store.atomic != 0) return {};
  use.ticket = tickets_.announced_at(store);
  return use.ticket == 0 ? GridUse{} : use;
}

void GlobalUses::hand_informed_reads() const {
  GridHistory& grid = block_.launch.grid();
  const std::uint32_t size = block_.notes.global_cell_bytes;
  for (const auto& [address, read] : tickets_.reads()) {
    if (!grid.watches(address)) continue;
    GridRecord record;
    record.informed = use_of(read.stamp);
    record.informed.ticket = read.ticket;
    grid.add(address / size * size, &record, 1);
  }
}

}  // namespace tilescope
