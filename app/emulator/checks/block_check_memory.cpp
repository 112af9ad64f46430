#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/quantity.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"
#include "emulator/checks/bounds_text.h"
#include "emulator/checks/place_name.h"
#include "emulator/checks/stored_value.h"
#include "emulator/code.h"

// What the checks make of an access to shared, local or global memory.
namespace tilescope {
void BlockCheck::check_shared(const Access& access) {
  const std::uint32_t size = notes_.shared_cell_bytes;
  const auto shift = static_cast<unsigned>(std::countr_zero(size));
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  const bool copies = context_.pending != nullptr && context_.pending->any();
  for_lanes(access.lanes.active, [&](unsigned lane) {
    const std::uint64_t offset = access.lanes.address[lane];
    if (access.note.arrays != 0 && !check_array(access, lane, offset)) return;
    if (copies && check_pending(access, lane, offset)) {
      if (access.writes) shared_written_.write(offset, bytes);
      return;
    }
    if (access.note.strong) synchronise(access, lane, offset);
    if (access.reads && !access.note.exchanges) check_written(access, lane, offset);
    if (access.writes) {
      shared_written_.write(offset, bytes);
      if (undefined_.stores()) keep_undefined(shared_written_, access, lane, offset);
    }
    AccessStamp now = access.stamp;
    now.thread = (context_.point.warp * 32 + lane) & 0x3ffu;
    AccessCell* cell = shared_.data() + (offset >> shift);
    for (std::uint32_t first = 0; first < bytes; first += size, ++cell) {
      if (!access.writes && now.strong == 0 && !conflicts(cell->write, now, order_)) [[likely]] {
        remember_read(*cell, now, order_);
        continue;
      }
      check_cell(access, *cell, now, offset + first, first, context_.shared + offset + first, size);
    }
  });
}

// An address made from one array must stay in it, or it hits its neighbour unseen.
bool BlockCheck::check_array(const Access& access, unsigned lane, std::uint64_t offset) {
  const std::uint64_t bytes = access.lanes.bytes_per_lane;
  const PlacedVariable* named = nullptr;
  for (std::uint64_t left = access.note.arrays; left != 0; left &= left - 1) {
    const PlacedVariable& array =
        context_.code->shared_variables[static_cast<std::size_t>(std::countr_zero(left))];
    const std::uint64_t end = array.bytes != 0 ? array.offset + array.bytes : context_.shared_bytes;
    if (offset >= array.offset && offset + bytes <= end) return true;
    named = &array;
  }
  if (std::popcount(access.note.arrays) != 1) return true;
  if (!is_new(FindingKind::kOutOfBounds, access.instruction)) return false;
  const std::string verb = access.writes ? "writes " : "reads ";
  const std::uint64_t element = named->element_bytes != 0 ? named->element_bytes
                                : bytes > 4               ? 4
                                                          : bytes;
  const std::string where =
      offset < named->offset
          ? fmt::format("{} bytes before the start of {}", named->offset - offset, named->name)
          : name_element(*named, offset, static_cast<unsigned>(element)) + ", past the end of it";
  const std::uint64_t count =
      (named->bytes != 0 ? named->bytes : context_.shared_bytes - named->offset) / element;
  add(FindingKind::kOutOfBounds, access.instruction, context_.point.warp * 32 + lane,
      fmt::format("{}{} ({} element{}), and hits what lies beside it in shared memory: check the "
                  "index against the array's extent",
                  verb, where, format_count(count), count == 1 ? "" : "s"));
  return false;
}

void BlockCheck::check_written(const Access& access, unsigned lane, std::uint64_t offset) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  const std::uint64_t missing = shared_written_.missing(offset, bytes);
  if (missing == 0) [[likely]]
    return;
  // Structures are copied with the gaps between their members.
  const std::uint64_t all = (std::uint64_t{1} << bytes) - 1;
  if (access.note.passes_bytes || (access.note.only_stored && missing != all)) return;
  read_unwritten(
      access, lane,
      {access.stamp, MemorySpace::kShared, static_cast<std::uint32_t>(offset), bytes, missing});
}

