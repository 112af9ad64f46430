#pragma once
#include <map>
#include <string>
#include <string_view>

#include "core/result.h"
#include "kernel/instance.h"

namespace tilescope {

// A float scalar argument by name; `otherwise` where the kernel has none.
[[nodiscard]] float scalar_argument(const KernelInstance& instance, const std::string& name,
                                    float otherwise);

// The factors of a product, C = alpha A B + beta C, by name: those that are not 1 and 0, as f32.
// They are no parameters: the code is the same. But they change its work, so what is measured with
// others is kept apart.
using GemmFactors = std::map<std::string, double>;

// Empty for what is no GEMM of the catalogue.
[[nodiscard]] GemmFactors factors_of(const KernelInstance& instance);

// Launches a GEMM of the catalogue with these. kUsage: it is none, or a factor is no finite f32.
[[nodiscard]] Status set_factors(const GemmFactors& factors, KernelInstance* instance);

// "alpha 2  beta -0.5"
[[nodiscard]] std::string factors_text(const GemmFactors& factors,
                                       std::string_view separator = "  ");

}  // namespace tilescope
