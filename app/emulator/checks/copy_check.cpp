#include "emulator/checks/copy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/execution/barriers.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/place_name.h"
#include "emulator/lanes_in.h"

namespace tilescope {

EarlyAccess early_access_of(const RaceCheck::Race& race) {
  const auto offset = static_cast<std::uint32_t>(race.address);
  return race.past_writes ? EarlyAccess{race.now, race.past, offset, race.bytes, true}
                          : EarlyAccess{race.past, race.now, offset, race.bytes, true};
}

void CopyReports::report(const EarlyAccess& early) {
  if (!block_.reports.is_new(FindingKind::kCpAsync, early.stamp.instruction)) return;
  const std::string place = name_place(block_.context, MemorySpace::kShared, early.offset, 4);
  const bool known = early.copy.tick != 0;
  std::string by = "a copy";
  if (known) {
    by = fmt::format("{}'s cp.async (line {})", block_.reports.thread_text(early.copy.thread),
                     block_.notes.of[early.copy.instruction].line);
  } else if (early.bulk) {
    const Dim3& thread = early.bulk->thread;
    by = fmt::format("thread ({},{},{})'s bulk copy (line {})", thread.x, thread.y, thread.z,
                     block_.notes.of[early.bulk->instruction].line);
  }
  const std::string what = early.reads
                               ? fmt::format("reads {}, which {} has not filled yet", place, by)
                               : fmt::format("writes {} while {} to it is under way", place, by);
  const std::string remedy =
      !early.remedy.empty() ? early.remedy
      : !known              ? "wait for the phase of the mbarrier that the copy completes"
      : early.copy.thread == early.stamp.thread
          ? "commit the copy's group and wait for it (cp.async.wait_group or __pipeline_wait_prior "
            "with the number of younger groups)"
          : "commit the copy's group and wait for it (cp.async.wait_group or __pipeline_wait_prior "
            "with the number of younger groups), then synchronise the block";
  Finding finding =
      block_.reports.finding_of(FindingKind::kCpAsync, early.stamp.instruction, early.stamp.thread,
                                fmt::format("{}: {}", what, remedy), known ? &early.copy : nullptr);
  if (!known) finding.other = early.bulk;
  block_.reports.add(std::move(finding));
}

StepEvents CopyCheck::needs(std::uint32_t instruction) const {
  if (!block_.block.code().uses_async_copies) return {};
  const InstructionNote& note = block_.notes.of[instruction];
  return {.before = note.ignores_answer,
          .after = waits_for_copies(instruction) ||
                   block_.synchronisation(instruction) == Synchronisation::kWaitMbarrier,
          .accesses = note.may_access(MemorySpace::kShared)};
}

bool CopyCheck::waits_for_copies(std::uint32_t instruction) const {
  const Synchronisation kind = block_.synchronisation(instruction);
  return kind == Synchronisation::kWaitCopies || kind == Synchronisation::kWaitAllCopies ||
         kind == Synchronisation::kWaitBulkCopies;
}

void CopyCheck::on_block_begin(std::vector<Warp>& warps) {
  early_.clear();
  arrivals_.clear();
  passed_.assign(warps.size() * kWarpSize, {});
  stopped_lanes_ = false;
  reports_.start_block();
  for (Warp& warp : warps) warp.async.tell_arrivals(&arrivals_, warp.index);
}

void CopyCheck::before(const WarpStep& test) {
  const std::uint32_t instruction = test.op.instruction;
  if (!block_.reports.is_new(FindingKind::kCpAsync, instruction)) return;
  block_.reports.add(
      FindingKind::kCpAsync, instruction,
      test.warp.index * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(test.lanes)),
      "asks whether a phase of an mbarrier is over and goes on whatever the answer is: repeat it "
      "until it says so (a loop around mbarrier.try_wait)");
}

