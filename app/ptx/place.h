#pragma once
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Where a line of compiled PTX (from 1) comes from: the file and line of the last .loc before it in
// its function. An empty place where there is none.
[[nodiscard]] Place source_place(std::string_view ptx, int line);

// A name between the quotes of a PTX string: C's escapes (as nvcc writes them) for a quote, a
// backslash and control characters; and such a string's name.
[[nodiscard]] std::string escaped_name(std::string_view name);
[[nodiscard]] std::string unescaped_name(std::string_view text);

}  // namespace tilescope
