#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/source/kernel_signature.h"

namespace tilescope {

// One parameter of a kernel's template.
struct TemplateParameter {
  std::string name;
  std::string type = {};  // its last word, as "Mode" of "const Mode mode"; empty: none
  bool is_type = false;   // typename T; else a number or a bool
  bool is_bool = false;
  bool is_whole = false;  // of a whole number's type
  std::string argument;   // what it has where nothing is given, as it is written; empty: none
};

// Of `kernel` as find_kernels() names it; empty: it is no template.
[[nodiscard]] std::vector<TemplateParameter> template_parameters(const std::string& source,
                                                                 std::string_view kernel);

// What the file's own launch says of a template's arguments.
struct LaunchedTemplate {
  std::string arguments;                    // "<float, TILE>", as it is written; empty: none
  std::vector<std::string> call_arguments;  // of the call, as they are written
};
// Arguments under which the kernel can be compiled by itself: those of the launch, or without one
// of the file's first explicit instantiation, as far as they follow from the file's constants;
// types that the call's arguments have; default arguments; else made up (made_up_argument()), and
// numbers the nearest that the kernel's static_asserts take. "<float, 16>"
[[nodiscard]] std::string guessed_template_arguments(const std::string& source,
                                                     const KernelSignature& signature,
                                                     const LaunchedTemplate& launched,
                                                     const ParameterSet& constants);

// Gives the parameters whose type is one of the template's the type that stands for it in
// "<float, 16>", and takes those apart that are structures then: "Matrix<T>" is one of floats.
void set_template_types(const std::string& source, const std::string& arguments,
                        KernelSignature* signature);

}  // namespace tilescope
