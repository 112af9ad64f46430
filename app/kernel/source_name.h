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

// NVRTC writes relative file names with the folder it ran in before them; a cached result may come
// from another one. `.file 1 "/anywhere/gemm/01_naive.cu"` gets its own name back.
[[nodiscard]] std::string with_given_name(std::string ptx, const std::string& name);

}  // namespace tilescope
