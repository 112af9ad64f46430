#include <algorithm>

#include "emulator/checks/block_check.h"

// What a block hands to the launch's history when it is done.
namespace tilescope {
namespace {

GridUse use_of(std::uint64_t block, const AccessStamp& stamp) {
  GridUse use;
  use.block = static_cast<std::uint32_t>(block);
  use.thread = stamp.thread;
  use.instruction = stamp.instruction;
  return use;
}

}  // namespace

void BlockCheck::hand_to_grid() {
  if (!launch_.many_blocks()) return;
  GridHistory& grid = launch_.grid();
  const std::uint64_t block = context_.point.block;
  std::vector<GridRecord> records;
  global_.for_chunks([&](std::uint64_t first, const GlobalCell* cells, std::uint32_t count) {
    if (!grid.watches(first)) return;
    records.assign(count, {});
    bool any = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const GlobalCell& cell = cells[i];
      GridRecord& record = records[i];
      if (order_.is_recent(cell.first_read)) {
        record.read = use_of(block, cell.first_read);
        const std::uint32_t heard = block_order_.acquired_at(cell.first_read);
        record.read.acquired = heard;
        record.read.is_volatile = cell.first_read.strong != 0;
        std::uint32_t last = block_order_.published_at(cell.first_read);
        for (const AccessStamp& read : cell.cell.read) {
          if (order_.is_recent(read) && block_order_.acquired_at(read) == heard)
            last = std::max(last, block_order_.published_at(read));
        }
        record.read.published = last;
        any = true;
      }
      if (order_.is_recent(cell.first_write)) {
        const AccessStamp& write = cell.cell.write;
        record.write = use_of(block, cell.first_write);
        record.write.acquired = block_order_.acquired_at(cell.first_write);
        const bool is_last =
            write.strong == 0 && block_order_.acquired_at(write) == record.write.acquired;
        record.write.published = block_order_.published_at(is_last ? write : cell.first_write);
        record.value = cell.value;
        record.several_values = cell.several_values;
        record.write_after_atomic = cell.write_after_atomic;
        any = true;
      }
      if (order_.is_recent(cell.last_strong)) {
        record.strong = use_of(block, cell.last_strong);
        record.strong.acquired = block_order_.acquired_at(cell.last_strong);
        record.strong.published = block_order_.published_at(cell.last_strong);
        record.announced = announced_use(record.strong, cell.last_strong);
        any = true;
      }
    }
    if (any) grid.add(first, records.data(), count);
  });
  hand_informed_reads();
}

// `use`: what is known of a strong store.
GridUse BlockCheck::announced_use(GridUse use, const AccessStamp& store) const {
  if (!notes_.volatile_tickets || store.atomic != 0) return {};
  use.ticket = tickets_.announced_at(store);
  return use.ticket == 0 ? GridUse{} : use;
}

void BlockCheck::hand_informed_reads() {
  GridHistory& grid = launch_.grid();
  const std::uint32_t size = notes_.global_cell_bytes;
  for (const auto& [address, read] : tickets_.reads()) {
    if (!grid.watches(address)) continue;
    GridRecord record;
    record.informed = use_of(context_.point.block, read.stamp);
    record.informed.acquired = block_order_.acquired_at(read.stamp);
    record.informed.ticket = read.ticket;
    grid.add(address / size * size, &record, 1);
  }
}

}  // namespace tilescope
