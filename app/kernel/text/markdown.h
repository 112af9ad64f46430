#pragma once

#include <string>
#include <string_view>

namespace tilescope {

// Whether the text begins with a fence of Markdown, as code does that was copied out of a chat:
// ```cuda on its first line that is not empty.
[[nodiscard]] bool is_fenced(std::string_view text);

// The text with its fences, and what stands outside of them, as empty lines: the others keep their
// numbers.
[[nodiscard]] std::string without_fences(std::string_view text);

}  // namespace tilescope
