#include "emulator/block/lane_access.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "core/quantity.h"
#include "emulator/block/async_copies.h"
#include "emulator/block/finding_log.h"
#include "emulator/block/register_cells.h"
#include "emulator/block/warp.h"
#include "emulator/checks/place_name.h"
#include "emulator/code.h"

namespace tilescope {
namespace {

struct Extent {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 1;
  std::string_view element;
};

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

// The array a bad offset was most likely meant for: the last that begins at or before it.
Extent variable_at(const std::vector<PlacedVariable>& variables, std::uint64_t offset,
                   std::string_view space, std::uint64_t limit, unsigned access_bytes) {
  Extent extent{fmt::format("{} memory", space), 0, limit, 1, "byte"};
  for (const PlacedVariable& variable : variables) {
    if (variable.offset > offset || variable.offset < extent.begin) continue;
    extent.name = variable.name;
    extent.begin = variable.offset;
    // An extern array has what the launch gives, up to the end.
    const std::uint64_t rest = limit - std::min<std::uint64_t>(limit, variable.offset);
    extent.bytes = variable.bytes != 0 ? variable.bytes : rest;
  }
  // Arrays are declared as bytes; the access says what they hold.
  if (access_bytes != 0 && extent.bytes % access_bytes == 0) {
    extent.element_bytes = access_bytes;
    extent.element = access_bytes == 1 ? "byte" : "";
  }
  return extent;
}

std::string describe_bounds(const Extent& extent, std::uint64_t address, bool writes) {
  const std::string_view verb = writes ? "writes" : "reads";
  const std::uint64_t count = extent.bytes / extent.element_bytes;
  if (count == 0) {
    return fmt::format("{} {}, but the launch gives it 0 bytes of dynamic shared memory", verb,
                       extent.name);
  }
  const std::string type = extent.element.empty()
                               ? fmt::format("{}-byte element", extent.element_bytes)
                               : std::string(extent.element);
  const std::string size =
      fmt::format("{} {}{}", format_count(count), type,
                  extent.element.empty() || extent.element == "byte" ? "s" : "");
  // An offset that wrapped is far above all that there is.
  const bool before = static_cast<std::int64_t>(address - extent.begin) < 0;
  if (before) {
    return fmt::format("{} {}[-{}], before its start; it has {}", verb, extent.name,
                       (extent.begin - address + extent.element_bytes - 1) / extent.element_bytes,
                       size);
  }
  const std::uint64_t index = (address - extent.begin) / extent.element_bytes;
  if (index < count) return fmt::format("{} past the end of {}: {}", verb, extent.name, size);
  return fmt::format("{} {}[{}], {} past its end: {}", verb, extent.name, index,
                     format_count(index - count + 1), size);
}

Extent extent_in(MemorySpace space, std::uint64_t address, unsigned bytes,
                 const ExecutionContext& context) {
  const unsigned element = bytes > 4 && bytes != 8 ? 4 : bytes;
  switch (space) {
    case MemorySpace::kShared:
      return variable_at(context.code->shared_variables, address, "shared", context.shared_bytes,
                         element);
    case MemorySpace::kLocal:
      return variable_at(context.code->local_variables, address, "local", context.local_bytes,
                         element);
    case MemorySpace::kConstant:
      return {"constant memory", 0, context.constant_bytes, 1, "byte"};
    case MemorySpace::kParameter:
      return {"the parameters", 0, context.parameter_bytes, 1, "byte"};
    default:
      break;
  }
  const MemoryRegion* region = context.memory->nearest(address);
  if (region == nullptr) return {"global memory", 0, 0, 1, "byte"};
  return {region->name, region->begin, region->bytes, size_of(region->type), name_of(region->type)};
}

std::string out_of_bounds_message(MemorySpace space, std::uint64_t address, bool writes,
                                  unsigned bytes, const ExecutionContext& context) {
  const Extent extent = extent_in(space, address, bytes, context);
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;  // no index into any array that there is
  const bool far = address - extent.begin > kFar && extent.begin - address > kFar;
  if (space == MemorySpace::kGlobal && (far || extent.bytes == 0)) {
    return fmt::format("{} address {:#x}, which is in no buffer", writes ? "writes" : "reads",
                       address);
  }
  return describe_bounds(extent, address, writes);
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

std::optional<LanePlace> bounded(const MicroOp& op, unsigned lane, std::uint64_t address,
                                 MemorySpace space, bool writes, ExecutionContext& context) {
  std::byte* data = nullptr;
  std::uint64_t limit = 0;
  switch (space) {
    case MemorySpace::kShared:
      data = context.shared;
      limit = context.shared_bytes;
      break;
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
             out_of_bounds_message(space, address, writes, op.bytes, context));
    }
    return std::nullopt;
  }
  if (!check_alignment(op, lane, address, offset, space, writes, context)) return std::nullopt;
  return LanePlace{data + offset, address, space};
}

}  // namespace

void check_matrix(const MicroOp& op, unsigned lane, std::uint64_t address, std::uint64_t pitch_bits,
                  unsigned element_bits, ExecutionContext& context) {
  const bool begins_well = address % 16 == 0;
  if (begins_well && pitch_bits % 128 == 0) return;
  if (!context.findings->wants(FindingKind::kMisaligned, op.instruction, context.point.block))
    return;
  const MemorySpace space = resolve_space(op.space, &address);
  report(context, FindingKind::kMisaligned, op, lane,
         begins_well
             ? fmt::format("the rows of the matrix lie {} elements apart, {} bytes, no multiple of "
                           "16: make the leading dimension a multiple of {}",
                           pitch_bits / element_bits, pitch_bits / 8, 128 / element_bits)
             : fmt::format("the matrix begins at {}, whose address is no multiple of 16 ({:#x}): "
                           "let tiles begin at multiples of 32 bytes",
                           name_place(context, space, address, element_bits / 8), address));
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
  for (const MemorySpace shown :
       {MemorySpace::kGlobal, MemorySpace::kShared, MemorySpace::kLocal}) {
    const std::uint32_t lanes = by_space[static_cast<std::size_t>(shown)];
    if (lanes == 0) continue;
    context.access.active = lanes;
    context.access.bytes_per_lane = op.bytes;
    context.access.space = shown;
    context.access.kind = kind;
    context.point.instruction = op.instruction;
    context.sink->on_access(context.point, context.access);
  }
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
