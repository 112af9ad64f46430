#include "emulator/checks/bounds_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/quantity.h"
#include "emulator/checks/address_origin.h"
#include "emulator/code.h"
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
};

Extent extent_of(const PlacedVariable& variable, std::uint64_t limit, unsigned access_bytes) {
  Extent extent{variable.name, variable.offset, variable.bytes, 1, "byte"};
  // An extern array has what the launch gives, up to the end.
  if (variable.bytes == 0) extent.bytes = limit - std::min<std::uint64_t>(limit, variable.offset);
  // Arrays are declared as bytes; the access says what they hold.
  if (access_bytes > 1 && extent.bytes % access_bytes == 0) {
    extent.element_bytes = access_bytes;
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

Extent extent_of(const MemoryRegion& region) {
  return {region.name, region.begin, region.bytes, size_of(region.type), name_of(region.type)};
}

// The one array that the address is computed from.
std::optional<Extent> meant_extent(const BadAccess& access, unsigned element,
                                   const ExecutionContext& context) {
  const bool traced = access.space == MemorySpace::kShared || access.space == MemorySpace::kGlobal;
  if (!traced || context.program == nullptr) return std::nullopt;
  const std::uint32_t instruction = access.op.instruction;
  const AddressOrigin origin = origins_of(*context.program, {&instruction, 1}).front();
  std::optional<Extent> found;
  if (access.space == MemorySpace::kShared) {
    if (std::popcount(origin.shared) != 1) return std::nullopt;
    const auto index = static_cast<std::size_t>(std::countr_zero(origin.shared));
    found = extent_of(context.code->shared_variables[index], context.shared_bytes, element);
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
      return {"constant memory", 0, context.constant_bytes, 1, "byte"};
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
    return fmt::format("{} {}, but the launch gives it 0 bytes of dynamic shared memory", verb,
                       extent.name);
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
    return fmt::format("{} {}, before its start; it has {}", verb,
                       element(fmt::format("-{}", before)), size_text(extent));
  }
  const std::uint64_t index = (access.address - extent.begin) / extent.element_bytes;
  if (index < count)
    return fmt::format("{} past the end of {}: {}", verb, extent.name, size_text(extent));
  return fmt::format("{} {}, {} past its end: {}", verb, element(std::to_string(index)),
                     format_count(index - count + 1), size_text(extent));
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

}  // namespace tilescope