void BlockCheck::check_local(const Access& access) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  for_lanes(access.lanes.active, [&](unsigned lane) {
    const std::uint64_t offset = access.lanes.address[lane];
    bool declared = false;  // parameters of functions are filled unseen
    for (const PlacedVariable& variable : context_.code->local_variables) {
      declared |= offset >= variable.offset && offset + bytes <= variable.offset + variable.bytes;
    }
    if (!declared && !access.note.names_parameter && notes_.local_is_arrays) {
      if (!is_new(FindingKind::kOutOfBounds, access.instruction)) return;
      add(FindingKind::kOutOfBounds, access.instruction, context_.point.warp * 32 + lane,
          bounds_text({*op_, MemorySpace::kLocal, offset, access.writes}, context_));
      return;
    }
    WrittenBytes& written = local_written_[context_.point.warp * 32 + lane];
    if (access.writes) {
      written.write(offset, bytes);
      if (undefined_.stores()) keep_undefined(written, access, lane, offset);
      return;
    }
    const std::uint64_t missing = written.missing(offset, bytes);
    if (missing == 0) [[likely]]
      return;
    const std::uint64_t all = bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
    if (!declared || access.note.passes_bytes || (access.note.only_stored && missing != all))
      return;
    read_unwritten(
        access, lane,
        {access.stamp, MemorySpace::kLocal, static_cast<std::uint32_t>(offset), bytes, missing});
  });
}

void BlockCheck::check_global(const Access& access) {
  const std::uint32_t size = notes_.global_cell_bytes;
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  const MemoryRegion* region = nullptr;
  for_lanes(access.lanes.active, [&](unsigned lane) {
    const std::uint64_t address = access.lanes.address[lane];
    if (access.note.strong) synchronise(access, lane, address);
    if (notes_.volatile_tickets && launch_.many_blocks()) note_ticket(access, lane, address);
    if (access.writes && (region == nullptr || address - region->begin >= region->bytes))
      region = context_.memory->find(address);
    AccessStamp now = access.stamp;
    now.thread = (context_.point.warp * 32 + lane) & 0x3ffu;
    for (std::uint32_t first = 0; first < bytes; first += size) {
      GlobalCell* cell = global_.at(address + first);
      if (cell == nullptr) return;
      const std::byte* content =
          region == nullptr ? nullptr : region->data + (address + first - region->begin);
      check_cell(access, cell->cell, now, address + first, first, content, size);
      if (launch_.many_blocks()) {
        const std::uint32_t value = access.has_value
                                        ? static_cast<std::uint32_t>(stored_value(
                                              *op_, registers_, lane, first, size, context_))
                                        : 0;
        note_for_grid(access, *cell, now, value);
      }
    }
  });
}

void BlockCheck::note_for_grid(const Access& access, GlobalCell& cell, const AccessStamp& now,
                               std::uint32_t value) {
  // A volatile load that does not wait for a flag needs the order that a plain one does.
  const bool only_reads = !access.writes && access.stamp.atomic == 0 && access.stamp.polls == 0;
  if (access.stamp.strong != 0 && !access.note.of_block && !only_reads) {
    if (access.writes) cell.last_strong = now;
    return;
  }
  block_order_.touch();
  if (access.writes) {
    if (!order_.is_recent(cell.first_write)) {
      cell.first_write = now;
      cell.several_values = !access.has_value;
      cell.write_after_atomic = order_.is_recent(cell.last_strong);
    } else if (block_order_.acquired_since(cell.first_write)) {
      return;  // see GridRecord
    } else {
      cell.several_values |= !access.has_value || cell.value != value;
    }
    cell.value = value;
  } else if (!order_.is_recent(cell.first_read) || cell.first_read.strong > now.strong) {
    cell.first_read = now;
  }
}

