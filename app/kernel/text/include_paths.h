#pragma once

#include <string>
#include <string_view>

namespace tilescope {

// The text with / in the paths of its #include lines, where Windows also takes \: of the same
// length, lines and columns keep their places.
[[nodiscard]] std::string with_forward_slashes(std::string_view text);

}  // namespace tilescope