void CopyCheck::after(const WarpStep& step) {
  if (arrivals_.empty()) return;
  if (waits_for_copies(step.op.instruction)) take_arrivals();
  arrivals_.clear();  // those that an mbarrier announces were published with the arrival there
}

// The copy's write happens when its thread has waited for it, but for one that an mbarrier
// announces: who acquires that arrival has it.
void CopyCheck::take_arrivals() {
  const std::uint32_t tick = block_.order.tick(block_.context.point.warp);
  for (const AsyncCopies::Arrival& arrival : arrivals_) {
    if (arrival.announced) continue;
    AccessStamp stamp;
    stamp.thread = (arrival.warp * kWarpSize + arrival.lane) & 0x3ffu;
    stamp.instruction = arrival.instruction & (AccessStamp::kMostInstructions - 1);
    stamp.tick = tick;
    const std::uint32_t size = block_.notes.shared_cell_bytes;
    for (std::uint32_t at = arrival.offset; at < arrival.offset + arrival.bytes; at += size) {
      AccessCell& cell = races_.shared_cell(at);
      // Where another write has come in between, that race is known already.
      if (cell.write.thread != stamp.thread || cell.write.instruction != stamp.instruction)
        continue;
      stamp.polls = block_.order.since_barrier(cell.write) ? 0 : 1;
      cell.write = stamp;
    }
    races_.note_arrival(stamp);
    settle_early(arrival, stamp);
  }
}

// Accessed by another warp that had come further: the copy's thread did wait, but nothing has
// ordered the two since.
void CopyCheck::settle_early(const AsyncCopies::Arrival& arrival, const AccessStamp& stamp) {
  const AccessOrder& order = block_.order;
  std::erase_if(early_, [&](const EarlyAccess& early) {
    const bool mine = early.offset < arrival.offset + arrival.bytes &&
                      arrival.offset < early.offset + early.bytes &&
                      early.copy.thread == stamp.thread;
    if (!mine || early.stamp.warp() == arrival.warp ||
        order.progress(early.stamp) < order.progress(stamp))
      return false;
    races_.report_race(
        {MemorySpace::kShared, early.offset, early.bytes, stamp, early.stamp, true, !early.reads});
    return true;
  });
}

void CopyCheck::inspect(ObservedAccess& access) {
  const PendingWords* pending = block_.context.pending;
  if (access.access.space != MemorySpace::kShared || !pending->any()) return;
  const CheckedAccess& checked = *block_.access;
  if (!pending->may_touch(checked.lowest, checked.end() - 1)) return;
  const unsigned bytes = checked.lanes.bytes_per_lane;
  for (const unsigned lane : lanes_in(access.lanes)) {
    const std::uint64_t offset = checked.lanes.address[lane];
    if (!is_early(checked, lane, offset)) continue;
    if (checked.writes) block_.shared_written.write(offset, bytes);
    access.lanes &= ~(1u << lane);
  }
}

// A copy under way, issued before, has still to fill these bytes. One that was issued without any
// order is a race like any other.
bool CopyCheck::is_early(const CheckedAccess& access, unsigned lane, std::uint64_t offset) {
  const ExecutionContext& context = block_.context;
  const unsigned bytes = access.lanes.bytes_per_lane;
  if (!context.pending->touches(offset, bytes)) return false;
  const AccessStamp now = block_.stamp_of(lane);
  AccessStamp copy = races_.shared_cell(offset).write;
  const BulkTransfers::Copy* const bulk = context.transfers->filler_of(offset, bytes);
  if (bulk != nullptr ||  // which leaves no stamp
      block_.instruction(copy.instruction).access != AccessKind::kAsyncCopy)
    copy = {};
  if (conflicts(copy, now, block_.order)) return false;
  reports_.note_any();
  if (early_.size() >= kMostEarly) return true;
  EarlyAccess& early = early_.emplace_back(
      EarlyAccess{now, copy, static_cast<std::uint32_t>(offset), bytes, access.reads});
  if (bulk != nullptr) {
    early.bulk = bulk->issuer;
    early.remedy = remedy_for(*bulk, now.thread);
  }
  return true;
}

