#pragma once
#include <string>
#include <string_view>

namespace tilescope {

// The text for a terminal: control characters but for line ends and tabs, which would move its
// cursor or end the text, as "\x1b".
[[nodiscard]] std::string without_controls(std::string_view text);

}  // namespace tilescope
