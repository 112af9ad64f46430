#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string joined(const std::vector<std::string>& words,
                                 std::string_view last = " and ");

}  // namespace tilescope
