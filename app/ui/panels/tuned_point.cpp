#include "ui/panels/tuned_point.h"

#include "ui/charts/rate_chart.h"

namespace tilescope {

float parameter_width(const ParameterSpec& spec) {
  return 20 + 7.5F * static_cast<float>(spec.name.size());
}

bool stands_at(const Variant& variant, const ChartKey& point) {
  return variant.entry != nullptr && !variant.is_edited() && variant.entry->id == point.kernel &&
         variant.parameters == point.parameters && variant.extents == point.extents &&
         variant.factors == point.factors;
}

void go_to_tried(Desk& desk, const ChartKey& point) {
  go_to(desk, point);
  if (desk.bench.active().is_edited()) desk.bench.revert_source();  // what ships was tried
}

}  // namespace tilescope
