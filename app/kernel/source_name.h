#pragma once
#include <string>
#include <string_view>

namespace tilescope {

// A file's name as NVRTC is told it: printable ASCII without quotes, backslashes and per cents, all
// else as %XX. NVRTC 13.0 writes other bytes with C's escapes into what it makes and then takes the
// last backslash for a separator of folders, so that they do not come back. One name for each file.
[[nodiscard]] std::string plain_name(std::string_view name);

// A text with each `name` in it written `by`.
[[nodiscard]] std::string renamed(std::string text, std::string_view name, std::string_view by);

// A name between the quotes of a PTX string: C's escapes (as nvcc writes them) for a quote, a
// backslash and control characters; and such a string's name.
[[nodiscard]] std::string escaped_name(std::string_view name);
[[nodiscard]] std::string unescaped_name(std::string_view text);

}  // namespace tilescope
