#include "emulator/checks/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/checks/checked_block.h"
#include "emulator/checks/copy_check.h"
#include "emulator/checks/race_message.h"
#include "emulator/checks/undefined_values.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {
namespace {

// Addresses of shared memory and global ones in one set of keys.
std::uint64_t key_of(MemorySpace space, std::uint64_t address) {
  return space == MemorySpace::kShared ? kSharedWindow + address + 1 : address;
}

// see(lanes, address) for the lanes one after the other; those that stand together and access one
// place, at once.
template <class F>
void for_places(const WarpAccess& access, std::uint32_t lanes, F see) {
  while (lanes != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint64_t address = access.address[first];
    std::uint32_t others = lanes & (lanes - 1);
    while (others != 0 &&
           access.address[static_cast<std::size_t>(std::countr_zero(others))] == address)
      others &= others - 1;
    see(lanes & ~others, address);
    lanes = others;
  }
}

}  // namespace

RaceCheck::RaceCheck(CheckedBlock& block, CopyReports& copies)
    : block_(block),
      notes_(block.notes),
      order_(block.order),
      copies_(copies),
      uses_(block),
      shared_shift_(static_cast<unsigned>(std::countr_zero(notes_.shared_cell_bytes))),
      global_(block.notes.global_cell_bytes) {
  shared_.resize((block.context.shared_bytes >> shared_shift_) + 64);
  if (notes_.orders_some_warps) further_.start(shared_.size());
}

StepEvents RaceCheck::needs(std::uint32_t instruction) const {
  const InstructionNote& note = notes_.of[instruction];
  const Synchronisation kind = block_.synchronisation(instruction);
  const bool uses_mbarrier = kind == Synchronisation::kStartMbarrier ||
                             kind == Synchronisation::kArriveMbarrier ||
                             kind == Synchronisation::kWaitMbarrier;
  return {
      .before = uses_mbarrier || note.picks_hoisted,
      .after = note.strong,
      .accesses = note.may_access(MemorySpace::kShared) || note.may_access(MemorySpace::kGlobal)};
}

void RaceCheck::on_block_begin(std::vector<Warp>& warps) {
  held_reads_.assign(notes_.choices.empty() ? 0 : warps.size(), {});
  global_.start_block();
  raced_lines_.clear();
  races_.clear();
  races_at_.clear();
  uses_.start_block();
}

// An arrival at an mbarrier releases, a test of it acquires (PTX ISA, "mbarrier": .release.cta and
// .acquire.cta are the defaults).
void RaceCheck::before(const WarpStep& step) {
  const MicroOp& op = step.op;
  if (notes_.of[op.instruction].picks_hoisted) {
    decide_reads(step);
    return;
  }
  const Synchronisation kind = block_.synchronisation(op.instruction);
  ExecutionContext& context = block_.context;
  for (const unsigned lane : lanes_in(step.lanes)) {
    const bool wide = (op.flags & kWideAddress) != 0;
    const std::uint64_t named = (cell_at(step.registers, op.row[1], lane, wide) +
                                 static_cast<std::uint64_t>(op.immediate)) &
                                (kWindowBytes - 1);
    const SharedPlace place = find_shared(named, true, context);
    const std::uint64_t address = place.owner == &context ? place.offset : named;
    const std::uint64_t key = key_of(MemorySpace::kShared, address);
    const std::uint32_t thread = step.warp.index * kWarpSize + lane;
    touch_mbarrier(step, address, thread);
    if (kind == Synchronisation::kWaitMbarrier) {
      order_.observe(key, thread);
    } else if (kind == Synchronisation::kArriveMbarrier) {
      order_.publish(key, thread, true);
    }
  }
}

void RaceCheck::after(const WarpStep&) { uses_.end_instruction(); }

// One thread initialises it; the others must synchronise with that thread before they use it.
void RaceCheck::touch_mbarrier(const WarpStep& step, std::uint64_t address, std::uint32_t thread) {
  if (address >= block_.context.shared_bytes ||
      step.op.instruction >= AccessStamp::kMostInstructions)
    return;
  AccessCell& cell = shared_cell(address);
  AccessStamp now;
  now.thread = thread & 0x3ffu;
  now.instruction = step.op.instruction & (AccessStamp::kMostInstructions - 1);
  now.tick = order_.tick(thread / 32);
  if (block_.synchronisation(step.op.instruction) == Synchronisation::kStartMbarrier) {
    cell.write = now;
    return;
  }
  now.strong = 1;
  if (block_.synchronisation(cell.write.instruction) == Synchronisation::kStartMbarrier &&
      conflicts(cell.write, now, order_))
    report_race({MemorySpace::kShared, address, 8, cell.write, now, true, false});
}

void RaceCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (checked.note.is_hoisted) {
    hold_read(checked, access.lanes);
  } else {
    check_access(checked, access.lanes);
  }
}

// What a lane loaded here before and did not take has no meaning any more.
void RaceCheck::hold_read(const CheckedAccess& access, std::uint32_t lanes) {
  std::vector<HeldRead>& held = held_reads_[block_.context.point.warp];
  for (HeldRead& each : held) {
    if (each.load == access.instruction) each.lanes &= ~access.lanes.active;
  }
  std::erase_if(held, [](const HeldRead& each) { return each.lanes == 0; });
  held.push_back({access.instruction, access.stamp, access.lanes, lanes});
}

void RaceCheck::decide_reads(const WarpStep& choice) {
  const MicroOp& op = choice.op;
  const Code& code = *block_.context.code;
  const RowUse& use = code.uses[static_cast<std::size_t>(&op - code.ops.data())];
  const auto [first, last] = notes_.choices.equal_range(op.instruction);
  for (HeldRead& read : held_reads_[choice.warp.index]) {
    const auto entry =
        std::find_if(first, last, [&](const auto& each) { return each.second.load == read.load; });
    if (entry == last) continue;
    const std::uint32_t taken = read.lanes & choice.lanes &
                                ~lanes_without(op, use, choice.registers, entry->second.operand);
    if (taken == 0) continue;
    read.lanes &= ~taken;
    block_.access.emplace(CheckedAccess{.lanes = read.access,
                                        .instruction = read.load,
                                        .note = notes_.of[read.load],
                                        .stamp = read.stamp,
                                        .reads = true});
    check_access(*block_.access, taken);
  }
}

void RaceCheck::check_access(const CheckedAccess& access, std::uint32_t lanes) {
  switch (access.lanes.space) {
    case MemorySpace::kShared:
      check_shared(access, lanes);
      break;
    case MemorySpace::kLocal:
    case MemorySpace::kClusterShared:
      break;
    default:
      check_global(access, lanes);
      break;
  }
}

void RaceCheck::check_shared(const CheckedAccess& access, std::uint32_t lanes) {
  if (access.writes || access.stamp.strong != 0) {
    check_shared_cells(access, lanes, 0);
  } else if (notes_.orders_some_warps) {
    read_shared<true>(access, lanes);
  } else {
    read_shared<false>(access, lanes);
  }
}

// Plain reads. `Crowds`: there may be further accesses than a cell has room for.
template <bool Crowds>
void RaceCheck::read_shared(const CheckedAccess& access, std::uint32_t lanes) {
  const AccessStamp first_lane = block_.stamp_of(0);
  const AccessOrder::KnownTicks known = order_.known_to(first_lane.warp());
  const std::uint32_t size = notes_.shared_cell_bytes;
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  for_places(access.lanes, lanes, [&](std::uint32_t together, std::uint64_t offset) {
    AccessCell* cell = &shared_cell(offset);
    for (std::uint32_t first = 0; first < bytes; first += size, ++cell) {
      if (cell->write.tick > known[cell->write.warp()] ||
          (Crowds && further_.any(FurtherAccesses::kWrites, index_of(*cell)))) [[unlikely]] {
        check_shared_cells(access, together, first);
        return;
      }
      if constexpr (Crowds) {
        remember_reads(*cell, first_lane, together, known, order_, [&](const AccessStamp& other) {
          further_.add(FurtherAccesses::kReads, index_of(*cell), other);
        });
      } else if (!has_readers_of_two_warps(*cell, known)) {
        remember_reads(*cell, first_lane, together, known, order_, kDropped);
      }
    }
  });
}

void RaceCheck::remember_shared_read(std::uint64_t offset, const AccessStamp& read) {
  AccessCell& cell = shared_cell(offset);
  remember_read(cell, read, order_, [&](const AccessStamp& other) {
    further_.add(FurtherAccesses::kReads, index_of(cell), other);
  });
}

