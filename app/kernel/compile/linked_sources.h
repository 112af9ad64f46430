#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// Of nvcc -rdc=true, where a kernel calls device functions that another source has: the names of
// those that PTX declares and that have no body there, each once. What CUDA itself has (vprintf,
// malloc, cudaLaunchDevice) is none.
[[nodiscard]] std::vector<std::string> functions_without_body(std::string_view ptx);

// Whether a compiler's message is that such a function is missed.
[[nodiscard]] bool misses_a_function(const std::string& message);

// Sources of the project of `paths.front()` that have these functions, each once, as definer_near()
// finds them; none of `paths`.
[[nodiscard]] std::vector<std::string> sources_that_define(
    const std::vector<std::string>& paths, const std::vector<std::string>& functions);

}  // namespace tilescope
