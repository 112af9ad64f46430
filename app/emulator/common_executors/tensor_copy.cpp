#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/common_executors/bulk_reduction.h"
#include "emulator/common_executors/bulk_transfer.h"
#include "emulator/common_executors/families.h"
#include "emulator/common_executors/tensor_access.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/register_cells.h"
#include "emulator/execution/warp.h"
#include "emulator/tensor_runs.h"

// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor (PTX ISA, "Data Movement and Conversion
// Instructions: Tensor copy").
namespace tilescope {
namespace {

constexpr std::uint8_t kBoxAlignment = 128;  // bytes, in shared memory
constexpr std::uint8_t kMapAlignment = 64;

// One lane's tensor copy.
struct TensorCopy {
  TensorMap map;
  TensorPlace place;
  TensorBox box;
  std::vector<TensorRun> runs;
  LanePlace shared;  // all of the box
};

std::uint64_t tensor_address(const MicroOp& op, const std::byte* registers, unsigned lane,
                             unsigned index, const ExecutionContext& context) {
  const bool is_wide = ((op.flags >> index) & 1u) != 0;
  const std::uint64_t address =
      cell_at(registers, further_row(op, context, index), lane, is_wide) +
      cell_at(registers, further_row(op, context, TensorRows::kDisplacements + index), lane, true);
  return is_wide ? address : address & 0xffffffffu;
}

std::optional<TensorMap> map_for(const MicroOp& op, const std::byte* registers, unsigned lane,
                                 const TensorAccess& access, ExecutionContext& context) {
  const std::uint64_t address = tensor_address(op, registers, lane, TensorRows::kMap, context);
  const auto at = place_range(
      op, lane, {address, TensorMap::kBytes, MemorySpace::kGeneric, false, kMapAlignment}, context);
  if (!at) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    report(context, FindingKind::kCpAsync, op, lane, why);
    return std::nullopt;
  };
  if (at->owner != nullptr)
    return refuse(
        "the tensor map lies in shared memory: copy it to global memory first "
        "(tensormap.cp_fenceproxy), or pass it as a __grid_constant__ parameter");
  const auto map = TensorMap::read(at->data);
  if (!map) {
    return refuse(fmt::format(
        "there is no tensor map at address {:#x}: make it with cuTensorMapEncodeTiled, and pass "
        "its own address (a __grid_constant__ parameter)",
        address));
  }
  if (std::string mistake = mistake_in(*map); !mistake.empty())
    return refuse("the tensor map has " + mistake);
  if (map->rank() != access.rank) {
    return refuse(
        fmt::format("the copy has {} coordinates and its tensor map {} dimensions: use "
                    "the instruction of the map's rank",
                    access.rank, map->rank()));
  }
  if ((map->mode == TensorMap::Mode::kIm2col) != access.is_im2col) {
    return refuse(access.is_im2col
                      ? "the copy is in im2col mode and its tensor map is tiled: encode the map "
                        "with cuTensorMapEncodeIm2col"
                      : "the copy is in tile mode and its tensor map is im2col: encode the map "
                        "with cuTensorMapEncodeTiled");
  }
  return map;
}

// Map, place, runs and shared memory of a lane's copy; nullopt after reporting what is wrong.
std::optional<TensorCopy> tensor_copy_of(const MicroOp& op, const std::byte* registers,
                                         unsigned lane, bool loads, ExecutionContext& context) {
  const auto access = std::bit_cast<TensorAccess>(op.immediate);
  const auto map = map_for(op, registers, lane, access, context);
  if (!map) return std::nullopt;
  TensorCopy copy;
  copy.map = *map;
  for (unsigned i = 0; i < access.rank; ++i)
    copy.place.at[i] = static_cast<std::int32_t>(
        word_at(registers, further_row(op, context, TensorRows::kCoordinates + i), lane));
  for (unsigned i = 0; i < copy.place.offset.size(); ++i)
    copy.place.offset[i] = static_cast<std::uint16_t>(
        word_at(registers, further_row(op, context, TensorRows::kOffsets + i), lane));
  copy.box = box_of(copy.map);
  const std::uint64_t address = tensor_address(op, registers, lane, TensorRows::kBox, context);
  const auto shared = place_range(
      op, lane, {address, copy.box.shared_bytes(), MemorySpace::kShared, loads, kBoxAlignment},
      context);
  if (!shared) return std::nullopt;
  copy.shared = *shared;
  if (std::string mistake = mistake_in(copy.map, copy.place, loads); !mistake.empty()) {
    report(context, FindingKind::kCpAsync, op, lane, mistake);
    return std::nullopt;
  }
  copy.runs = runs_of(copy.map, copy.place, loads);
  return copy;
}

// Where a byte of the box lies, from the start of its shared memory.
std::uint64_t swizzled_offset(const TensorCopy& copy, std::uint64_t in_box) {
  const std::uint64_t start = copy.shared.offset();
  return swizzled(copy.map, start + in_box) - start;
}

// The box with its parts in the order of shared memory, or back.
std::vector<std::byte> reordered(const TensorCopy& copy, const std::byte* box, bool to_shared) {
  const std::size_t bytes = copy.box.shared_bytes();
  const unsigned unit = swizzled_unit(copy.map);
  if (unit == 0) return {box, box + bytes};
  std::vector<std::byte> other(bytes);
  for (std::size_t at = 0; at < bytes; at += unit) {
    const std::uint64_t swapped = swizzled_offset(copy, at);
    std::memcpy(other.data() + (to_shared ? swapped : at), box + (to_shared ? at : swapped), unit);
  }
  return other;
}

// What of a run stays together when it is swizzled.
void add_pieces(const TensorCopy& copy, const TensorRun& run, std::vector<BulkPiece>& pieces) {
  const unsigned unit = swizzled_unit(copy.map);
  const std::uint64_t start = copy.shared.offset();
  std::uint64_t done = 0;
  while (done < run.bytes) {
    const std::uint64_t at = run.to + done;
    const std::uint64_t bytes =
        unit == 0 ? run.bytes : std::min<std::uint64_t>(unit - at % unit, run.bytes - done);
    pieces.push_back({run.address + done, start + swizzled_offset(copy, at), bytes});
    done += bytes;
  }
}

void execute_tensor_load(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext& context) {
  const auto access = std::bit_cast<TensorAccess>(op.immediate);
  for (const unsigned lane : lanes_in(mask)) {
    const auto copy = tensor_copy_of(op, registers, lane, true, context);
    if (!copy) continue;
    std::vector<std::byte> box = reordered(*copy, copy->shared.data, false);
    fill_box(copy->map, box);
    std::vector<BulkPiece> pieces;
    for (const TensorRun& run : copy->runs) {
      const auto from =
          place_range(op, lane, {run.address, run.bytes, MemorySpace::kGlobal, false, 1}, context);
      if (!from) continue;
      std::memcpy(box.data() + run.to, from->data, run.bytes);
      round_elements(copy->map, box.data() + run.to, run.bytes);
      add_pieces(*copy, run, pieces);
    }
    BulkDelivery delivery{tensor_address(op, registers, lane, TensorRows::kBarrier, context),
                          copy->shared, pieces};
    delivery.counted_bytes = copy->box.bytes();
    if (access.has_mask)
      delivery.blocks = word_at(registers, further_row(op, context, TensorRows::kMask), lane);
    deliver(op, lane, delivery, reordered(*copy, box.data(), true), context);
  }
}

// Shared to global memory: done at once, for the hardware may be so fast. What lies outside the
// tensor is not written.
template <bool Reduces>
void execute_tensor_store(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                          ExecutionContext& context) {
  const auto access = std::bit_cast<TensorAccess>(op.immediate);
  for (const unsigned lane : lanes_in(mask)) {
    const auto copy = tensor_copy_of(op, registers, lane, false, context);
    if (!copy) continue;
    BulkReduction reduce = nullptr;
    if (Reduces) {
      reduce = find_bulk_reduction(copy->map.element_type(), access.reduction);
      if (reduce == nullptr) {
        report(context, FindingKind::kUnsupported, op, lane,
               fmt::format("there is no such reduction of elements of type {}: change the type of "
                           "the tensor map",
                           name_of(copy->map.element_type())));
        continue;
      }
    }
    std::vector<BulkPiece> pieces;
    for (const TensorRun& run : copy->runs) add_pieces(*copy, run, pieces);
    store_in_bulk(op, lane,
                  {copy->shared.offset(), copy->box.shared_bytes(), pieces, reduce != nullptr},
                  context);
    const std::vector<std::byte> box = reordered(*copy, copy->shared.data, false);
    const unsigned element = copy->map.element_bytes();
    for (const TensorRun& run : copy->runs) {
      const auto to =
          place_range(op, lane, {run.address, run.bytes, MemorySpace::kGlobal, true, 1}, context);
      if (!to) continue;
      if (reduce == nullptr) {
        std::memcpy(to->data, box.data() + run.to, run.bytes);
        continue;
      }
      for (std::uint32_t at = 0; at < run.bytes; at += element)
        reduce(to->data + at, box.data() + run.to + at);
    }
    context.warp->acted = true;
  }
}

}  // namespace

Executor find_tensor_copy(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kTensorLoad:
      return execute_tensor_load;
    case Operation::kTensorStore:
      return execute_tensor_store<false>;
    case Operation::kTensorReduction:
      return execute_tensor_store<true>;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