// From byte `begin` of each lane's access on.
void RaceCheck::check_shared_cells(const CheckedAccess& access, std::uint32_t lanes,
                                   std::uint32_t begin) {
  const std::uint32_t size = notes_.shared_cell_bytes;
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  const std::byte* content = block_.context.shared;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t offset = access.lanes.address[lane];
    if (access.note.strong) synchronise(access, lane, offset);
    const AccessStamp now = block_.stamp_of(lane);
    AccessCell* cell = &shared_cell(offset + begin);
    for (std::uint32_t first = begin; first < bytes; first += size, ++cell)
      check_cell(access, *cell, now, offset + first, first, content + offset + first);
  });
}

void RaceCheck::check_global(const CheckedAccess& access, std::uint32_t lanes) {
  const bool many_blocks = block_.launch.many_blocks();
  if (access.writes || access.stamp.strong != 0 || (notes_.volatile_tickets && many_blocks)) {
    check_global_cells(access, lanes, 0);
    return;
  }
  const bool tells_others = many_blocks && notes_.device_fences;  // of its last reads, too
  const AccessStamp first_lane = block_.stamp_of(0);
  const AccessOrder::KnownTicks known = order_.known_to(first_lane.warp());
  const std::uint32_t size = notes_.global_cell_bytes;
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  for_places(access.lanes, lanes, [&](std::uint32_t together, std::uint64_t address) {
    for (std::uint32_t first = 0; first < bytes; first += size) {
      GlobalCell* cell = global_.at(address + first);
      if (cell == nullptr) return;
      if (cell->cell.write.tick > known[cell->cell.write.warp()]) [[unlikely]] {
        check_global_cells(access, together, first);
        return;
      }
      if (tells_others || !has_readers_of_two_warps(cell->cell, known))
        remember_reads(cell->cell, first_lane, together, known, order_, kDropped);
      if (!many_blocks) continue;
      const auto lane = static_cast<unsigned>(std::countr_zero(together));
      uses_.note_read(*cell, block_.stamp_of(lane));  // the others add nothing
    }
  });
}

void RaceCheck::check_global_cells(const CheckedAccess& access, std::uint32_t lanes,
                                   std::uint32_t begin) {
  const std::uint32_t size = notes_.global_cell_bytes;
  const std::uint32_t bytes = access.lanes.bytes_per_lane;
  const bool many_blocks = block_.launch.many_blocks();
  const MemoryRegion* region = nullptr;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = access.lanes.address[lane];
    if (access.note.strong) synchronise(access, lane, address);
    if (notes_.volatile_tickets && many_blocks) uses_.note_ticket(access, lane, address);
    if (access.writes && (region == nullptr || address - region->begin >= region->bytes))
      region = block_.context.memory->find(address);
    const AccessStamp now = block_.stamp_of(lane);
    for (std::uint32_t first = begin; first < bytes; first += size) {
      GlobalCell* cell = global_.at(address + first);
      if (cell == nullptr) return;
      const std::byte* content =
          region == nullptr ? nullptr : region->data + (address + first - region->begin);
      check_cell(access, cell->cell, now, address + first, first, content);
      if (!many_blocks) continue;
      const std::uint64_t value = access.has_value
                                      ? stored_value(block_.step().op, block_.step().registers,
                                                     lane, first, size, block_.context)
                                      : 0;
      uses_.note(access, *cell, now, static_cast<std::uint32_t>(value));
    }
  });
}

// By pieces, as the kernel's own accesses are remembered.
void RaceCheck::touch_global(const GlobalTouch& touch, AccessStamp now) {
  const std::uint32_t size = notes_.global_cell_bytes;
  const bool many_blocks = block_.launch.many_blocks();
  now.strong = now.atomic = touch.reduces ? 1 : 0;
  for (std::uint64_t at = 0; at < touch.bytes; at += size) {
    const std::uint64_t address = touch.address + at;
    GlobalCell* const found = global_.at(address);
    if (found == nullptr) return;
    AccessCell& cell = found->cell;
    if (conflicts(cell.write, now, order_))
      report_race({MemorySpace::kGlobal, address, size, cell.write, now, true, touch.writes});
    if (!touch.writes) {
      remember_read(cell, now, order_, kDropped);
      if (many_blocks) uses_.note_read(*found, now);
      continue;
    }
    for (const AccessStamp& read : cell.read) {
      if (conflicts(read, now, order_))
        report_race({MemorySpace::kGlobal, address, size, read, now, false, true});
    }
    remember_write(cell, now);
    if (!many_blocks) continue;
    std::uint32_t value = 0;
    std::memcpy(&value, touch.data + at, std::min<std::uint64_t>(size, touch.bytes - at));
    if (touch.reduces) {
      found->last_strong = now;
    } else {
      uses_.note_write(*found, now, value, true);
    }
  }
}

