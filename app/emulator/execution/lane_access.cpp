#include "emulator/execution/lane_access.h"

#include <bit>
#include <cstring>

#include "emulator/code.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"
#include "emulator/region_history.h"

namespace tilescope {
namespace {

// Whether an instruction that names this space can mean another block's shared memory. Machine code
// does so by generic addresses, and where mbarriers are concerned, which no access is counted for.
bool reaches_cluster(const MicroOp& op, MemorySpace named, const ExecutionContext& context) {
  if (named == MemorySpace::kGeneric) return true;
  if (context.code->converges_at_barriers)
    return op.access == AccessKind::kNone && op.space == MemorySpace::kShared;
  return op.access != AccessKind::kAsyncCopy && op.access != AccessKind::kLdmatrix &&
         op.access != AccessKind::kStmatrix;
}

bool is_aligned(const MicroOp& op, std::uint64_t offset) { return (offset & (op.bytes - 1u)) == 0; }

// Of the block itself or of another one of its cluster.
std::optional<LanePlace> bounded_shared(const MicroOp& op, unsigned lane, std::uint64_t address,
                                        MemorySpace named, bool writes, ExecutionContext& context) {
  const SharedPlace place =
      context.cluster == nullptr
          ? SharedPlace{&context, address, 0, false}
          : find_shared(address, reaches_cluster(op, named, context), context);
  const auto refuse = [&](AccessFault::Kind kind) {
    const AccessFault fault{kind,         op,     lane,        MemorySpace::kShared,
                            place.offset, writes, place.owner, place.rank};
    context.observers->tell(&BlockObserver::on_fault, fault);
    return std::nullopt;
  };
  if (place.owner == nullptr) return refuse(AccessFault::Kind::kNoSuchBlock);
  if (place.ended) return refuse(AccessFault::Kind::kBlockHasLeft);
  ExecutionContext& owner = *place.owner;
  const std::uint64_t limit = owner.shared_bytes;
  if (limit < op.bytes || place.offset > limit - op.bytes)
    return refuse(AccessFault::Kind::kOutOfBounds);
  if (!is_aligned(op, place.offset)) return refuse(AccessFault::Kind::kMisaligned);
  if (&owner == &context)
    return LanePlace{owner.shared + place.offset, place.offset, MemorySpace::kShared, &owner};
  owner.peer_access = Finding::Other{op.instruction, context.block, thread_of(context, lane)};
  if (writes) {
    owner.observers->tell(&BlockObserver::on_peer_store, *owner.peer_access, place.offset,
                          unsigned{op.bytes});
  }
  return LanePlace{owner.shared + place.offset,
                   (std::uint64_t{place.rank} << Cluster::kRankShift) + place.offset,
                   MemorySpace::kClusterShared, &owner};
}

std::optional<LanePlace> bounded(const MicroOp& op, unsigned lane, std::uint64_t address,
                                 MemorySpace space, bool writes, ExecutionContext& context) {
  std::byte* data = nullptr;
  std::uint64_t limit = 0;
  switch (space) {
    case MemorySpace::kLocal:
      data = context.local + lane * context.local_bytes;
      limit = context.local_bytes;
      break;
    case MemorySpace::kConstant:
      data = context.constants;
      limit = context.constant_bytes;
      break;
    case MemorySpace::kParameter:
      data = context.parameters;
      limit = context.parameter_bytes;
      break;
    default:
      break;
  }
  std::uint64_t offset = address;
  if (data == nullptr && space == MemorySpace::kGlobal) {
    if (const MemoryRegion* region = context.memory->find(address)) {
      data = region->data;
      limit = region->bytes;
      offset = address - region->begin;
      if (RegionHistory* history = region->history; history != nullptr) {
        history->note_use(!writes || op.access == AccessKind::kAtomic, writes);
        // Bulk stores and their like, of which no observer is told byte by byte.
        if (writes && op.access == AccessKind::kNone) history->write_all();
      }
    }
  }
  const bool read_only = writes && (space == MemorySpace::kConstant);
  const auto refuse = [&](AccessFault::Kind kind) {
    const AccessFault fault{kind, op, lane, space, address, writes};
    context.observers->tell(&BlockObserver::on_fault, fault);
    return std::nullopt;
  };
  if (data == nullptr || limit < op.bytes || offset > limit - op.bytes || read_only)
    return refuse(AccessFault::Kind::kOutOfBounds);
  if (!is_aligned(op, offset)) return refuse(AccessFault::Kind::kMisaligned);
  return LanePlace{data + offset, address, space};
}

}  // namespace

MemorySpace resolve_space(MemorySpace space, std::uint64_t* address) {
  if (space != MemorySpace::kGeneric) return space;
  const std::uint64_t window = *address & ~(kWindowBytes - 1);
  MemorySpace found = MemorySpace::kGlobal;
  if (window == kSharedWindow) found = MemorySpace::kShared;
  if (window == kLocalWindow) found = MemorySpace::kLocal;
  if (window == kConstantWindow) found = MemorySpace::kConstant;
  if (window == kParameterWindow) found = MemorySpace::kParameter;
  if (found != MemorySpace::kGlobal) *address -= window;
  return found;
}

Dim3 thread_of(const ExecutionContext& context, unsigned lane) {
  return unflatten(std::uint64_t{context.point.warp} * kWarpSize + lane, context.block_extent);
}

void report(ExecutionContext& context, FindingKind kind, const MicroOp& op, unsigned lane,
            std::string message) {
  if (!context.findings->wants(kind, op.instruction, context.point.block)) return;
  context.findings->add(context.point.block, {kind, std::move(message), op.instruction,
                                              context.block, thread_of(context, lane)});
}

std::optional<LanePlace> place_lane(const MicroOp& op, unsigned lane, std::uint64_t address,
                                    MemorySpace space, bool writes, ExecutionContext& context) {
  const MemorySpace resolved = resolve_space(space, &address);
  if (resolved == MemorySpace::kShared)
    return bounded_shared(op, lane, address, space, writes, context);
  return bounded(op, lane, address, resolved, writes, context);
}

void tell_repeats(Repeats& repeats, ExecutionContext& context) {
  WarpPoint where = context.point;
  where.instruction = repeats.instruction;
  for (std::size_t word = 0; word < repeats.came.size(); ++word) {
    for (; repeats.came[word] != 0; repeats.came[word] &= repeats.came[word] - 1) {
      const std::size_t base =
          64 * word + static_cast<std::size_t>(std::countr_zero(repeats.came[word]));
      context.sink->on_repeat(where, base, repeats.times[base]);
      repeats.times[base] = 0;
    }
  }
}

PlacedLanes place_lanes(const MicroOp& op, std::uint32_t mask, MemorySpace space, AccessKind kind,
                        const LaneArray& addresses, ExecutionContext& context) {
  PlacedLanes placed;
  std::array<std::uint32_t, 8> by_space{};
  const bool writes =
      kind == AccessKind::kStore || kind == AccessKind::kAtomic || kind == AccessKind::kStmatrix;
  for (const unsigned lane : lanes_in(mask)) {
    const auto place = place_lane(op, lane, addresses[lane], space, writes, context);
    if (!place) continue;
    placed.mask |= 1u << lane;
    placed.data[lane] = place->data;
    context.access.address[lane] = place->shown_address;
    by_space[static_cast<std::size_t>(place->space)] |= 1u << lane;
  }
  const bool plain = op.access == AccessKind::kLoad || op.access == AccessKind::kStore;
  if (context.sink == nullptr || (plain && (op.flags & kUnshown) != 0)) return placed;
  context.last_access[op.site].active = 0;
  if (!context.repeats.empty()) tell_repeats(context.repeats[op.site], context);
  bool continued = false;
  for (const MemorySpace shown : {MemorySpace::kGlobal, MemorySpace::kShared, MemorySpace::kLocal,
                                  MemorySpace::kClusterShared}) {
    const std::uint32_t lanes = by_space[static_cast<std::size_t>(shown)];
    if (lanes == 0) continue;
    context.access.active = lanes;
    context.access.continued = continued;
    context.access.bytes_per_lane = op.bytes;
    context.access.space = shown;
    context.access.kind = kind;
    context.point.instruction = op.instruction;
    context.sink->on_access(context.point, context.access);
    continued = true;
  }
  context.access.continued = false;
  return placed;
}

std::uint32_t further_row(const MicroOp& op, const ExecutionContext& context, unsigned index) {
  return context.code->rows[op.extra + index];
}

std::uint64_t operand_at(const MicroOp& op, const std::byte* registers, unsigned lane,
                         unsigned index, const ExecutionContext& context) {
  const bool wide = ((op.flags >> index) & 1u) != 0;
  const std::uint64_t value =
      cell_at(registers, further_row(op, context, 2 * index), lane, wide) +
      cell_at(registers, further_row(op, context, 2 * index + 1), lane, true);
  return wide ? value : value & 0xffffffffu;
}

// MicroOp::flags of a ld or st: how the decoder describes its elements.
void access_slowly(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context, const LaneArray& addresses) {
  const bool store = op.access == AccessKind::kStore;
  const PlacedLanes placed = place_lanes(op, mask, op.space, op.access, addresses, context);
  const unsigned elements = op.extra_count;
  const unsigned bytes = op.bytes / elements;
  const bool wide = (op.flags & kWideRows) != 0;
  const bool extend = (op.flags & kSignExtends) != 0;
  for (unsigned k = 0; k < elements; ++k) {
    const std::uint32_t row = elements > 4 ? further_row(op, context, k) : op.row[k + 1];
    for (const unsigned lane : lanes_in(mask)) {
      const bool good = ((placed.mask >> lane) & 1u) != 0;
      std::byte* cell = registers + row + lane * cell_bytes(wide);
      if (store) {
        if (good) std::memcpy(placed.data[lane] + std::size_t{k} * bytes, cell, bytes);
        continue;
      }
      std::uint64_t value = 0;
      if (good) std::memcpy(&value, placed.data[lane] + std::size_t{k} * bytes, bytes);
      if (extend && bytes < 8) {
        const unsigned shift = 64 - 8 * bytes;
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
      }
      std::memcpy(cell, &value, cell_bytes(wide));
    }
  }
}

}  // namespace tilescope
