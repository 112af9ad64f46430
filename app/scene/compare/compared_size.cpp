#include <fmt/format.h>

#include <bit>

#include "kernel/parameter_values.h"
#include "scene/compare/compared.h"

namespace tilescope {
namespace {

std::string dim_words(const char* name, const Dim3& dim) {
  return fmt::format("{} {} x {} x {}", name, dim.x, dim.y, dim.z);
}

// nullopt: no whole number.
std::optional<std::int64_t> whole_number(const Argument& argument) {
  if (argument.is_pointer) return std::nullopt;
  switch (argument.type) {
    case ElementType::kI32:
      return std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(argument.bits));
    case ElementType::kU32:
      return static_cast<std::int64_t>(static_cast<std::uint32_t>(argument.bits));
    case ElementType::kI64:
    case ElementType::kU64:
      return std::bit_cast<std::int64_t>(argument.bits);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string size_words(const ComparedVariant& variant) {
  if (variant.study == nullptr) return {};
  const KernelInstance& instance = variant.study->instance;
  if (!instance.extents.empty()) return values_words(variant.entry, instance.extents);
  std::string words = dim_words("grid", instance.grid) + ", " + dim_words("block", instance.block);
  for (const Argument& argument : instance.arguments) {
    if (const auto number = whole_number(argument)) {
      words += fmt::format(", {} {}", argument.name, *number);
    }
  }
  return words;
}

bool sizes_differ(const ComparedSet& set) {
  const KernelInstance* first = nullptr;
  for (const ComparedVariant& variant : set.variants) {
    if (variant.study == nullptr) continue;
    const KernelInstance& instance = variant.study->instance;
    if (instance.extents.empty()) return true;
    if (first != nullptr && first->extents != instance.extents) return true;
    first = &instance;
  }
  return false;
}

std::string full_label_of(const ComparedSet& set, std::size_t variant) {
  const std::string label = label_of(set, variant);
  const std::string size = sizes_differ(set) ? size_words(set.variants[variant]) : std::string();
  return size.empty() || label.find(size) != std::string::npos ? label : label + ", " + size;
}

}  // namespace tilescope