void RaceCheck::renew_write(std::uint64_t address, std::uint64_t bytes, const AccessStamp& issued,
                            const AccessStamp& now) {
  const std::uint32_t size = notes_.global_cell_bytes;
  for (std::uint64_t at = 0; at < bytes; at += size) {
    GlobalCell* const found = global_.at(address + at);
    if (found == nullptr) return;
    AccessStamp& write = found->cell.write;
    if (write.tick == issued.tick && write.thread == issued.thread) write.tick = now.tick;
  }
}

// `address` of the cell; `first`: its place in the lane's access; `content`: what lies there now.
void RaceCheck::check_cell(const CheckedAccess& access, AccessCell& cell, const AccessStamp& now,
                           std::uint64_t address, unsigned first, const std::byte* content) {
  const std::uint32_t warp = now.warp();
  if (access.writes && now.strong == 0 && races_.empty() && order_.knows(warp, cell.write) &&
      order_.knows(warp, cell.read[0]) && order_.knows(warp, cell.read[1]) &&
      !has_further(access.lanes.space, cell)) [[likely]] {
    remember_write(cell, now);
    return;
  }
  find_races(access, cell, now, address, first, content);
}

void RaceCheck::find_races(const CheckedAccess& access, AccessCell& cell, const AccessStamp& now,
                           std::uint64_t address, unsigned first, const std::byte* content) {
  const MemorySpace space = access.lanes.space;
  const std::uint32_t bytes =
      space == MemorySpace::kShared ? notes_.shared_cell_bytes : notes_.global_cell_bytes;
  if (has_further(space, cell)) [[unlikely]]
    find_further_races(access, cell, now, address);
  if (now.strong != 0 && conflicts(cell.plain, now, order_)) [[unlikely]]
    report_race({space, address, bytes, cell.plain, now, true, access.writes});
  if (!access.writes) {
    // Of lanes that all wrote one value, the reader may have been one.
    const bool own = cell.write.polls != 0 && cell.write.warp() == now.warp() &&
                     order_.was_at(cell.write.instruction, now.thread) && !is_copy(cell.write);
    if (!own && conflicts(cell.write, now, order_)) [[unlikely]]
      report_race({space, address, bytes, cell.write, now, true, false});
    remember_read(cell, now, order_, [&](const AccessStamp& other) {
      if (space == MemorySpace::kShared)
        further_.add(FurtherAccesses::kReads, index_of(cell), other);
    });
    return;
  }
  bool several_agree = false;
  if (conflicts(cell.write, now, order_)) [[unlikely]] {
    several_agree = same_value(access, cell.write, now, address, first, content, bytes) &&
                    !loses_change(cell.write, now);
    if (!several_agree) report_race({space, address, bytes, cell.write, now, true, true, true});
  }
  for (const AccessStamp& read : cell.read) {
    if (!conflicts(read, now, order_) || one_statement(read, now)) [[likely]]
      continue;
    report_race({space, address, bytes, read, now, false, true, false, overtakes(cell, read, now)});
  }
  if (!races_.empty()) [[unlikely]]
    note_change(space, address, now);
  if (space == MemorySpace::kShared && now.strong != 0 && cell.write.strong != 0 &&
      cell.write.warp() != now.warp() && !order_.ordered(cell.write, now.thread))
    further_.add(FurtherAccesses::kWrites, index_of(cell), cell.write);
  remember_write(cell, now);
  if (several_agree) cell.write.polls = 1;
}

// A write over what was to be read: who reads has waited for what the same instruction wrote there.
bool RaceCheck::overtakes(const AccessCell& cell, const AccessStamp& read,
                          const AccessStamp& write) const {
  return write.polls == 0 && cell.write.instruction == write.instruction &&
         order_.since_barrier(cell.write) && order_.ordered(cell.write, read.thread);
}