// `address` of the cell; `first`: its place in the lane's access; `content`: what lies there now.
void BlockCheck::check_cell(const Access& access, AccessCell& cell, const AccessStamp& now,
                            std::uint64_t address, unsigned first, const std::byte* content,
                            std::uint32_t bytes) {
  const MemorySpace space = access.lanes.space;
  if (now.strong != 0 && conflicts(cell.plain, now, order_)) [[unlikely]]
    report_race({space, address, bytes, cell.plain, now, true, access.writes});
  if (!access.writes) {
    // Of lanes that all wrote one value, the reader is taken to have been one.
    const bool own = cell.write.polls != 0 && cell.write.warp() == now.warp() &&
                     !notes_.of[cell.write.instruction].copies;
    if (!own && conflicts(cell.write, now, order_)) [[unlikely]]
      report_race({space, address, bytes, cell.write, now, true, false});
    remember_read(cell, now, order_);
    return;
  }
  bool several_agree = false;
  if (conflicts(cell.write, now, order_)) [[unlikely]] {
    several_agree = same_value(access, cell.write, now, address, first, content, bytes);
    if (!several_agree) report_race({space, address, bytes, cell.write, now, true, true, true});
  }
  for (const AccessStamp& read : cell.read) {
    if (conflicts(read, now, order_) && !one_statement(read, now)) [[unlikely]]
      report_race({space, address, bytes, read, now, false, true});
  }
  if (!races_.empty()) [[unlikely]]
    note_change(space, address, now);
  remember_write(cell, now);
  if (several_agree) cell.write.polls = 1;
}

// s[t] += s[t + 16] by lanes that execute it together: all read before one writes. PTX that names
// no source does not say what a statement is.
bool BlockCheck::one_statement(const AccessStamp& past, const AccessStamp& now) const {
  return past.warp() == now.warp() && ((executing_ >> past.lane()) & 1u) != 0 &&
         past.tick < now.tick &&
         (notes_.of[past.instruction].line == notes_.of[now.instruction].line ||
          launch_.program().instructions()[past.instruction].source.line == 0);
}

// cp.async: lanes of one copy that bring the same bytes, as cooperative groups do with what is left
// over at the end.
bool BlockCheck::same_source(const Access& access, const AccessStamp& past,
                             const AccessStamp& now) const {
  if (past.tick != now.tick || past.warp() != now.warp()) return false;
  if (past.instruction != now.instruction) return false;
  const auto distance = [&](unsigned lane) {
    return cell_at(registers_, op_->row[1], lane, true) - access.lanes.address[lane];
  };
  const auto amount = [&](unsigned lane) {
    const bool whole = (op_->flags & (kSourceSize | kIgnoreSource)) == 0;
    const bool ignored = (op_->flags & kIgnoreSource) != 0;
    if (whole) return 0u;
    return ignored ? predicate_at(registers_, op_->row[2]) >> lane & 1u
                   : word_at(registers_, op_->row[2], lane);
  };
  return distance(past.lane()) == distance(now.lane()) && amount(past.lane()) == amount(now.lane());
}

// Two threads that store one value do no harm, whichever comes last.
bool BlockCheck::same_value(const Access& access, const AccessStamp& past, const AccessStamp& now,
                            std::uint64_t address, unsigned first, const std::byte* content,
                            std::uint32_t bytes) const {
  if (access.note.copies) return same_source(access, past, now);
  if (!access.has_value || past.atomic != 0 || content == nullptr) return false;
  const std::uint64_t value = stored_value(*op_, registers_, now.lane(), first, bytes, context_);
  std::uint64_t before = 0;
  if (past.tick == now.tick && past.warp() == now.warp()) {
    const unsigned other = past.lane();
    const auto offset = static_cast<unsigned>(address - access.lanes.address[other]);
    before = stored_value(*op_, registers_, other, offset, bytes, context_);
  } else {
    std::memcpy(&before, content, bytes);
  }
  return value == before;
}

}  // namespace tilescope
