#include "emulator/execution/place_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

std::string grouped(std::uint64_t value) {
  if (value < 1000) return std::to_string(value);
  return fmt::format("{},{:03}", grouped(value / 1000), value % 1000);
}

std::string name_in_shared(const ExecutionContext& context, std::uint64_t offset, unsigned bytes) {
  const PlacedVariable* found = nullptr;
  for (const PlacedVariable& variable : context.code->shared_variables) {
    if (variable.offset > offset) continue;
    if (variable.bytes != 0 && offset - variable.offset >= variable.bytes) continue;
    found = &variable;
  }
  if (found != nullptr) return name_element(*found, offset, bytes);
  return fmt::format("byte {} of shared memory", offset);
}

std::string name_in_global(const ExecutionContext& context, std::uint64_t address) {
  const MemoryRegion* region = context.memory->find(address);
  if (region == nullptr) return fmt::format("address {:#x}", address);
  const std::uint64_t size = size_of(region->type);
  const std::uint64_t offset = address - region->begin;
  const std::uint64_t count = region->bytes / size;
  if (count == 1) return region->name;
  return fmt::format("{}[{}] of {} elements", region->name, offset / size, grouped(count));
}

}  // namespace

std::string name_element(const PlacedVariable& array, std::uint64_t offset, unsigned bytes) {
  const std::uint64_t size = array.element_bytes != 0 ? array.element_bytes
                             : bytes > 4              ? 4
                                                      : std::max(bytes, 1u);
  const std::uint64_t distance = offset - array.offset;
  const std::uint64_t index = distance / size;
  std::string name = array.name;
  const std::uint64_t whole = std::max<std::uint64_t>(size, bytes);
  if (array.extents.empty() && array.bytes != 0 && array.bytes <= whole && distance == 0)
    return name;
  std::uint64_t inner = 1;
  for (std::size_t i = 1; i < array.extents.size(); ++i) inner *= array.extents[i];
  if (array.extents.empty()) {
    name += fmt::format("[{}]", index);
  } else {
    std::uint64_t rest = index;
    for (std::size_t i = 0; i < array.extents.size(); ++i) {
      name += fmt::format("[{}]", rest / inner);
      rest %= inner;
      if (i + 1 < array.extents.size()) inner /= array.extents[i + 1];
    }
  }
  if (distance % size != 0) name += fmt::format(" (byte {} of it)", distance % size);
  return name;
}

std::string name_place(const ExecutionContext& context, MemorySpace space, std::uint64_t address,
                       unsigned bytes) {
  switch (space) {
    case MemorySpace::kShared:
      return name_in_shared(context, address, bytes);
    case MemorySpace::kLocal:
      return fmt::format("byte {} of its local memory", address);
    default:
      return name_in_global(context, address);
  }
}

}  // namespace tilescope
