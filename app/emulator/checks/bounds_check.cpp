#include "emulator/checks/bounds_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "core/quantity.h"
#include "emulator/checks/address_origin.h"
#include "emulator/code.h"
#include "emulator/decode/variable_layout.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/finding_log.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"
#include "emulator/memory_map.h"

namespace tilescope {
namespace {

struct Extent {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 1;
  std::string_view element;  // "f32", "byte"; empty: not known
  bool known = false;        // not only the nearest to the address
  bool dynamic = false;      // the launch says how large it is
};

Extent extent_of(const PlacedVariable& variable, std::uint64_t limit, unsigned access_bytes) {
  Extent extent{variable.name, variable.offset, variable.bytes, 1, "byte"};
  // An extern array has what the launch gives, up to the end.
  extent.dynamic = variable.bytes == 0;
  if (extent.dynamic) extent.bytes = limit - std::min<std::uint64_t>(limit, variable.offset);
  // Arrays are declared as bytes; the source says what they hold, or else the access.
  const std::uint64_t element =
      variable.element_bytes != 0 ? variable.element_bytes : std::uint64_t{access_bytes};
  if (element > 1 && extent.bytes % element == 0) {
    extent.element_bytes = element;
    extent.element = "";
  }
  return extent;
}

// The array a bad offset was most likely meant for: the last that begins at or before it.
Extent variable_at(const std::vector<PlacedVariable>& variables, std::uint64_t offset,
                   std::string_view space, std::uint64_t limit, unsigned access_bytes) {
  const PlacedVariable* found = nullptr;
  for (const PlacedVariable& variable : variables) {
    if (variable.offset > offset || (found != nullptr && variable.offset < found->offset)) continue;
    found = &variable;
  }
  if (found != nullptr) return extent_of(*found, limit, access_bytes);
  return {fmt::format("{} memory", space), 0, limit, 1, "byte"};
}

// Constant variables carry the names of symbols.
Extent constant_at(std::uint64_t offset, unsigned access_bytes, const ExecutionContext& context) {
  Extent extent = variable_at(context.code->constant_variables, offset, "constant",
                              context.constant_bytes, access_bytes);
  extent.name = readable_name(extent.name);
  return extent;
}

Extent extent_of(const MemoryRegion& region) {
  return {region.name, region.begin, region.bytes, size_of(region.type), name_of(region.type)};
}

// The one array that the address is computed from.
std::optional<Extent> meant_extent(const BadAccess& access, unsigned element,
                                   const ExecutionContext& context) {
  const bool traced = access.space == MemorySpace::kShared ||
                      access.space == MemorySpace::kGlobal ||
                      access.space == MemorySpace::kConstant;
  if (!traced || context.program == nullptr) return std::nullopt;
  const std::uint32_t instruction = access.op.instruction;
  const AddressOrigin origin = origins_of(*context.program, {&instruction, 1}).front();
  std::optional<Extent> found;
  if (access.space == MemorySpace::kShared) {
    if (std::popcount(origin.shared) != 1) return std::nullopt;
    const auto index = static_cast<std::size_t>(std::countr_zero(origin.shared));
    found = extent_of(context.code->shared_variables[index], context.shared_bytes, element);
  } else if (access.space == MemorySpace::kConstant) {
    if (std::popcount(origin.constant) != 1) return std::nullopt;
    const auto index = static_cast<std::size_t>(std::countr_zero(origin.constant));
    found = extent_of(context.code->constant_variables[index], context.constant_bytes, element);
    found->name = readable_name(found->name);
  } else {
    const MemoryRegion* meant = nullptr;
    for (const std::uint32_t offset : origin.parameters) {
      std::uint64_t pointer = 0;
      if (offset + sizeof pointer > context.parameter_bytes) continue;
      std::memcpy(&pointer, context.parameters + offset, sizeof pointer);
      const MemoryRegion* region = context.memory->find(pointer);
      if (region == nullptr || region == meant) continue;
      if (meant != nullptr) return std::nullopt;
      meant = region;
    }
    if (meant == nullptr) return std::nullopt;
    found = extent_of(*meant);
  }
  found->known = true;
  return found;
}

Extent nearest_extent(const BadAccess& access, unsigned element, const ExecutionContext& context) {
  switch (access.space) {
    case MemorySpace::kShared:
      return variable_at(context.code->shared_variables, access.address, "shared",
                         context.shared_bytes, element);
    case MemorySpace::kLocal:
      return variable_at(context.code->local_variables, access.address, "local",
                         context.local_bytes, element);
    case MemorySpace::kConstant:
      return constant_at(access.address, element, context);
    case MemorySpace::kParameter:
      return {"the parameters", 0, context.parameter_bytes, 1, "byte"};
    default:
      break;
  }
  const MemoryRegion* region = context.memory->nearest(access.address);
  return region == nullptr ? Extent{"global memory", 0, 0, 1, "byte"} : extent_of(*region);
}

std::string size_text(const Extent& extent) {
  const std::uint64_t count = extent.bytes / extent.element_bytes;
  const std::string_view plural = count == 1 ? "" : "s";
  if (extent.element == "byte") return fmt::format("{} byte{}", format_count(count), plural);
  if (!extent.element.empty()) return fmt::format("{} {}", format_count(count), extent.element);
  return fmt::format("{} element{} of {} bytes", format_count(count), plural, extent.element_bytes);
}

std::string describe(const Extent& extent, const BadAccess& access) {
  const std::string_view verb = access.writes ? "writes" : "reads";
  const std::uint64_t count = extent.bytes / extent.element_bytes;
  if (count == 0) {
    return fmt::format(
        "{} {}, but the launch gives it 0 bytes of dynamic shared memory: give it what the array "
        "needs",
        verb, extent.name);
  }
  // A function's own array has no name in the compiled code.
  const bool named = access.space != MemorySpace::kLocal;
  const auto element = [&](const std::string& index) {
    return named ? fmt::format("{}[{}]", extent.name, index)
                 : fmt::format("element {} of {}", index, extent.name);
  };
  // An offset that wrapped is far above all that there is.
  if (static_cast<std::int64_t>(access.address - extent.begin) < 0) {
    const std::uint64_t before =
        (extent.begin - access.address + extent.element_bytes - 1) / extent.element_bytes;
    constexpr std::uint64_t kLowest = std::uint64_t{1} << 31;  // of 32 bits with a sign
    const bool wrapped =
        access.space == MemorySpace::kGlobal && before <= kLowest && before >= kLowest / 8;
    return fmt::format("{} {}, before its start; it has {}{}", verb,
                       element(fmt::format("-{}", before)), size_text(extent),
                       wrapped ? ": a sum or product of 32 bits may have overflowed, so compute "
                                 "the index in 64 bits (size_t)"
                               : "");
  }
  const std::uint64_t index = (access.address - extent.begin) / extent.element_bytes;
  if (index < count)
    return fmt::format("{} past the end of {}: {}", verb, extent.name, size_text(extent));
  return fmt::format("{} {}, {} past its end: {}{}", verb, element(std::to_string(index)),
                     format_count(index - count + 1), size_text(extent),
                     extent.dynamic ? "; let the launch give more dynamic shared memory, or check "
                                      "the index"
                                    : "");
}

}  // namespace

std::string bounds_text(const BadAccess& access, const ExecutionContext& context) {
  const unsigned bytes = access.op.bytes;
  const unsigned element = bytes > 4 && bytes != 8 ? 4 : bytes;
  const std::optional<Extent> meant = meant_extent(access, element, context);
  const Extent extent = meant ? *meant : nearest_extent(access, element, context);
  // Nobody knows what a distant address was meant for.
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  const bool far = access.address - extent.begin > kFar && extent.begin - access.address > kFar;
  if (access.space == MemorySpace::kGlobal && ((far && !extent.known) || extent.bytes == 0)) {
    return fmt::format("{} address {:#x}, which is in no buffer",
                       access.writes ? "writes" : "reads", access.address);
  }
  return describe(extent, access);
}

void AccessFaultCheck::on_fault(const AccessFault& fault) {
  const FindingKind kind = fault.kind == AccessFault::Kind::kMisaligned ? FindingKind::kMisaligned
                           : fault.kind == AccessFault::Kind::kBlockHasLeft
                               ? FindingKind::kBarrier
                               : FindingKind::kOutOfBounds;
  if (!context_.findings->wants(kind, fault.op.instruction, context_.point.block)) return;
  Finding finding{kind, text_of(fault), fault.op.instruction, context_.block,
                  thread_of(context_, fault.lane)};
  if (fault.space == MemorySpace::kGlobal) finding.address = fault.address;
  context_.findings->add(context_.point.block, std::move(finding));
}

std::string AccessFaultCheck::text_of(const AccessFault& fault) const {
  const std::string_view verb = fault.writes ? "writes" : "reads";
  switch (fault.kind) {
    case AccessFault::Kind::kOutOfBounds: {
      std::string text =
          bounds_text({fault.op, fault.space, fault.address, fault.writes}, context_);
      if (fault.owner == nullptr || fault.owner == &context_) return text;
      const Dim3& block = fault.owner->block;
      return text +
             fmt::format(" (in the shared memory of block ({},{},{}))", block.x, block.y, block.z);
    }
    case AccessFault::Kind::kMisaligned: {
      const bool named = fault.space == MemorySpace::kShared || fault.space == MemorySpace::kGlobal;
      const std::string place =
          named
              ? name_place(context_, fault.space, fault.address, fault.op.bytes) + ", whose address"
              : "an address that";
      const bool is_copy = fault.op.access == AccessKind::kNone;
      return fmt::format(
          "{} {} bytes at {} is no multiple of {} ({:#x}): let it begin at such a "
          "multiple{}",
          verb, fault.op.bytes, place, fault.op.bytes, fault.address,
          is_copy ? "" : ", each row too, or access fewer bytes at once");
    }
    case AccessFault::Kind::kNoSuchBlock: {
      const std::size_t blocks = context_.cluster->members.size();
      return fmt::format(
          "{} the shared memory of block {} of its cluster, which has {}: ranks go from 0 to {}, "
          "and only ld, st, atom and red reach other blocks",
          verb, fault.rank, blocks, blocks - 1);
    }
    case AccessFault::Kind::kBlockHasLeft:
      break;
  }
  const Dim3& block = fault.owner->block;
  return fmt::format(
      "{} the shared memory of block ({},{},{}), which has left the kernel: synchronise the "
      "cluster (cluster.sync()) before its blocks end",
      verb, block.x, block.y, block.z);
}

void AccessFaultCheck::on_matrix(const MicroOp& op, unsigned lane, const MatrixPlace& matrix) {
  const unsigned bytes = matrix.alignment;
  const bool begins_well = matrix.address % bytes == 0;
  if (begins_well && matrix.pitch_bits % (bytes * 8) == 0) return;
  if (!context_.findings->wants(FindingKind::kMisaligned, op.instruction, context_.point.block))
    return;
  std::uint64_t address = matrix.address;
  const MemorySpace space = resolve_space(op.space, &address);
  report(context_, FindingKind::kMisaligned, op, lane,
         begins_well
             ? fmt::format("the rows of the matrix are {} elements apart, {} bytes, no multiple of "
                           "{}: make the leading dimension a multiple of {}",
                           matrix.pitch_bits / matrix.element_bits, matrix.pitch_bits / 8, bytes,
                           bytes * 8 / matrix.element_bits)
             : fmt::format("the matrix begins at {}, whose address is no multiple of {} ({:#x}): "
                           "let tiles begin at multiples of 32 bytes",
                           name_place(context_, space, address, matrix.element_bits / 8), bytes,
                           address));
}

StepEvents ArrayBoundsCheck::needs(std::uint32_t instruction) const {
  const InstructionNote& note = block_.notes.of[instruction];
  const bool shared = note.may_access(MemorySpace::kShared) && note.arrays != 0;
  return {.accesses = shared || is_in_local_array(instruction)};
}

// May it access an array in local memory, which parameters of functions are not?
bool ArrayBoundsCheck::is_in_local_array(std::uint32_t instruction) const {
  return block_.notes.local_is_arrays &&
         block_.notes.of[instruction].may_access(MemorySpace::kLocal) &&
         !block_.instruction(instruction).has(Modifier::kParam);
}

void ArrayBoundsCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  const MemorySpace space = access.access.space;
  const bool shared = space == MemorySpace::kShared && checked.note.arrays != 0;
  const bool local = space == MemorySpace::kLocal && is_in_local_array(checked.instruction);
  if (!shared && !local) return;
  if (is_in_array(checked, checked.lowest, checked.end())) [[likely]]
    return;
  // Which of several arrays is meant is not known: an address between them may be right.
  if (shared && std::popcount(checked.note.arrays) != 1) return;
  for_lanes(access.lanes, [&](unsigned lane) {
    const std::uint64_t offset = checked.lanes.address[lane];
    if (is_in_array(checked, offset, offset + checked.lanes.bytes_per_lane)) return;
    report(checked, lane);
    access.lanes &= ~(1u << lane);
  });
}

