#include "kernel/launch/gemm_factors.h"

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

// The shortest decimal of the float, so that 0.1 is kept as 0.1.
double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

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
  if (!instance.multiplies()) return factors;
  for (const char* name : {"alpha", "beta"}) {
    const auto usual = static_cast<float>(usual_factor(name));
    const float value = scalar_argument(instance, name, usual);
    if (value != usual) factors[name] = shortest(value);
  }
  return factors;
}

double usual_factor(std::string_view name) { return name == "alpha" ? 1 : 0; }

std::vector<std::string> factor_names(const CatalogueEntry& entry) {
  std::vector<std::string> names;
  if (!entry.problem->multiplies()) return names;
  for (const ArgumentTemplate& argument : entry.arguments) {
    const bool factor = argument.name == "alpha" || argument.name == "beta";
    if (factor && !argument.is_pointer && argument.type == ElementType::kF32) {
      names.push_back(argument.name);
    }
  }
  return names;
}

double factor_of(const GemmFactors& factors, const std::string& name) {
  const auto found = factors.find(name);
  return found == factors.end() ? usual_factor(name) : found->second;
}

GemmFactors with_factor(GemmFactors factors, const std::string& name, double value) {
  const double single = shortest(static_cast<float>(value));
  if (single == usual_factor(name)) {
    factors.erase(name);
  } else {
    factors[name] = single;
  }
  return factors;
}

Result<KernelInstance> instantiate(const CatalogueEntry& entry, const ParameterSet& parameters,
                                   const ParameterSet& extents, const GemmFactors& factors,
                                   const DeviceModel& device) {
  auto instance = instantiate(entry, parameters, extents, device);
  if (!instance) return instance;
  if (Status set = set_factors(factors, &*instance); !set) return set.error();
  return instance;
}

Status set_factors(const GemmFactors& factors, KernelInstance* instance) {
  for (const auto& [name, value] : factors) {
    Argument* argument = instance->multiplies() ? find_scalar(*instance, name) : nullptr;
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

std::string with_factors_text(std::string words, const GemmFactors& factors) {
  if (factors.empty()) return words;
  return words + (words.empty() ? "" : ", ") + factors_text(factors, ", ");
}

}  // namespace tilescope
