#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "emulator/code.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/lane_access.h"
#include "emulator/executors/lanes.h"

// Calls of the device's run-time library. Arguments and results are .param variables of the caller
// in the lane's local memory: row[0] is the lane's frame where flags say so; the further rows hold
// where each variable lies in it, arguments first.
namespace tilescope {

// The bytes of the i-th variable and what follows it; none: it lies outside the lane's memory.
inline std::span<std::byte> library_variable(const MicroOp& op, std::byte* registers, unsigned lane,
                                             unsigned i, const ExecutionContext& context) {
  const std::uint64_t frame =
      op.flags != 0 ? portable::row_at<std::uint64_t>(registers, op.row[0])[lane] : 0;
  const std::uint64_t offset =
      frame + portable::row_at<std::uint32_t>(registers, further_row(op, context, i))[lane];
  if (offset >= context.local_bytes) return {};
  return {context.local + lane * context.local_bytes + offset, context.local_bytes - offset};
}

// Its value; bytes outside are zero.
template <class T>
T library_argument(const MicroOp& op, std::byte* registers, unsigned lane, unsigned i,
                   const ExecutionContext& context) {
  const std::span<const std::byte> bytes = library_variable(op, registers, lane, i, context);
  T value{};
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

template <class T>
void set_library_result(const MicroOp& op, std::byte* registers, unsigned lane, unsigned i,
                        const ExecutionContext& context, T value) {
  const std::span<std::byte> bytes = library_variable(op, registers, lane, i, context);
  if (!bytes.empty()) std::memcpy(bytes.data(), &value, std::min(sizeof value, bytes.size()));
}

// The memory behind a generic address and all that follows; none: there is none.
inline std::span<std::byte> memory_behind(std::uint64_t address, unsigned lane,
                                          const ExecutionContext& context) {
  const MemorySpace space = resolve_space(MemorySpace::kGeneric, &address);
  const auto part = [&](std::byte* data, std::uint64_t size) {
    return address < size ? std::span<std::byte>(data + address, size - address)
                          : std::span<std::byte>();
  };
  switch (space) {
    case MemorySpace::kLocal:
      return part(context.local + lane * context.local_bytes, context.local_bytes);
    case MemorySpace::kShared:
      return part(context.shared, context.shared_bytes);
    case MemorySpace::kConstant:
      return part(context.constants, context.constant_bytes);
    case MemorySpace::kParameter:
      return part(context.parameters, context.parameter_bytes);
    default:
      break;
  }
  const MemoryRegion* region = context.memory->find(address);
  if (region == nullptr) return {};
  return {region->data + (address - region->begin), region->bytes - (address - region->begin)};
}

}  // namespace tilescope