// The copy engine writes as many bytes as the copy has, or the tensor map's box.
void ArrayBoundsCheck::on_bulk_copy(const WarpPoint& where, unsigned lane,
                                    const BulkTransfers::Copy& copy,
                                    std::span<const BulkPiece> /*pieces*/) {
  const std::uint64_t arrays = block_.notes.of[where.instruction].arrays;
  if (lane >= kWarpSize || std::popcount(arrays) != 1) return;
  const PlacedVariable& array =
      block_.context.code->shared_variables[static_cast<std::size_t>(std::countr_zero(arrays))];
  const std::uint64_t end = array.offset + array.bytes;
  if (array.bytes == 0 || (copy.to >= array.offset && copy.to + copy.data.size() <= end)) return;
  if (!block_.reports.is_new(FindingKind::kOutOfBounds, where.instruction)) return;
  block_.reports.add(
      FindingKind::kOutOfBounds, where.instruction, where.warp * kWarpSize + lane,
      copy.to < array.offset
          ? fmt::format("copies to {} bytes before the start of {}, over what is there in shared "
                        "memory: correct the address",
                        array.offset - copy.to, array.name)
          : fmt::format("copies {} bytes into {} from its byte {} on, which has {}: {} are written "
                        "over what is next to it in shared memory. Make the array as large as the "
                        "copy (the box of a tensor map), or the copy smaller",
                        copy.data.size(), array.name, copy.to - array.offset, array.bytes,
                        copy.to + copy.data.size() - std::max(end, copy.to)));
}

