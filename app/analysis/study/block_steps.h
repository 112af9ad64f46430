#pragma once
#include <string>

namespace tilescope {

// The next smaller or larger block to try, as a form has it: "256", "16,16". False: there is none,
// or it is no number.
// Half as many threads along the longer side; 32, of two sides 8 each, at least.
[[nodiscard]] bool halve_block(std::string* block);
// Twice as many threads along each side, 1,024 in all at most.
[[nodiscard]] bool double_block(std::string* block);

}  // namespace tilescope
