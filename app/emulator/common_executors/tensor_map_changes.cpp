#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulator/common_executors/bulk_transfer.h"
#include "emulator/common_executors/families.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "kernel/launch/tensor_map.h"

// tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, sections of these names).
namespace tilescope {
namespace {

// MicroOp::immediate: the field, a Modifier, then the ordinal of a dimension.
struct MapField {
  Modifier name{};
  unsigned dimension = 0;
};

// False: there is no such field.
bool set_field(TensorMap& map, const MapField& field, std::uint64_t value) {
  const unsigned i = field.dimension;
  const auto narrow = static_cast<std::uint8_t>(value);
  switch (field.name) {
    case Modifier::kGlobalAddress:
      map.address = value;
      return true;
    case Modifier::kRank:  // one less than the rank
      map.last_dimension = narrow;
      return true;
    case Modifier::kBoxDim:
      if (i < map.box.size()) map.box[i] = static_cast<std::uint16_t>(value);
      return i < map.box.size();
    case Modifier::kGlobalDim:
      if (i < map.extent.size()) map.extent[i] = static_cast<std::uint32_t>(value);
      return i < map.extent.size();
    case Modifier::kGlobalStride:
      if (i < map.stride.size()) map.stride[i] = value;
      return i < map.stride.size();
    case Modifier::kElementStride:
      if (i < map.step.size()) map.step[i] = narrow;
      return i < map.step.size();
    case Modifier::kElemtype:
      map.element = static_cast<TensorMap::Element>(narrow);
      return true;
    case Modifier::kInterleaveLayout:
      map.interleave = static_cast<TensorMap::Interleave>(narrow);
      return true;
    case Modifier::kSwizzleMode:
      map.swizzle = static_cast<TensorMap::Swizzle>(narrow);
      return true;
    case Modifier::kSwizzleAtomicity:
      map.atom = static_cast<TensorMap::Atom>(narrow);
      return true;
    case Modifier::kFillMode:
      map.fill = static_cast<TensorMap::Fill>(narrow);
      return true;
    default:
      return false;
  }
}

// Rows: address, new value. flags bit 0: the address has 64 bits, bit 1: the value.
void execute_replace(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext& context) {
  const MapField field{static_cast<Modifier>(op.immediate & 0xff),
                       static_cast<unsigned>((op.immediate >> 8) & 0xff)};
  for (const unsigned lane : lanes_in(mask)) {
    const std::uint64_t address = cell_at(registers, op.row[0], lane, (op.flags & 1u) != 0) +
                                  static_cast<std::uint64_t>(op.immediate >> 16);
    const auto at =
        place_range(op, lane, {address, TensorMap::kBytes, op.space, true, 64}, context);
    if (!at) continue;
    auto map = TensorMap::read(at->data);
    if (!map) {
      report(context, FindingKind::kCpAsync, op, lane,
             "there is no tensor map to change: copy one there first, or set all of its 128 bytes "
             "to zero");
      continue;
    }
    const std::uint64_t value = cell_at(registers, op.row[1], lane, (op.flags & 2u) != 0);
    if (!set_field(*map, field, value)) {
      report(context, FindingKind::kCpAsync, op, lane,
             fmt::format("a tensor map has no dimension {} there: use 0 to 4, for strides 0 to 3",
                         field.dimension));
      continue;
    }
    map->write_fields(at->data);
  }
}

// Rows: destination, source, in global and in shared memory. flags bit i: address i has 64 bits.
void execute_map_copy(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  // All lanes of the warp execute it together, for one copy.
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t to = cell_at(registers, op.row[0], lane, (op.flags & 1u) != 0);
  const std::uint64_t from = cell_at(registers, op.row[1], lane, (op.flags & 2u) != 0);
  const auto target =
      place_range(op, lane, {to, TensorMap::kBytes, MemorySpace::kGlobal, true, 128}, context);
  const auto source =
      place_range(op, lane, {from, TensorMap::kBytes, MemorySpace::kShared, false, 128}, context);
  if (target && source) std::memcpy(target->data, source->data, TensorMap::kBytes);
}

}  // namespace

Executor find_tensor_map(const OperationKey& key) {
  if (key.operation == Operation::kTensorMapReplace) return execute_replace;
  return key.operation == Operation::kTensorMapCopy ? execute_map_copy : nullptr;
}

}  // namespace tilescope