// A plain access, and a write, end what is further known: who comes later comes after it, or races
// with it.
void RaceCheck::find_further_races(const CheckedAccess& access, AccessCell& cell,
                                   const AccessStamp& now, std::uint64_t address) {
  const std::size_t index = index_of(cell);
  const auto find = [&](FurtherAccesses::Kind kind) {
    const bool past_writes = kind == FurtherAccesses::kWrites;
    const AccessStamp* const past = further_.find(kind, index, [&](const AccessStamp& one) {
      return conflicts(one, now, order_) && (past_writes || !one_statement(one, now));
    });
    if (past == nullptr) return;
    report_race({MemorySpace::kShared, address, notes_.shared_cell_bytes, *past, now, past_writes,
                 access.writes});
  };
  find(FurtherAccesses::kWrites);
  if (!access.writes) return;
  find(FurtherAccesses::kReads);
  further_.forget(FurtherAccesses::kReads, index);
  if (now.strong == 0) further_.forget(FurtherAccesses::kWrites, index);
}

// s[t] += s[t + 16] by lanes that execute it together: all read before one writes. PTX that names
// no source does not say what a statement is.
bool RaceCheck::one_statement(const AccessStamp& past, const AccessStamp& now) const {
  return past.warp() == now.warp() && ((block_.step().lanes >> past.lane()) & 1u) != 0 &&
         past.tick < now.tick &&
         (notes_.of[past.instruction].line == notes_.of[now.instruction].line ||
          block_.instruction(past.instruction).source.line == 0);
}

// cp.async: lanes of one copy that bring the same bytes, as cooperative groups do with what is left
// over at the end.
bool RaceCheck::same_source(const CheckedAccess& access, const AccessStamp& past,
                            const AccessStamp& now) const {
  if (!is_one_step(past, now)) return false;
  if (past.instruction != now.instruction) return false;
  const auto distance = [&](unsigned lane) {
    return cell_at(block_.step().registers, block_.step().op.row[1], lane, true) -
           access.lanes.address[lane];
  };
  const auto amount = [&](unsigned lane) {
    const bool whole = (block_.step().op.flags & (kSourceSize | kIgnoreSource)) == 0;
    const bool ignored = (block_.step().op.flags & kIgnoreSource) != 0;
    if (whole) return 0u;
    return ignored ? predicate_at(block_.step().registers, block_.step().op.row[2]) >> lane & 1u
                   : word_at(block_.step().registers, block_.step().op.row[2], lane);
  };
  return distance(past.lane()) == distance(now.lane()) && amount(past.lane()) == amount(now.lane());
}

// Two threads that store one value do no harm, whichever comes last.
bool RaceCheck::same_value(const CheckedAccess& access, const AccessStamp& past,
                           const AccessStamp& now, std::uint64_t address, unsigned first,
                           const std::byte* content, std::uint32_t bytes) const {
  if (access.lanes.kind == AccessKind::kAsyncCopy) return same_source(access, past, now);
  if (!access.has_value || past.atomic != 0 || content == nullptr) return false;
  const std::uint64_t value = stored_value(block_.step().op, block_.step().registers, now.lane(),
                                           first, bytes, block_.context);
  std::uint64_t before = 0;
  if (is_one_step(past, now)) {
    const unsigned other = past.lane();
    const auto offset = static_cast<unsigned>(address - access.lanes.address[other]);
    before = stored_value(block_.step().op, block_.step().registers, other, offset, bytes,
                          block_.context);
  } else {
    std::memcpy(&before, content, bytes);
  }
  return value == before;
}

// x += 1 by lanes that execute it together: all store the same, for each read the old value.
bool RaceCheck::loses_change(const AccessStamp& past, const AccessStamp& now) const {
  const InstructionNote::Update update = notes_.of[now.instruction].update;
  return is_one_step(past, now) &&
         (update == InstructionNote::Update::kAdd || update == InstructionNote::Update::kXor ||
          update == InstructionNote::Update::kScale);
}

// What a strong access says to others, and hears from them.
void RaceCheck::synchronise(const CheckedAccess& access, unsigned lane, std::uint64_t address) {
  if (!notes_.reads_flags) return;
  const std::uint32_t thread = block_.thread(lane);
  const bool global = access.lanes.space == MemorySpace::kGlobal;
  const std::uint64_t key = key_of(access.lanes.space, address);
  const bool between_blocks =
      global && block_.launch.many_blocks() && notes_.device_fences && !access.note.of_block;
  // Who does not look at what an atomic returns cannot rely on it.
  const bool looks = access.lanes.kind != AccessKind::kAtomic || access.note.answers;
  if (access.reads && looks) {
    order_.observe(key, thread);
    if (between_blocks) uses_.blocks().will_acquire(address, thread);
  }
  if (!access.writes) return;
  order_.publish(key, thread, access.note.publishes);
  if (!between_blocks) return;
  AccessOrder::Published covered = order_.published(thread, access.note.publishes);
  if (covered.any()) uses_.blocks().publish(address, thread, std::move(covered));
}