bool ArrayBoundsCheck::is_in_array(const CheckedAccess& access, std::uint64_t begin,
                                   std::uint64_t end) const {
  const Code& code = *block_.context.code;
  if (access.lanes.space == MemorySpace::kLocal) {
    return std::any_of(code.local_variables.begin(), code.local_variables.end(),
                       [&](const PlacedVariable& variable) {
                         return begin >= variable.offset && end <= variable.offset + variable.bytes;
                       });
  }
  for (std::uint64_t left = access.note.arrays; left != 0; left &= left - 1) {
    const PlacedVariable& array =
        code.shared_variables[static_cast<std::size_t>(std::countr_zero(left))];
    const std::uint64_t limit =
        array.bytes != 0 ? array.offset + array.bytes : block_.context.shared_bytes;
    if (begin >= array.offset && end <= limit) return true;
  }
  return false;
}

void ArrayBoundsCheck::report(const CheckedAccess& access, unsigned lane) {
  if (!block_.reports.is_new(FindingKind::kOutOfBounds, access.instruction)) return;
  const std::uint64_t offset = access.lanes.address[lane];
  block_.reports.add(
      FindingKind::kOutOfBounds, access.instruction, block_.thread(lane),
      access.lanes.space == MemorySpace::kShared
          ? shared_text(access, offset)
          : bounds_text({block_.step().op, MemorySpace::kLocal, offset, access.writes},
                        block_.context));
}

