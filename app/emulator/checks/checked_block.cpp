#include "emulator/checks/checked_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "emulator/execution/async_copies.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/register_cells.h"

namespace tilescope {
namespace {

// The lowest and the highest address.
std::pair<std::uint64_t, std::uint64_t> extremes(const WarpAccess& access) {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  const auto add = [&](std::uint64_t address) {
    low = std::min(low, address);
    high = std::max(high, address);
  };
  if (access.active == kFullMask) {
    for (const std::uint64_t address : access.address) add(address);
  } else {
    for_lanes(access.active, [&](unsigned lane) { add(access.address[lane]); });
  }
  return {low, high};
}

CheckedAccess checked(const WarpAccess& lanes, std::uint32_t instruction,
                      const InstructionNote& note, std::uint32_t tick) {
  CheckedAccess checked{lanes, instruction, note, {}};
  checked.stamp.instruction = instruction & (AccessStamp::kMostInstructions - 1);
  checked.stamp.tick = tick;
  checked.stamp.strong = note.strong || note.rechecked ? 1 : 0;
  checked.stamp.atomic = lanes.kind == AccessKind::kAtomic || note.rechecked ? 1 : 0;
  checked.stamp.polls = note.polls ? 1 : 0;
  std::tie(checked.lowest, checked.highest) = extremes(lanes);
  checked.writes = lanes.kind == AccessKind::kStore || lanes.kind == AccessKind::kAtomic ||
                   lanes.kind == AccessKind::kStmatrix ||
                   (lanes.kind == AccessKind::kAsyncCopy && lanes.space == MemorySpace::kShared);
  checked.reads = lanes.kind == AccessKind::kAtomic || !checked.writes;
  checked.has_value = note.plain_store;
  return checked;
}

}  // namespace

bool BlockReports::is_new(FindingKind kind, std::uint32_t instruction) {
  static_assert(static_cast<unsigned>(FindingKind::kBarrierPlaces) < 16);
  const auto bit = static_cast<std::uint16_t>(1u << static_cast<unsigned>(kind));
  if ((reported_[instruction] & bit) != 0) return false;
  reported_[instruction] = static_cast<std::uint16_t>(reported_[instruction] | bit);
  return true;
}

bool BlockReports::was_reported(FindingKind kind, std::uint32_t instruction) const {
  const unsigned reported = reported_[instruction];
  return (reported >> static_cast<unsigned>(kind) & 1u) != 0;
}

Finding BlockReports::finding_of(FindingKind kind, std::uint32_t instruction, std::uint32_t thread,
                                 std::string message, const AccessStamp* other) const {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.instruction = instruction;
  finding.block = context_.block;
  finding.thread = unflatten(thread, context_.block_extent);
  if (other != nullptr) {
    finding.other = Finding::Other{other->instruction, context_.block,
                                   unflatten(other->thread, context_.block_extent)};
  }
  return finding;
}

void BlockReports::add(FindingKind kind, std::uint32_t instruction, std::uint32_t thread,
                       std::string message, const AccessStamp* other) const {
  add(finding_of(kind, instruction, thread, std::move(message), other));
}

void BlockReports::add(Finding finding) const {
  context_.findings->add(context_.point.block, std::move(finding));
}

std::string BlockReports::thread_text(std::uint32_t thread) const {
  const Dim3 index = unflatten(thread, context_.block_extent);
  return fmt::format("thread ({},{},{})", index.x, index.y, index.z);
}

CheckedBlock::CheckedBlock(LaunchCheck& of_launch, ThreadBlock& of_block)
    : launch(of_launch),
      notes(of_launch.notes()),
      block(of_block),
      context(of_block.context()),
      reports(context, notes.of.size()),
      order(static_cast<std::uint32_t>(of_launch.launch().block.count()), of_launch.program()) {}

AccessStamp CheckedBlock::stamp_beside(std::uint32_t instruction, unsigned lane) {
  AccessStamp stamp;
  stamp.thread = thread(lane) & 0x3ffu;
  stamp.instruction = instruction & (AccessStamp::kMostInstructions - 1);
  stamp.tick = order.tick(context.point.warp);
  order.note(context.point.warp, instruction, 1u << lane, stamp.tick);
  return stamp;
}

StepEvents HappensBefore::needs(std::uint32_t instruction) const {
  const InstructionNote& note = block_.notes.of[instruction];
  const WarpUse use = block_.instruction(instruction).warp_use;
  // The lanes of a wmma.store do not wait until all have stored.
  const bool stores_fragment =
      block_.instruction(instruction).operation == Operation::kStoreFragment;
  return {.before = note.fence != InstructionNote::Fence::kNone || use == WarpUse::kTogether ||
                    use == WarpUse::kNamed,
          .after = use == WarpUse::kTogether && !stores_fragment,
          .accesses = note.space != MemorySpace::kNone};
}

void HappensBefore::on_block_begin(std::vector<Warp>& warps) {
  block_.order.start_block();
  products_.assign(warps.size(), {});
}

void HappensBefore::before(const WarpStep& step) {
  AccessOrder& order = block_.order;
  const Warp& warp = step.warp;
  const InstructionNote& note = block_.notes.of[step.op.instruction];
  const StaticInstruction& instruction = block_.instruction(step.op.instruction);
  if (note.fence != InstructionNote::Fence::kNone)
    order.fence(warp.index, step.lanes, note.fence == InstructionNote::Fence::kDevice);
  if (instruction.warp_use == WarpUse::kTogether)
    order.warp_sync(warp.index, step.lanes, warp.alive);
  if (instruction.warp_use == WarpUse::kTogether &&
      instruction.modifiers.has(Modifier::kCommitGroup))
    products_[warp.index].push_back(order.tick(warp.index));
  if (instruction.warp_use != WarpUse::kNamed) return;
  const MemberMasks& masks = block_.masks =
      member_masks(instruction.operation, step.op, step.registers, block_.context);
  for (std::uint32_t left = step.lanes; left != 0;) {
    const std::uint32_t members = masks[static_cast<std::size_t>(std::countr_zero(left))];
    const std::uint32_t group = same_mask(masks, left);
    left &= ~group;
    order.warp_sync(warp.index, group & members, warp.alive);
  }
}

void HappensBefore::after(const WarpStep& step) {
  block_.order.warp_sync(step.warp.index, step.lanes, step.warp.alive);
}

void HappensBefore::inspect(ObservedAccess& access) {
  const WarpPoint& where = access.where;
  if (where.instruction >= AccessStamp::kMostInstructions) {
    access.ignored = true;
    return;
  }
  const std::uint32_t tick = block_.order.tick(where.warp);
  block_.order.note(where.warp, where.instruction, access.access.active, tick);
  block_.access.emplace(
      checked(access.access, where.instruction, block_.notes.of[where.instruction], tick));
}

void HappensBefore::on_arrive(const BarrierArrival& arrival) {
  if (arrival.counted.expected != 0)
    block_.order.arrive(arrival.counted.id, arrival.warp.index, arrival.lanes,
                        block_.order.now(arrival.warp.index));
}

// What the group's warps have done until they committed the products that are complete now.
void HappensBefore::complete_products(std::uint32_t barrier) {
  for (const Warp& warp : block_.block.warps()) {
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != barrier) continue;
      std::vector<std::uint32_t>& committed = products_[warp.index];
      const auto most =
          static_cast<std::size_t>(block_.block.code().blocks[split.at].last.immediate);
      std::uint32_t until = 0;
      if (committed.size() > most) {
        const auto open = committed.end() - static_cast<std::ptrdiff_t>(most);
        until = *(open - 1);
        committed.erase(committed.begin(), open);
      }
      block_.order.arrive(barrier, warp.index, split.mask, until);
    }
  }
}

