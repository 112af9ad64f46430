#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope {

// What ptxas writes into each machine instruction: clocks from its issue until the warp may issue
// its next one, 1 to 15. So fixed latencies are waited for: bits 105 to 108 of the 128 (Jia et al.,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, and Huerta et al.,
// 2025). By instruction of the kernel's section: byte address / 16. Empty: the cubin is no ELF file
// of 64 bits, or has no such kernel.
[[nodiscard]] std::vector<std::uint8_t> stall_counts(std::span<const std::byte> cubin,
                                                     std::string_view kernel);

}  // namespace tilescope
