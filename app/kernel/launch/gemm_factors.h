#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"

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

// The name's usual value: alpha 1, else 0.
[[nodiscard]] double usual_factor(std::string_view name);
// The factors that a kernel of the catalogue takes, in its order; empty: it is no GEMM.
[[nodiscard]] std::vector<std::string> factor_names(const CatalogueEntry& entry);
// One of `factors`, or its usual value.
[[nodiscard]] double factor_of(const GemmFactors& factors, const std::string& name);
// `factors` with this one as the nearest f32, left out where that is its usual value. Precondition:
// value is finite as f32.
[[nodiscard]] GemmFactors with_factor(GemmFactors factors, const std::string& name, double value);

// instance.h's instantiate(), launched with these factors.
[[nodiscard]] Result<KernelInstance> instantiate(const CatalogueEntry& entry,
                                                 const ParameterSet& parameters,
                                                 const ParameterSet& extents,
                                                 const GemmFactors& factors,
                                                 const DeviceModel& device);

// Launches a GEMM of the catalogue with these. kUsage: it is none, or a factor is no finite f32.
[[nodiscard]] Status set_factors(const GemmFactors& factors, KernelInstance* instance);

// "alpha 2  beta -0.5"
[[nodiscard]] std::string factors_text(const GemmFactors& factors,
                                       std::string_view separator = "  ");
// "TILE 32, beta 0.5" of "TILE 32".
[[nodiscard]] std::string with_factors_text(std::string words, const GemmFactors& factors);

}  // namespace tilescope
