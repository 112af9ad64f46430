#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/dim3.h"
#include "kernel/source/structure_layout.h"

namespace tilescope {

struct LaunchArgument {
  LaunchArgument(std::uint64_t all_bits) : bits(all_bits) {}  // NOLINT: {address, 5}
  LaunchArgument(std::uint64_t all_bits, std::uint32_t size,
                 const std::optional<StructureMember>& place)
      : bits(all_bits), bytes(size), member(place) {}

  std::uint64_t bits = 0;   // little-endian in the low bytes; pointers: device addresses
  std::uint32_t bytes = 8;  // as many, or as the parameter has, if that has fewer
  std::optional<StructureMember> member;  // none: a parameter by itself
  // What a parameter of that size gets in place of the bits, by value (a tensor map, which is
  // encoded of them), and one of 8 bytes by this address of it; empty: the bits count.
  std::vector<std::byte> object{};
  std::uint64_t object_address = 0;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchArgument> arguments;  // in order; see ParameterIndex
  // Constant memory, in place of what the module says; empty: as it says.
  std::span<const std::byte> constants{};
  // Of a cooperative launch: device address of two words, the second 0, at which its blocks meet.
  std::uint64_t grid_workspace = 0;
};

}  // namespace tilescope
