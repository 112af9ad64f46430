#include "session/measurements.h"

#include <algorithm>

#include "session/variant_instance.h"
#include "store/measured_run.h"
#include "store/rates.h"

namespace tilescope {
namespace {

double work_of(const MeasuredPoint& point, Problem problem) {
  return problem == Problem::kGemm ? point.flop : point.bytes;
}

}  // namespace

PointKey key_of(const KernelInstance& instance, bool cold) {
  return {instance.id,
          text_digest(instance.source),
          instance.parameters,
          instance.extents,
          factors_of(instance),
          cold,
          launch_digest(instance)};
}

PointKey key_of(const ChartVariant& variant, bool cold) {
  const bool edited = !variant.edited.empty();
  return {edited ? edited_id(variant.entry->id) : variant.entry->id,
          edited ? variant.edited : text_digest(variant.entry->source),
          variant.parameters,
          variant.extents,
          variant.factors,
          cold};
}

Conditions conditions_of(const MeasuredPoint& point) {
  return {point.gpu, point.driver, point.of.cold, point.of.factors};
}

std::vector<const MeasuredPoint*> all_of(std::span<const MeasuredPoint> points,
                                         const PointKey& key) {
  std::vector<const MeasuredPoint*> found;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (!(point->of == key) || point->times.median_seconds <= 0) continue;
    const bool is_there = std::ranges::any_of(found, [&](const MeasuredPoint* newer) {
      return conditions_of(*newer) == conditions_of(*point);
    });
    if (!is_there) found.push_back(&*point);
  }
  return found;
}

const MeasuredPoint* newest_of(std::span<const MeasuredPoint> points, const PointKey& key) {
  const auto found = std::find_if(points.rbegin(), points.rend(), [&](const MeasuredPoint& point) {
    return point.of == key && point.times.median_seconds > 0;
  });
  return found == points.rend() ? nullptr : &*found;
}

ChartPoint chart_point(const MeasuredPoint& point, Problem problem, Source source) {
  return chart_point(
      {problem,
       {point.flop, point.bytes},
       point.times.median_seconds,
       point.times.p5_seconds,
       point.times.p95_seconds,
       point.reference ? point.reference->median_seconds : 0},
      source,
      {conditions_of(point), point.toolkit, point.date, short_reference(point.reference_name)});
}

double rate_of(const MeasuredPoint& point, Problem problem) {
  return work_of(point, problem) / point.times.median_seconds;
}

double reference_rate_of(const MeasuredPoint& point, Problem problem) {
  return point.reference ? work_of(point, problem) / point.reference->median_seconds : 0;
}

}  // namespace tilescope
