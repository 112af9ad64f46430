#include "analysis/static_shared.h"

#include "analysis/shared_declarations.h"

namespace tilescope {
namespace {

// None where an extent names what has no value.
std::optional<std::int64_t> elements(const std::vector<Expression>& extents,
                                     const ParameterSet& values) {
  std::int64_t product = 1;
  for (const Expression& extent : extents) {
    const auto value = extent.evaluate(values);
    if (!value || *value < 0) return std::nullopt;
    product *= *value;
  }
  return product;
}

}  // namespace

StaticShared::StaticShared(const KernelStudy& study)
    : defines_(source_defines(study.instance.source)) {
  ParameterSet values = study.instance.parameters;
  values.insert(defines_.begin(), defines_.end());
  for (const SharedVariable& variable : shared_variables(*study.program)) {
    if (variable.bytes == 0) continue;  // the launch's
    auto extents = source_extents(study, variable);
    const auto count = extents ? elements(*extents, values) : std::nullopt;
    const auto size = static_cast<std::int64_t>(variable.bytes);
    if (!count || *count == 0 || size % *count != 0) {
      present_.reset();
      return;
    }
    *present_ += size;
    arrays_.push_back({*std::move(extents), size / *count});
  }
}

std::optional<std::int64_t> StaticShared::bytes(const ParameterSet& parameters) const {
  ParameterSet values = parameters;
  values.insert(defines_.begin(), defines_.end());
  std::int64_t sum = 0;
  for (const Array& array : arrays_) {
    const auto count = elements(array.extents, values);
    if (!count) return std::nullopt;
    sum += *count * array.element_bytes;
  }
  return sum;
}

std::optional<std::int64_t> StaticShared::change(const ParameterSet& parameters) const {
  if (!present_) return std::nullopt;
  const auto there = bytes(parameters);
  if (!there) return std::nullopt;
  return *there - *present_;
}

}  // namespace tilescope
