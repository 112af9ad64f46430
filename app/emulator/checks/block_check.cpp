#include "emulator/checks/block_check.h"

#include <bit>

#include "emulator/block/cluster.h"
#include "emulator/block/register_cells.h"
#include "emulator/code.h"
#include "emulator/common_executors/mbarrier.h"

namespace tilescope {
namespace {

// Addresses of shared memory and global ones in one set of keys.
std::uint64_t key_of(MemorySpace space, std::uint64_t address) {
  return space == MemorySpace::kShared ? kSharedWindow + address + 1 : address;
}

}  // namespace

BlockCheck::BlockCheck(LaunchCheck& launch, ExecutionContext& context, TraceSink* next)
    : launch_(launch),
      notes_(launch.notes()),
      context_(context),
      next_(next),
      order_(static_cast<std::uint32_t>(launch.launch().block.count()), launch.program()),
      block_order_(launch.grid(), order_),
      tickets_(launch.grid(), order_),
      global_(launch.notes().global_cell_bytes) {
  shared_.resize(context.shared_bytes / notes_.shared_cell_bytes + 64);
  local_written_.resize(launch.launch().block.count());
  reported_.assign(notes_.of.size(), 0);
  context_.reports_copies = false;  // done here, with the other thread
  context_.shared_written = &shared_written_;
  context_.operand_watcher = this;
}

void BlockCheck::start_block(std::vector<Warp>& warps) {
  order_.start_block();
  shared_written_.reset(context_.shared_bytes);
  // What CUDA keeps there is not the kernel's to write.
  for (std::uint64_t at = context_.reserved_shared; at < context_.shared_bytes; at += 64) {
    shared_written_.write(at, 64);
  }
  if (context_.local_bytes != 0) {
    for (WrittenBytes& written : local_written_) written.reset(context_.local_bytes);
  }
  global_.start_block();
  sources_.clear();
  open_reads_ = false;
  raced_lines_.clear();
  early_.clear();
  races_.clear();
  meeting_.clear();
  undefined_.start_block(*context_.code, static_cast<std::uint32_t>(warps.size()));
  block_order_.start_block();
  tickets_.start_block(static_cast<std::uint32_t>(context_.point.block));
  cp_async_reported_ = false;
  cluster_phase_ = 0;
  has_heard_ = false;
  if (context_.cluster != nullptr)
    cluster_races_.start_block(context_.shared_bytes, notes_.shared_cell_bytes);
  arrivals_.clear();
  for (Warp& warp : warps) warp.async.tell_arrivals(&arrivals_, warp.index);
}

void BlockCheck::before(const MicroOp& op, const std::byte* registers, std::uint32_t lanes,
                        Warp& warp) {
  op_ = &op;
  registers_ = registers;
  executing_ = lanes;
  const InstructionNote& note = notes_.of[op.instruction];
  if (note.fence != InstructionNote::Fence::kNone)
    order_.fence(warp.index, lanes, note.fence == InstructionNote::Fence::kDevice);
  if (note.arrives || note.tests) meet_at_mbarrier(note, op, lanes, warp);
  if (note.needs_warp && lanes != warp.lanes) report_part_of_warp(op.instruction, warp, lanes);
  if (note.whole_warp) order_.warp_sync(warp.index, lanes, warp.alive);
  if (note.members != InstructionNote::Members::kNone) meet_members(note, op, lanes, warp);
  const bool shuffles = note.members == InstructionNote::Members::kFurther;
  if (undefined_.any() && !shuffles) note_uses(undefined_.follow(executing()), executing());
}

void BlockCheck::after(const MicroOp& op, std::uint32_t lanes) {
  finish_undefined();
  op_ = nullptr;
  block_order_.end_instruction();
  const InstructionNote& note = notes_.of[op.instruction];
  if (note.whole_warp && !note.stores_fragment)
    order_.warp_sync(context_.warp->index, lanes, context_.warp->alive);
  if (arrivals_.empty()) return;
  if (note.waits_for_copies) take_arrivals();
  arrivals_.clear();  // those that an mbarrier announces were published with the arrival there
}

// An arrival at an mbarrier releases, a test of it acquires (PTX ISA, "mbarrier": .release.cta and
// .acquire.cta are the defaults).
void BlockCheck::meet_at_mbarrier(const InstructionNote& note, const MicroOp& op,
                                  std::uint32_t lanes, const Warp& warp) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const bool wide = (op.flags & kWideAddress) != 0;
    const std::uint64_t named =
        (cell_at(registers_, op.row[1], lane, wide) + static_cast<std::uint64_t>(op.immediate)) &
        (kWindowBytes - 1);
    const SharedPlace place = find_shared(named, true, context_);
    const std::uint64_t address = place.owner == &context_ ? place.offset : named;
    const std::uint64_t key = key_of(MemorySpace::kShared, address);
    const std::uint32_t thread = warp.index * 32 + lane;
    touch_mbarrier(op, address, thread);
    has_heard_ |= note.tests;
    if (note.tests) {
      order_.observe(key, thread);
    } else if (!note.starts) {
      order_.publish(key, thread, true);
    }
  }
}

// One thread initialises it; the others must meet that thread before they use it.
void BlockCheck::touch_mbarrier(const MicroOp& op, std::uint64_t address, std::uint32_t thread) {
  const std::size_t index = address / notes_.shared_cell_bytes;
  if (address >= context_.shared_bytes || op.instruction >= AccessStamp::kMostInstructions) return;
  AccessCell& cell = shared_[index];
  AccessStamp now;
  now.thread = thread & 0x3ffu;
  now.instruction = op.instruction & (AccessStamp::kMostInstructions - 1);
  now.tick = order_.tick(thread / 32);
  if (notes_.of[op.instruction].starts) {
    cell.write = now;
    return;
  }
  now.strong = 1;
  if (notes_.of[cell.write.instruction].starts && conflicts(cell.write, now, order_))
    report_race({MemorySpace::kShared, address, 8, cell.write, now, true, false});
}