void RaceCheck::note_arrival(const AccessStamp& arrived) {
  for (auto& [key, found] : races_) {
    const AccessStamp& copy = found.race.past_writes ? found.race.past : found.race.now;
    const AccessStamp& reader = found.race.past_writes ? found.race.now : found.race.past;
    if (copy.thread == arrived.thread && copy.instruction == arrived.instruction &&
        order_.since_barrier(copy) && !order_.was_at(reader.instruction, arrived.thread))
      found.copy_is_late = false;
  }
}

bool RaceCheck::has_raced(std::uint32_t line) const { return raced_lines_.contains(line); }

void RaceCheck::on_release(std::uint32_t, bool whole) {
  if (whole) raced_lines_.clear();
}

void RaceCheck::on_block_end() {
  raced_lines_.clear();
  report_races();
  uses_.hand_over(global_);
}

// Another thread reads, with no barrier in between, what a cp.async writes: is a missing wait to be
// asked about? In a loop it is not known which round's wait was meant.
bool RaceCheck::may_be_late(const Race& race) {
  if (race.space != MemorySpace::kShared || race.past_writes == race.now_writes) return false;
  const std::uint32_t writer = (race.past_writes ? race.past : race.now).instruction;
  const std::uint32_t reader = (race.past_writes ? race.now : race.past).instruction;
  return block_.instruction(writer).access == AccessKind::kAsyncCopy &&
         block_.instruction(reader).loop == 0 && order_.comes_after(reader, writer);
}

// Kept until the block is done: a race between warps says more than one inside a warp.
void RaceCheck::report_race(const Race& race) {
  const bool between_warps = race.past.warp() != race.now.warp();
  const bool has_copy = is_copy(race.past) || is_copy(race.now);
  // The compiler leaves __syncwarp() out where a warp's threads are together without it.
  if (!between_warps && !has_copy && block_.context.code->converges_at_barriers) return;
  const bool shared = race.space == MemorySpace::kShared;
  const FindingKind kind = shared ? FindingKind::kSharedRace : FindingKind::kGlobalRace;
  if (shared) {
    raced_lines_.insert(notes_.of[race.past.instruction].line);
    raced_lines_.insert(notes_.of[race.now.instruction].line);
  }
  // The one that comes later in its own warp's time is where the barrier was due: a read of what
  // should have been written before, or a write over what should have been read before. The order
  // of execution does not say it, for warps run ahead of each other.
  // What arrives only after others read it was not waited for before the barrier that let them.
  const bool late = race.past.polls != 0 && is_copy(race.past);
  const bool together = !between_warps && race.past.tick == race.now.tick;
  // A bulk store reads until its thread has waited for it, wherever it was issued.
  const bool was_read_beside =
      !race.past_writes && block_.instruction(race.past.instruction).reads_in_bulk();
  const bool past_is_main =
      !together && !was_read_beside && !race.now_is_main && order_.since_barrier(race.past) &&
      (late ? between_warps && order_.progress(race.past) > order_.progress(race.now)
            : order_.is_later(race.past, race.now));
  if (shared && past_is_main && race.past_writes && late && !race.now_writes) {
    copies_.note_any();
    copies_.report({race.now, race.past, static_cast<std::uint32_t>(race.address), 4, true});
    return;
  }
  const bool copies_late = may_be_late(race);
  const AccessStamp& writer = race.past_writes ? race.past : race.now;
  const bool arrived =
      copies_late && race.past_writes && !block_.context.pending->touches(race.address, race.bytes);
  const AccessStamp& reader = race.past_writes ? race.now : race.past;
  if (arrived && order_.has_been_at(reader.instruction, writer)) {
    copies_.note_any();
    copies_.report(early_access_of(race));
    return;
  }
  const std::uint32_t main = past_is_main ? race.past.instruction : race.now.instruction;
  if (block_.reports.was_reported(kind, main)) return;
  const auto found = races_.find({kind, main});
  if (found != races_.end() && (found->second.between_warps || !between_warps)) return;
  FoundRace& kept =
      races_[{kind, main}] = {race, past_is_main, between_warps, false, copies_late && !arrived};
  races_at_[key_of(race.space, race.address)].push_back(&kept);
  const InstructionNote& note = notes_.of[reader.instruction];
  if (note.partner != 0) kept.race.both_write |= order_.was_at(note.partner, reader.thread);
  kept.many_write = order_.several_at(writer.instruction);
  kept.in_groups =
      notes_.meets_in_groups && !order_.any_at_both(race.past.instruction, race.now.instruction);
}

