#pragma once

#include <string>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/source/template_arguments.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {

// What a parameter of a kernel's template is where nothing says it: float, or where the kernel
// calls its objects a class of the file's whose objects can be called so; the first value of an
// enumeration; else a number that is usual under such a name. `is_plane`: the kernel's blocks have
// two axes.
[[nodiscard]] std::string made_up_argument(const std::vector<CudaToken>& tokens,
                                           const Declaration& kernel,
                                           const TemplateParameter& parameter, bool is_plane);

// Changes the numbers named in `made_up` until the kernel's static_asserts hold and its tiles are
// filled, as far as that can be.
void fit_to_asserts(const std::vector<CudaToken>& tokens, const Declaration& kernel,
                    const ParameterSet& constants, const std::vector<std::string>& made_up,
                    ParameterSet* numbers);

}  // namespace tilescope