std::string ArrayBoundsCheck::shared_text(const CheckedAccess& access, std::uint64_t offset) const {
  const PlacedVariable& named =
      block_.context.code
          ->shared_variables[static_cast<std::size_t>(std::countr_zero(access.note.arrays))];
  const std::uint64_t bytes =
      named.bytes != 0 ? named.bytes : block_.context.shared_bytes - named.offset;
  return neighbour_text({block_.step().op, MemorySpace::kShared, offset, access.writes}, named,
                        bytes);
}

std::string neighbour_text(const BadAccess& access, const PlacedVariable& array,
                           std::uint64_t array_bytes) {
  const std::uint64_t bytes = access.op.bytes;
  const std::uint64_t element = array.element_bytes != 0 ? array.element_bytes
                                : bytes > 4              ? 4
                                                         : bytes;
  const std::string where =
      access.address < array.offset
          ? fmt::format("{} bytes before the start of {}", array.offset - access.address,
                        array.name)
          : name_element(array, access.address, static_cast<unsigned>(element)) +
                ", past the end of it";
  const std::uint64_t count = array_bytes / element;
  return fmt::format(
      "{} {} ({} element{}), and accesses what is next to it in {} memory: check the index "
      "against the array's extent",
      access.writes ? "writes" : "reads", where, format_count(count), count == 1 ? "" : "s",
      access.space == MemorySpace::kShared ? "shared" : "constant");
}

}  // namespace tilescope