// The thread that was found reading writes the same place now.
void RaceCheck::note_change(MemorySpace space, std::uint64_t address, const AccessStamp& now) {
  const auto found = races_at_.find(key_of(space, address));
  if (found == races_at_.end()) return;
  for (FoundRace* const each : found->second) {
    Race& race = each->race;
    const AccessStamp& reader = race.past_writes ? race.now : race.past;
    race.both_write |= race.space == space && race.address == address &&
                       reader.thread == now.thread &&
                       update_one_place(notes_.of[reader.instruction], notes_.of[now.instruction]);
  }
}

// A line that races inside a warp here and between warps there needs the block's barrier; so does
// a bulk copy, which fills what all threads read.
bool RaceCheck::meets_other_warps(const FoundRace& found) const {
  if (block_.instruction(found.race.past.instruction).fills_in_bulk() ||
      block_.instruction(found.race.now.instruction).fills_in_bulk())
    return true;
  const auto has_line = [&](const Race& race, std::uint32_t line) {
    return notes_.of[race.past.instruction].line == line ||
           notes_.of[race.now.instruction].line == line;
  };
  return found.between_warps || std::any_of(races_.begin(), races_.end(), [&](const auto& entry) {
           const FoundRace& other = entry.second;
           return other.between_warps && other.race.space == found.race.space &&
                  (has_line(other.race, notes_.of[found.race.past.instruction].line) ||
                   has_line(other.race, notes_.of[found.race.now.instruction].line));
         });
}

void RaceCheck::report_races() {
  for (const auto& [key, found] : races_) {
    if (found.copy_is_late) {
      copies_.report(early_access_of(found.race));
      continue;
    }
    if (block_.reports.is_new(key.first, key.second))
      block_.reports.add(finding_of(key.first, found));
  }
  races_.clear();
  races_at_.clear();
}

// Do both threads read the place and write it for what they read there?
bool RaceCheck::changes_in_turn(const FoundRace& found) const {
  const InstructionNote& past = notes_.of[found.race.past.instruction];
  if (!update_one_place(past, notes_.of[found.race.now.instruction])) return false;
  return found.race.both_write || (is_choice(past.update) && found.many_write);
}

Finding RaceCheck::finding_of(FindingKind kind, const FoundRace& found) const {
  const Race& race = found.race;
  const AccessStamp& main = found.past_is_main ? race.past : race.now;
  const AccessStamp& other = found.past_is_main ? race.now : race.past;
  const auto access_of = [](const AccessStamp& stamp, bool writes) {
    return RaceFacts::Access{stamp.instruction, writes, stamp.atomic != 0};
  };
  RaceFacts facts;
  facts.main = access_of(main, found.past_is_main ? race.past_writes : race.now_writes);
  facts.other = access_of(other, found.past_is_main ? race.now_writes : race.past_writes);
  facts.place = name_place(block_.context, race.space, race.address, race.bytes);
  facts.by = block_.reports.thread_text(other.thread);
  // The block's barrier would wait for ever where each group of warps has code of its own.
  facts.barrier = !meets_other_warps(found) ? "__syncwarp()"
                  : found.in_groups ? "a named barrier of both groups of warps, or an arrival at "
                                      "an mbarrier and a wait for it,"
                                    : "__syncthreads()";
  facts.bytes = race.bytes;
  facts.shared = race.space == MemorySpace::kShared;
  facts.one_step = is_one_step(race.past, race.now);
  facts.one_change = changes_in_turn(found);
  facts.mixed = facts.main.atomic || facts.other.atomic;
  return block_.reports.finding_of(kind, main.instruction, main.thread,
                                   race_message(facts, block_.launch.program(), notes_), &other);
}

}  // namespace tilescope
