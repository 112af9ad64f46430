#include "emulator/block/lane_access.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulator/block/async_copies.h"
#include "emulator/block/cluster.h"
#include "emulator/block/finding_log.h"
#include "emulator/block/register_cells.h"
#include "emulator/block/warp.h"
#include "emulator/checks/bounds_text.h"
#include "emulator/checks/place_name.h"
#include "emulator/checks/written_bytes.h"
#include "emulator/code.h"

namespace tilescope {
namespace {

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

// Whether an instruction that names this space can mean another block's shared memory. Machine code
// does so by generic addresses, and where mbarriers are concerned, which no access is counted for.
bool reaches_cluster(const MicroOp& op, MemorySpace named, const ExecutionContext& context) {
  if (named == MemorySpace::kGeneric) return true;
  if (context.code->converges_at_barriers)
    return op.access == AccessKind::kNone && op.space == MemorySpace::kShared;
  return op.access != AccessKind::kAsyncCopy && op.access != AccessKind::kLdmatrix &&
         op.access != AccessKind::kStmatrix;
}

std::string of_block(const ExecutionContext& owner) {
  return fmt::format(" (in the shared memory of block ({},{},{}))", owner.block.x, owner.block.y,
                     owner.block.z);
}

bool check_alignment(const MicroOp& op, unsigned lane, std::uint64_t address, std::uint64_t offset,
                     MemorySpace space, bool writes, ExecutionContext& context) {
  if ((offset & (op.bytes - 1u)) == 0) return true;
  if (context.findings->wants(FindingKind::kMisaligned, op.instruction, context.point.block)) {
    const bool named = space == MemorySpace::kShared || space == MemorySpace::kGlobal;
    report(context, FindingKind::kMisaligned, op, lane,
           fmt::format("{} {} bytes at {} is no multiple of {} ({:#x})",
                       writes ? "writes" : "reads", op.bytes,
                       named ? name_place(context, space, address, op.bytes) + ", whose address"
                             : "an address that",
                       op.bytes, address));
  }
  return false;
}

void report_unreachable(const MicroOp& op, unsigned lane, const SharedPlace& place, bool writes,
                        ExecutionContext& context) {
  const std::string_view verb = writes ? "writes" : "reads";
  if (place.owner == nullptr) {
    report(context, FindingKind::kOutOfBounds, op, lane,
           fmt::format("{} the shared memory of block {} of its cluster, which has {}: ranks go "
                       "from 0 to {}, and only ld, st, atom and red reach other blocks",
                       verb, place.rank, context.cluster->members.size(),
                       context.cluster->members.size() - 1));
    return;
  }
  const Dim3& block = place.owner->block;
  report(context, FindingKind::kOutOfBounds, op, lane,
         fmt::format("{} the shared memory of block ({},{},{}), which has left the kernel: let the "
                     "cluster meet (cluster.sync()) before its blocks end",
                     verb, block.x, block.y, block.z));
}

// Of the block itself or of another one of its cluster.
std::optional<LanePlace> bounded_shared(const MicroOp& op, unsigned lane, std::uint64_t address,
                                        MemorySpace named, bool writes, ExecutionContext& context) {
  const SharedPlace place =
      context.cluster == nullptr
          ? SharedPlace{&context, address, 0, false}
          : find_shared(address, reaches_cluster(op, named, context), context);
  if (place.owner == nullptr || place.ended) {
    report_unreachable(op, lane, place, writes, context);
    return std::nullopt;
  }
  ExecutionContext& owner = *place.owner;
  const std::uint64_t limit = owner.shared_bytes;
  if (limit < op.bytes || place.offset > limit - op.bytes) {
    if (context.findings->wants(FindingKind::kOutOfBounds, op.instruction, context.point.block)) {
      std::string text = bounds_text({op, MemorySpace::kShared, place.offset, writes}, context);
      if (&owner != &context) text += of_block(owner);
      report(context, FindingKind::kOutOfBounds, op, lane, std::move(text));
    }
    return std::nullopt;
  }
  if (!check_alignment(op, lane, place.offset, place.offset, MemorySpace::kShared, writes, context))
    return std::nullopt;
  if (&owner == &context)
    return LanePlace{owner.shared + place.offset, place.offset, MemorySpace::kShared, &owner};
  if (writes && owner.shared_written != nullptr)
    owner.shared_written->write(place.offset, op.bytes);
  owner.peer_access = Finding::Other{op.instruction, context.block, thread_of(context, lane)};
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
    }
  }
  const bool read_only = writes && (space == MemorySpace::kConstant);
  if (data == nullptr || limit < op.bytes || offset > limit - op.bytes || read_only) {
    if (context.findings->wants(FindingKind::kOutOfBounds, op.instruction, context.point.block)) {
      report(context, FindingKind::kOutOfBounds, op, lane,
             bounds_text({op, space, address, writes}, context));
    }
    return std::nullopt;
  }
  if (!check_alignment(op, lane, address, offset, space, writes, context)) return std::nullopt;
  return LanePlace{data + offset, address, space};
}

}  // namespace

void check_matrix(const MicroOp& op, unsigned lane, const MatrixPlace& matrix,
                  ExecutionContext& context) {
  const unsigned bytes = matrix.alignment;
  const bool begins_well = matrix.address % bytes == 0;
  if (begins_well && matrix.pitch_bits % (bytes * 8) == 0) return;
  if (!context.findings->wants(FindingKind::kMisaligned, op.instruction, context.point.block))
    return;
  std::uint64_t address = matrix.address;
  const MemorySpace space = resolve_space(op.space, &address);
  report(context, FindingKind::kMisaligned, op, lane,
         begins_well
             ? fmt::format("the rows of the matrix lie {} elements apart, {} bytes, no multiple of "
                           "{}: make the leading dimension a multiple of {}",
                           matrix.pitch_bits / matrix.element_bits, matrix.pitch_bits / 8, bytes,
                           bytes * 8 / matrix.element_bits)
             : fmt::format("the matrix begins at {}, whose address is no multiple of {} ({:#x}): "
                           "let tiles begin at multiples of 32 bytes",
                           name_place(context, space, address, matrix.element_bits / 8), bytes,
                           address));
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
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
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
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
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
