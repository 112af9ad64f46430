#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

// What nvcc's message asks for, and `words` do not have: options for kernels that launch kernels,
// what older versions of CUDA had, the C++ standard and headers of its library, of the project of
// `file` the folder of a header, the sources that define what is missed and the macros that its
// build sets, headers that stand for those of CUDA's samples, libraries whose headers are included,
// and libraries of CUDA's that nobody named. These are the stand-ins, which have the names that the
// libraries themselves have where there is a GPU. Empty: nothing is known that helps.
[[nodiscard]] std::vector<std::string> options_asked_for(const std::string& message,
                                                         const std::filesystem::path& file,
                                                         const std::filesystem::path& nvcc,
                                                         const std::vector<std::string>& words);

}  // namespace tilescope