// The thread may have waited for the phase before, or at an mbarrier that knows of no bytes.
std::string CopyCheck::remedy_for(const BulkTransfers::Copy& copy, std::uint32_t thread) const {
  const ExecutionContext& context = block_.context;
  std::uint64_t word = 0;
  std::memcpy(&word, context.shared + copy.barrier, sizeof word);
  const Mbarrier object = Mbarrier::unpack(word);
  const std::string name = name_place(context, MemorySpace::kShared, copy.barrier, sizeof word);
  const PassedPhase& passed = passed_[thread];
  const bool waited = passed.instruction != kNoIndex && passed.barrier == copy.barrier;
  if (waited && object.bytes <= 0) {
    return fmt::format(
        "the phase of the mbarrier {} was over without it, for no bytes were expected: arrive "
        "with mbarrier.arrive.expect_tx and the bytes of the copies, then wait for that phase",
        name);
  }
  if (waited && passed.parity != object.phase) {
    return fmt::format(
        "the thread waits (line {}) for parity {} of the mbarrier {}, which is the phase before "
        "and already over: wait for parity {}",
        block_.notes.of[passed.instruction].line, passed.parity ? 1 : 0, name,
        object.phase ? 1 : 0);
  }
  return fmt::format("wait for the phase of the mbarrier {} that the copy completes (parity {})",
                     name, object.phase ? 1 : 0);
}

void CopyCheck::on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset, bool waits,
                            bool parity) {
  if (!waits || lane >= kWarpSize) return;
  PassedPhase& passed = passed_[where.warp * kWarpSize + lane];
  const bool again =
      passed.instruction != kNoIndex && passed.barrier == offset && passed.parity == parity;
  passed = {where.instruction, offset, parity, again, block_.order.tick(where.warp)};
}

// Is a place used without any order before this copy? What a warp has read together (ldmatrix), any
// of its lanes may give back.
bool CopyCheck::overwrites(const AccessStamp& past, const AccessStamp& copy) const {
  if (!conflicts(past, copy, block_.order)) return false;
  const WarpUse use = block_.instruction(past.instruction).warp_use;
  if (use != WarpUse::kAll && use != WarpUse::kTogether) return true;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    AccessStamp other = past;
    other.thread = (past.warp() * kWarpSize + lane) & 0x3ffu;
    if (block_.order.ordered(other, copy.thread)) return false;
  }
  return true;
}

// A bulk copy may write as soon as it is issued. Whether it has come is asked of those who read.
void CopyCheck::on_bulk_copy(const WarpPoint& where, unsigned lane, const BulkTransfers::Copy& copy,
                             std::span<const BulkPiece>) {
  const std::uint32_t instruction = where.instruction;
  if (instruction >= AccessStamp::kMostInstructions) return;
  if (lane >= kWarpSize)
    return;  // of another block, whose order to this one's threads is not known
  const AccessStamp now = block_.stamp_beside(instruction, lane);
  const std::uint32_t size = block_.notes.shared_cell_bytes;
  for (std::uint64_t at = copy.to; at < copy.to + copy.data.size(); at += size) {
    // What was there to be read? Else the reader has not waited for this copy, which the check of
    // uninitialised reads finds.
    if (block_.shared_written.missing(at, size) != 0) continue;
    const AccessCell& cell = races_.shared_cell(at);
    const bool written = overwrites(cell.write, now);
    const auto is_found = [&](const AccessStamp& past) {
      if (!overwrites(past, now)) return false;
      const bool waited = has_waited(past, copy);
      if (!waited && block_.order.since_barrier(past) && block_.order.is_later(past, now)) {
        note_unwaited(past, !written, at, size, copy);
        return true;
      }
      RaceCheck::Race race{MemorySpace::kShared, at, size, past, now, written, true};
      race.now_is_main = waited;
      races_.report_race(race);
      return true;
    };
    if (is_found(cell.write) || races_.any_shared_reader(at, is_found)) return;
  }
}

