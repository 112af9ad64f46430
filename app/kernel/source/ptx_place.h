#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Where a line of compiled PTX (from 1) comes from: the file and line of the last .loc before it in
// its function. An empty place where there is none.
[[nodiscard]] Place source_place(std::string_view ptx, int line);

// NVRTC writes relative file names with the folder it ran in before them; a cached result may come
// from another one. `.file 1 "/anywhere/gemm/01_naive.cu"` gets its own name back.
[[nodiscard]] std::string with_given_name(std::string ptx, const std::string& name);

}  // namespace tilescope
