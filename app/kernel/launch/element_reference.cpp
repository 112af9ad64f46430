#include "kernel/launch/element_reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {

Result<ElementReference> ElementReference::make(const KernelInstance& instance) {
  Result<Expression> expression = Expression::parse(instance.reference);
  if (!expression) return std::move(expression).error();
  ElementReference reference(*std::move(expression));
  const std::vector<std::string>& names = reference.expression_.variables();
  const auto input = std::ranges::find(instance.arguments, Role::kIn, &Argument::role);
  reference.values_.resize(names.size() + 1);
  reference.in_ = reference.row_ = reference.col_ = names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto parameter = instance.parameters.find(names[i]);
    const auto extent = instance.extents.find(names[i]);
    if (input != instance.arguments.end() && names[i] == input->operand) {
      reference.in_ = i;
    } else if (names[i] == "row") {
      reference.row_ = i;
    } else if (names[i] == "col") {
      reference.col_ = i;
    } else if (parameter != instance.parameters.end()) {
      reference.values_[i] = parameter->second;
    } else if (extent != instance.extents.end()) {
      reference.values_[i] = extent->second;
    } else {
      return Error{ErrorCode::kUsage, fmt::format("the reference names {}", names[i]), "", {}};
    }
  }
  return reference;
}

std::int64_t ElementReference::value(std::int64_t in, std::int64_t row, std::int64_t col) {
  values_[in_] = in;
  values_[row_] = row;
  values_[col_] = col;
  return expression_.value(std::span(values_).first(expression_.variables().size())).value_or(0);
}

}  // namespace tilescope
