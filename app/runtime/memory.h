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
Error release(void* pointer, Freeing how = Freeing::kDevice);

// When a copy is made: before the call returns, or in the order of a stream.
struct Asynchrony {
  bool is_async = false;
  const void* stream = nullptr;
};
Error copy_bytes(void* to, const void* from, std::size_t bytes, int kind, std::uint64_t caller,
                 Asynchrony how = {});
struct Rows {
  std::size_t to_pitch = 0, from_pitch = 0, width = 0, height = 0;  // bytes, bytes, bytes, rows
};
Error copy_rows(void* to, const void* from, const Rows& rows, int kind, std::uint64_t caller,
                Asynchrony how = {});
// `count` elements of 1, 2 or 4 bytes.
Error set_elements(void* to, unsigned value, std::size_t element_bytes, std::size_t count,
                   std::uint64_t caller, const void* stream = nullptr);
// The pages that hold the range become pages of the device's memory at the same addresses, with
// what they hold, so that kernels see them.
Error share_pages(Range range);
[[nodiscard]] std::size_t pitch_of(std::size_t width);  // bytes from row to row
// What is known of an address: of which allocation it is.
[[nodiscard]] PointerReply ask_pointer(std::uint64_t address);

// Between memory and arrays; the extent counts texels where an array takes part, else bytes.
Error copy_box(const Copy3& box, std::uint64_t caller, Asynchrony how = {});

}  // namespace tilescope::runtime
