#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/cuda_abi.h"
#include "runtime/protocol.h"

namespace tilescope::runtime {

// Allocations and copies, as the calls of several sources make them. `caller` is an address in the
// program.

// What cudaArray_t points to: texels row by row in device memory.
struct Array {
  void* memory = nullptr;
  ChannelFormat format{};
  Extent3 extent;  // as asked for: texels, 0 where there is no such dimension
  unsigned flags = 0;
  std::size_t pitch = 0;  // bytes from row to row

  static constexpr unsigned kLayered = 1;
  static constexpr unsigned kCube = 4;
  [[nodiscard]] std::size_t texel_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  [[nodiscard]] std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  [[nodiscard]] std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
};

Error allocate(void** pointer, std::size_t bytes, MemoryKind kind, std::uint64_t caller);
Error release(void* pointer, bool on_host);

// When a copy is made: before the call returns, or in the order of a stream.
struct Asynchrony {
  bool is_async = false;
  const void* stream = nullptr;
};
// Between memory and arrays; the extent counts texels where an array takes part, else bytes.
Error copy_box(const Copy3& box, std::uint64_t caller, Asynchrony how = {});

}  // namespace tilescope::runtime
