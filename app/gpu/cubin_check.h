#pragma once
#include <cstddef>
#include <span>

namespace tilescope {

// True for a 64-bit little-endian ELF file whose headers and sections lie inside it, as a cubin's
// do. The driver reads a damaged one beyond its end and takes the process with it.
[[nodiscard]] bool is_whole_cubin(std::span<const std::byte> cubin);

// Whether the code has variables of its own in global memory, which outlast a launch.
[[nodiscard]] bool has_variables(std::span<const std::byte> cubin);

}  // namespace tilescope
