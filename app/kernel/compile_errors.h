#pragma once
#include <stop_token>
#include <vector>

#include "core/result.h"
#include "kernel/compile.h"

namespace tilescope {

// All that the compiler finds wrong with a text, in its order, where compile() names the first: an
// error a place, kKernel. [] where it compiles or no place is known. Takes as long as compiling.
[[nodiscard]] std::vector<Error> compile_errors(const CompileRequest& request,
                                                std::stop_token stop);

}  // namespace tilescope