void BlockCheck::on_access(const WarpPoint& where, const WarpAccess& access) {
  if (next_ != nullptr) next_->on_access(where, access);
  on_operand_read(where, access);
}

void BlockCheck::on_operand_read(const WarpPoint& where, const WarpAccess& access) {
  if (op_ == nullptr || where.instruction >= AccessStamp::kMostInstructions) return;
  const InstructionNote& note = notes_.of[where.instruction];
  const bool copy = access.kind == AccessKind::kAsyncCopy;
  Access check{access, where.instruction, note, {}, false, false, false};
  check.stamp.instruction = where.instruction & (AccessStamp::kMostInstructions - 1);
  check.stamp.tick = order_.tick(where.warp);
  order_.note(where.warp, where.instruction, access.active, check.stamp.tick);
  check.stamp.strong = note.strong || note.rechecked ? 1 : 0;
  check.stamp.atomic = access.kind == AccessKind::kAtomic || note.rechecked ? 1 : 0;
  check.stamp.polls = note.polls ? 1 : 0;
  check.writes = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic ||
                 access.kind == AccessKind::kStmatrix ||
                 (copy && access.space == MemorySpace::kShared);
  check.reads = access.kind == AccessKind::kAtomic || !check.writes;
  check.has_value = note.plain_store;
  switch (access.space) {
    case MemorySpace::kShared:
      check_shared(check);
      check_cluster(check);
      break;
    case MemorySpace::kLocal:
      check_local(check);
      break;
    case MemorySpace::kClusterShared:
      check_cluster(check);
      break;
    default:
      has_heard_ |= check.reads && note.strong;
      check_global(check);
      break;
  }
}

// What a strong access says to others, and hears from them.
void BlockCheck::synchronise(const Access& access, unsigned lane, std::uint64_t address) {
  const std::uint32_t thread = context_.point.warp * 32 + lane;
  const bool global = access.lanes.space == MemorySpace::kGlobal;
  const std::uint64_t key = key_of(access.lanes.space, address);
  const bool between_blocks =
      global && launch_.many_blocks() && notes_.device_fences && !access.note.of_block;
  if (access.reads) {
    order_.observe(key, thread);
    if (between_blocks) block_order_.will_acquire(address);
  }
  if (!access.writes) return;
  order_.publish(key, thread, access.note.publishes);
  if (!between_blocks) return;
  AccessOrder::Published covered = order_.published(thread, access.note.publishes);
  if (covered.any()) block_order_.publish(address, std::move(covered));
}

// See TicketOrder. Tickets of a whole launch are drawn by one worker.
void BlockCheck::note_ticket(const Access& access, unsigned lane, std::uint64_t address) {
  AccessStamp now = access.stamp;
  now.thread = (context_.point.warp * 32 + lane) & 0x3ffu;
  if (access.lanes.kind == AccessKind::kAtomic && !access.note.of_block) {
    tickets_.draw(address, now, access.note.publishes, access.note.answers);
  } else if (access.note.kept_volatile) {
    tickets_.read(address, now);
  } else if (access.writes && access.note.strong) {
    tickets_.store();
  }
}

void BlockCheck::arrive(std::uint32_t barrier, std::uint32_t warp, std::uint32_t lanes) {
  order_.arrive(barrier, warp, lanes);
}

void BlockCheck::pass(std::uint32_t barrier, const std::vector<Warp>& warps, bool whole) {
  std::uint32_t at = kNoBlock;
  for (const Warp& warp : warps) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != barrier) continue;
      at = split.at;
      if (!whole) order_.pass(barrier, warp.index, split.mask);
    }
  }
  if (whole) {
    report_early_touches();
    judge_reads();
    order_.block_barrier(at);
  }
  order_.clear(barrier);
}

void BlockCheck::warp_barrier(const Warp& warp, std::uint32_t lanes) {
  order_.warp_sync(warp.index, lanes, warp.alive);
}

void BlockCheck::exit(const Warp& warp, std::uint32_t lanes) {
  if (warp.async.empty() || cp_async_reported_) return;
  const AsyncCopies::Copy* copy = warp.async.unfinished(lanes);
  if (copy == nullptr || !is_new(FindingKind::kCpAsync, copy->instruction)) return;
  add(FindingKind::kCpAsync, copy->instruction,
      warp.index * 32 + static_cast<std::uint32_t>(std::countr_zero(copy->mask & lanes)),
      "the thread leaves the kernel while this copy is under way: wait for it (commit its group "
      "with cp.async.commit_group, then cp.async.wait_group 0)");
}

void BlockCheck::finish_block() {
  report_early_touches();
  judge_reads();
  report_races();
  hand_to_grid();
  for (const WarpMeeting::Missing& meeting : meeting_.open()) {
    if (!is_new(FindingKind::kBarrier, meeting.instruction)) continue;
    const auto absent = static_cast<std::uint32_t>(std::countr_zero(meeting.missing));
    add(FindingKind::kBarrier, meeting.instruction,
        meeting.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(meeting.came)),
        "the mask names lanes that do not execute this instruction, among them " +
            thread_text(meeting.warp * 32 + absent) +
            ": let every named lane reach it, or name only those that do");
  }
}

}  // namespace tilescope
