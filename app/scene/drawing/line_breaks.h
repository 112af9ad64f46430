#pragma once
#include <cstddef>
#include <string_view>

namespace tilescope {

// Where the piece of `words` ends that begins at `from` and stays on one line: at a space, or at
// the end. A number keeps its unit or its noun, and a product its factors.
[[nodiscard]] std::size_t unbroken_end(std::string_view words, std::size_t from);

}  // namespace tilescope
