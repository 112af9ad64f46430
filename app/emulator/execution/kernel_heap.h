#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

// malloc() and free() of kernels, on the bytes of kDeviceHeap (ptx/syntax.h). All that is known of
// the heap lies in its own bytes: a copy of the memory is a copy of the heap.

// The bytes are zero at first. Offsets are from its beginning, at
// multiples of 16; 0: there is not so much left. Thread-safe.
[[nodiscard]] std::uint64_t allocate_in(std::span<std::byte> heap, std::uint64_t bytes);
// False: the offset is of no live allocation; nothing has changed then.
bool release_in(std::span<std::byte> heap, std::uint64_t offset);

}  // namespace tilescope
