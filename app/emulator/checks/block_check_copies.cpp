#include <fmt/format.h>

#include <utility>

#include "emulator/checks/block_check.h"
#include "emulator/checks/place_name.h"
#include "emulator/common_executors/bulk_transfers.h"

// What the checks make of copies into shared memory that run beside the threads.
namespace tilescope {

// The copy's write happens when its thread has waited for it, but for one that an mbarrier
// announces: who meets its thread there has it.
void BlockCheck::take_arrivals() {
  const std::uint32_t tick = order_.tick(context_.point.warp);
  for (const AsyncCopies::Arrival& arrival : arrivals_) {
    if (arrival.announced) continue;
    AccessStamp stamp;
    stamp.thread = (arrival.warp * 32 + arrival.lane) & 0x3ffu;
    stamp.instruction = arrival.instruction & (AccessStamp::kMostInstructions - 1);
    stamp.tick = tick;
    const std::uint32_t size = notes_.shared_cell_bytes;
    for (std::uint32_t at = arrival.offset; at < arrival.offset + arrival.bytes; at += size) {
      AccessCell& cell = shared_[at / size];
      // Where another write has come in between, that race is known already.
      if (cell.write.thread != stamp.thread || cell.write.instruction != stamp.instruction)
        continue;
      stamp.polls = order_.since_barrier(cell.write) ? 0 : 1;
      cell.write = stamp;
    }
    for (auto& [key, found] : races_) {
      const AccessStamp& copy = found.race.past_writes ? found.race.past : found.race.now;
      const AccessStamp& reader = found.race.past_writes ? found.race.now : found.race.past;
      if (copy.thread == stamp.thread && copy.instruction == stamp.instruction &&
          order_.since_barrier(copy) && !order_.was_at(reader.instruction, stamp.thread))
        found.copy_is_late = false;
    }
    // Touched by another warp that had come further: its thread did wait, but nobody met it since.
    std::erase_if(early_, [&](const EarlyTouch& touch) {
      const bool mine = touch.offset < arrival.offset + arrival.bytes &&
                        arrival.offset < touch.offset + touch.bytes &&
                        touch.copy.thread == stamp.thread;
      if (!mine || touch.stamp.warp() == arrival.warp ||
          order_.progress(touch.stamp) < order_.progress(stamp))
        return false;
      report_race({MemorySpace::kShared, touch.offset, touch.bytes, stamp, touch.stamp, true,
                   !touch.reads});
      return true;
    });
  }
  arrivals_.clear();
}

// True: a copy under way, issued before, has its hands on these bytes, and that is all there is to
// say. One that was issued without any order is a race like any other.
bool BlockCheck::check_pending(const Access& access, unsigned lane, std::uint64_t offset) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  if (!context_.pending->touches(offset, bytes)) return false;
  AccessStamp now = access.stamp;
  now.thread = (context_.point.warp * 32 + lane) & 0x3ffu;
  AccessStamp copy = shared_[offset / notes_.shared_cell_bytes].write;
  std::optional<Finding::Other> bulk;  // which leaves no stamp
  if (const Finding::Other* issuer = context_.transfers->filler_of(offset, bytes)) bulk = *issuer;
  if (bulk || !notes_.of[copy.instruction].copies) copy = {};
  if (conflicts(copy, now, order_)) return false;
  cp_async_reported_ = true;
  if (early_.size() < kMostEarly)
    early_.push_back({now, copy, static_cast<std::uint32_t>(offset), bytes, access.reads, bulk});
  return true;
}

// Is a place used without any order before this copy? What a warp has read together (ldmatrix), any
// of its lanes may give back.
bool BlockCheck::overwrites(const AccessStamp& past, const AccessStamp& copy) const {
  if (!conflicts(past, copy, order_)) return false;
  if (!notes_.of[past.instruction].needs_warp) return true;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    AccessStamp other = past;
    other.thread = (past.warp() * kWarpSize + lane) & 0x3ffu;
    if (order_.ordered(other, copy.thread)) return false;
  }
  return true;
}