void HappensBefore::on_cluster_arrive(const Warp& warp, std::uint32_t lanes) {
  block_.order.arrive(Barriers::kCluster, warp.index, lanes, block_.order.now(warp.index));
}

void HappensBefore::on_cluster_pass(const Warp& warp, std::uint32_t lanes) {
  block_.order.pass(Barriers::kClusterOver, warp.index, lanes);
}

void HappensBefore::on_release(std::uint32_t barrier, bool whole) {
  if (barrier >= Barriers::kWarpgroups) complete_products(barrier);
  std::uint32_t passed = barrier;
  if (barrier == Barriers::kCluster) {  // who waits later passes it, too
    passed = Barriers::kClusterOver;
    block_.order.move(barrier, passed);
  }
  std::uint32_t at = kNoBlock;
  bool all_wait = true;  // at a cluster's barrier some may only have arrived
  for (const Warp& warp : block_.block.warps()) {
    std::uint32_t waiting = 0;
    for (const Split& split : warp.splits) {
      if (split.state != Split::State::kAtBarrier || split.barrier != barrier) continue;
      at = split.at;
      waiting |= split.mask;
      if (!whole) block_.order.pass(passed, warp.index, split.mask);
    }
    all_wait = all_wait && (warp.alive & ~waiting) == 0;
  }
  if (whole) block_.order.block_barrier(all_wait ? at : kNoBlock);
  block_.order.clear(barrier);
}

void HappensBefore::on_warp_sync(const Warp& warp, std::uint32_t lanes) {
  block_.order.warp_sync(warp.index, lanes, warp.alive);
}

std::uint64_t stored_value(const MicroOp& op, const std::byte* registers, unsigned lane,
                           unsigned first, unsigned bytes, const ExecutionContext& context) {
  const unsigned elements = op.extra_count;
  const unsigned cell_bytes = (op.flags & kWideRows) != 0 ? 8 : 4;
  std::uint64_t value = 0;
  if (op.bytes == bytes && elements == 1) [[likely]] {
    std::memcpy(&value, registers + op.row[1] + std::size_t{lane} * cell_bytes, bytes);
    return value;
  }
  const unsigned size = op.bytes / elements;
  if (size == bytes && elements <= 4) {
    std::memcpy(&value, registers + op.row[first / size + 1] + std::size_t{lane} * cell_bytes,
                bytes);
    return value;
  }
  for (unsigned done = 0; done < bytes;) {
    const unsigned k = (first + done) / size;
    const unsigned inside = (first + done) % size;
    const unsigned take = std::min(size - inside, bytes - done);
    const std::uint32_t row = elements > 4 ? further_row(op, context, k) : op.row[k + 1];
    std::memcpy(reinterpret_cast<std::byte*>(&value) + done,
                registers + row + std::size_t{lane} * cell_bytes + inside, take);
    done += take;
  }
  return value;
}

}  // namespace tilescope