// Had the thread waited for the phase before this copy's when it made the access? Then it used what
// lay there before.
bool CopyCheck::has_waited(const AccessStamp& access, const BulkTransfers::Copy& copy) const {
  const PassedPhase& passed = passed_[access.thread];
  if (passed.instruction == kNoIndex || passed.barrier != copy.barrier || passed.again)
    return false;
  std::uint64_t word = 0;
  std::memcpy(&word, block_.context.shared + copy.barrier, sizeof word);
  AccessStamp pass = access;
  pass.tick = passed.tick;
  return Mbarrier::unpack(word).phase != passed.parity && block_.order.since_barrier(pass);
}

// An access that comes after this copy in the program came before it here: its thread has not
// waited.
void CopyCheck::note_unwaited(const AccessStamp& access, bool reads, std::uint64_t offset,
                              unsigned bytes, const BulkTransfers::Copy& copy) {
  reports_.note_any();
  if (early_.size() >= kMostEarly) return;
  EarlyAccess& early = early_.emplace_back(
      EarlyAccess{access, {}, static_cast<std::uint32_t>(offset), bytes, reads});
  early.bulk = copy.issuer;
  early.remedy = remedy_for(copy, access.thread);
}

void CopyCheck::on_release(std::uint32_t, bool whole) {
  if (whole) report_early();
}

void CopyCheck::on_exit(const Warp& warp, std::uint32_t lanes) {
  if (warp.async.empty() || reports_.any()) return;
  const AsyncCopies::Copy* copy = warp.async.unfinished(lanes);
  if (copy == nullptr || !block_.reports.is_new(FindingKind::kCpAsync, copy->instruction)) return;
  block_.reports.add(
      FindingKind::kCpAsync, copy->instruction,
      warp.index * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(copy->mask & lanes)),
      "the thread leaves the kernel while this copy is under way: wait for it (commit its group "
      "with cp.async.commit_group, then cp.async.wait_group 0)");
}

void CopyCheck::on_block_end() {
  report_early();
  report_left();
}

// All threads have left, and a bulk copy has still to write here: into the shared memory of the
// block that comes next.
void CopyCheck::report_left() {
  const bool all_left =
      std::ranges::all_of(block_.block.warps(), [](const Warp& warp) { return warp.alive == 0; });
  if (!all_left || stopped_lanes_ || reports_.any()) return;
  const BulkTransfers::Copy* const copy = block_.context.transfers->first_copy();
  if (copy == nullptr || !block_.reports.is_new(FindingKind::kCpAsync, copy->issuer.instruction))
    return;
  const Dim3& block = block_.context.block;
  block_.reports.add(
      {FindingKind::kCpAsync,
       fmt::format("block ({},{},{}) leaves the kernel while this copy into its shared memory is "
                   "under way: wait for the phase of the mbarrier {} that it completes",
                   block.x, block.y, block.z,
                   name_place(block_.context, MemorySpace::kShared, copy->barrier, 8)),
       copy->issuer.instruction, copy->issuer.block, copy->issuer.thread});
}

void CopyCheck::report_early() {
  for (const EarlyAccess& early : early_) reports_.report(early);
  early_.clear();
}

void EarlyReadCheck::on_early_read(const MicroOp& op, std::uint32_t lanes, const LaneArray& offsets,
                                   std::uint64_t bytes) {
  for (const unsigned lane : lanes_in(lanes)) {
    if (!context_.pending->touches(offsets[lane], bytes)) continue;
    report(context_, FindingKind::kCpAsync, op, lane,
           fmt::format("reads shared memory at byte {} while a cp.async to it has not been waited "
                       "for: wait for its group (cp.async.wait_group), then synchronise the block",
                       offsets[lane]));
    return;
  }
}

}  // namespace tilescope