// A bulk copy may write as soon as it is issued. Whether it has come is asked of those who read.
void BlockCheck::on_bulk_copy(const WarpPoint&, unsigned lane, std::uint64_t, std::uint64_t to,
                              std::uint64_t bytes) {
  if (op_ == nullptr || op_->instruction >= AccessStamp::kMostInstructions) return;
  if (lane >= kWarpSize)
    return;  // of another block, whose order to this one's threads is not known
  AccessStamp now;
  now.thread = (context_.point.warp * kWarpSize + lane) & 0x3ffu;
  now.instruction = op_->instruction & (AccessStamp::kMostInstructions - 1);
  now.tick = order_.tick(context_.point.warp);
  order_.note(context_.point.warp, op_->instruction, 1u << lane, now.tick);
  const std::uint32_t size = notes_.shared_cell_bytes;
  for (std::uint64_t at = to; at < to + bytes; at += size) {
    // What was there to be read? Else the reader has not waited for this copy: see judge_reads().
    if (shared_written_.missing(at, size) != 0) continue;
    const AccessCell& cell = shared_[at / size];
    const bool written = overwrites(cell.write, now);
    for (const AccessStamp& past : {cell.write, cell.read[0], cell.read[1]}) {
      if (!overwrites(past, now)) continue;
      report_race({MemorySpace::kShared, at, size, past, now, written, true});
      return;
    }
  }
}

// Another thread reads, with no barrier in between, what a cp.async writes: is a missing wait to be
// asked about? In a loop it is not known which round's wait was meant.
bool BlockCheck::may_be_late(const Race& race) {
  if (race.space != MemorySpace::kShared || race.past_writes == race.now_writes) return false;
  const std::uint32_t writer = (race.past_writes ? race.past : race.now).instruction;
  const std::uint32_t reader = (race.past_writes ? race.now : race.past).instruction;
  return notes_.of[writer].copies && launch_.program().instructions()[reader].loop == 0 &&
         order_.comes_after(reader, writer);
}

BlockCheck::EarlyTouch BlockCheck::touch_of(const Race& race) {
  const auto offset = static_cast<std::uint32_t>(race.address);
  return race.past_writes ? EarlyTouch{race.now, race.past, offset, race.bytes, true}
                          : EarlyTouch{race.past, race.now, offset, race.bytes, true};
}

void BlockCheck::report_copy(const EarlyTouch& touch) {
  if (!is_new(FindingKind::kCpAsync, touch.stamp.instruction)) return;
  const std::string place = name_place(context_, MemorySpace::kShared, touch.offset, 4);
  const bool known = touch.copy.tick != 0;
  std::string by = "a copy";
  if (known) {
    by = fmt::format("{}'s cp.async (line {})", thread_text(touch.copy.thread),
                     notes_.of[touch.copy.instruction].line);
  } else if (touch.bulk) {
    const Dim3& thread = touch.bulk->thread;
    by = fmt::format("thread ({},{},{})'s bulk copy (line {})", thread.x, thread.y, thread.z,
                     notes_.of[touch.bulk->instruction].line);
  }
  const std::string what = touch.reads
                               ? fmt::format("reads {}, which {} has still to fill", place, by)
                               : fmt::format("writes {} while {} to it is under way", place, by);
  const char* remedy =
      !known ? "wait for the phase of the mbarrier that the copy completes"
      : touch.copy.thread == touch.stamp.thread
          ? "commit the copy's group and wait for it (cp.async.wait_group or __pipeline_wait_prior "
            "with the number of younger groups)"
          : "commit the copy's group and wait for it (cp.async.wait_group or __pipeline_wait_prior "
            "with the number of younger groups), then synchronise the block";
  Finding finding = finding_of(FindingKind::kCpAsync, touch.stamp.instruction, touch.stamp.thread,
                               fmt::format("{}: {}", what, remedy), known ? &touch.copy : nullptr);
  if (!known) finding.other = touch.bulk;
  context_.findings->add(context_.point.block, std::move(finding));
}

void BlockCheck::report_early_touches() {
  for (const EarlyTouch& touch : early_) report_copy(touch);
  early_.clear();
}

}  // namespace tilescope
