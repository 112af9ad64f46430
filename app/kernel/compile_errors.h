#pragma once
#include <stop_token>
#include <vector>

#include "core/result.h"
#include "kernel/compile.h"

namespace tilescope {

// All that NVRTC finds wrong with a text, in its order, where compile() names the first: an error a
// place, kKernel. [] where it compiles or no place is known. Takes as long as compiling, or no time
// where compile() was asked the same.
[[nodiscard]] std::vector<Error> compile_errors(const CompileRequest& request,
                                                std::stop_token stop);

// The same of a text that compile() has nvcc try after NVRTC, which takes a second or more: what is
// said until that is known. [] where nvcc is not asked, or its answer is kept already.
[[nodiscard]] std::vector<Error> complaints_before_nvcc(const CompileRequest& request,
                                                        std::stop_token stop);

}  // namespace tilescope
