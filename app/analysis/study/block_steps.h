#pragma once
#include <string>

namespace tilescope {

// The next block to try, as a form has it: "256", "16,16". Both return false, and leave the block
// as it is, where there is none or the text is no number.

// Half as many threads along the longer side; at least 32, or 8 along each of two sides.
[[nodiscard]] bool halve_block(std::string* block);
// Twice as many threads along each side; at most 1,024 in all.
[[nodiscard]] bool double_block(std::string* block);

}  // namespace tilescope
