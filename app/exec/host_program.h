#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Whether the file is a program that the stand-in for CUDA's runtime library can serve. Errors
// (kUsage): no program; one that has the runtime inside (linked statically) and no symbol table,
// with how to link it otherwise.
[[nodiscard]] Status check_program(const std::filesystem::path& program);

// Libraries of CUDA that the program is linked with and that have no stand-in: their calls fail
// without a GPU. "libcusolver.so.12"
[[nodiscard]] std::vector<std::string> libraries_that_need_a_gpu(
    const std::filesystem::path& program);

}  // namespace tilescope
