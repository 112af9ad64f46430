#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace tilescope {

// 16 hexadecimal digits over the machine code of one kernel in a cubin (its section .text.KERNEL):
// the same code from another compilation has the same digits, whatever else the cubin holds. Empty
// when there is no such section.
[[nodiscard]] std::string hash_of_text(std::span<const std::byte> cubin, const std::string& kernel);

}  // namespace tilescope
