#include "kernel/gemm_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace tilescope {
namespace {

Argument* find_scalar(KernelInstance& instance, const std::string& name) {
  const auto found = std::ranges::find_if(instance.arguments, [&](const Argument& argument) {
    return !argument.is_pointer && argument.name == name && argument.type == ElementType::kF32;
  });
  return found == instance.arguments.end() ? nullptr : &*found;
}

}  // namespace

float scalar_argument(const KernelInstance& instance, const std::string& name, float otherwise) {
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer && argument.name == name && argument.type == ElementType::kF32) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(argument.bits));
    }
  }
  return otherwise;
}

GemmFactors factors_of(const KernelInstance& instance) {
  GemmFactors factors;
  if (instance.problem != Problem::kGemm) return factors;
  const auto add = [&](const char* name, float usual) {
    const float value = scalar_argument(instance, name, usual);
    // The shortest decimal of the float, so that 0.1 is kept as 0.1.
    if (value != usual) factors[name] = std::strtod(fmt::format("{}", value).c_str(), nullptr);
  };
  add("alpha", 1.0F);
  add("beta", 0.0F);
  return factors;
}

Status set_factors(const GemmFactors& factors, KernelInstance* instance) {
  for (const auto& [name, value] : factors) {
    Argument* argument =
        instance->problem == Problem::kGemm ? find_scalar(*instance, name) : nullptr;
    if (argument == nullptr) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{} has no factor {}", instance->id, name),
                   "The kernels of gemm take --alpha and --beta",
                   {}};
    }
    const auto single = static_cast<float>(value);
    if (!std::isfinite(single)) {
      return Error{ErrorCode::kUsage, fmt::format("{} {} is no finite f32", name, value), "", {}};
    }
    argument->bits = std::bit_cast<std::uint32_t>(single);
  }
  return ok_status();
}

std::string factors_text(const GemmFactors& factors, std::string_view separator) {
  std::string text;
  for (const auto& [name, value] : factors) {
    text += fmt::format("{}{} {}", text.empty() ? "" : separator, name, value);
  }
  return text;
}

}  // namespace tilescope
