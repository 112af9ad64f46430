#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tilescope {

// malloc() and free() of kernels, on the bytes of kDeviceHeap (ptx/syntax.h). All that is known of
// the heap lies in its own bytes: a copy of the memory is a copy of the heap. A kernel can
// overwrite them, so nothing that is read there is trusted.

// The bytes are zero at first. Offsets are from its beginning, at
// multiples of 16; 0: there is not so much left. Thread-safe.
[[nodiscard]] std::uint64_t allocate_in(std::span<std::byte> heap, std::uint64_t bytes);
// False: the offset is of no live allocation; nothing has changed then.
bool release_in(std::span<std::byte> heap, std::uint64_t offset);

struct HeapAllocation {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  // that were asked for, while it is live
  bool live = false;        // not freed
};
// The last allocation that begins at or before the offset; nullopt: there is none. Thread-safe.
[[nodiscard]] std::optional<HeapAllocation> allocation_before(std::span<std::byte> heap,
                                                              std::uint64_t offset);

}  // namespace tilescope
