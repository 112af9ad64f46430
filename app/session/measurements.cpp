#include "session/measurements.h"

#include <algorithm>
#include <functional>
#include <utility>

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

std::size_t MeasuredPoints::hash_of(const PointKey& key, Without without) {
  std::size_t hash = std::hash<std::string>()(key.kernel);
  const auto add = [&](std::size_t more) { hash = hash * 31 + more; };
  add(std::hash<std::string>()(key.text));
  add(std::hash<std::string>()(key.launch));
  add(key.cold ? 1 : 0);
  const auto add_set = [&](const ParameterSet& set) {
    for (const auto& [name, value] : set) add(std::hash<std::int64_t>()(value));
  };
  if (without != Without::kParameters) add_set(key.parameters);
  if (without != Without::kExtents) add_set(key.extents);
  return hash;
}

bool MeasuredPoints::same(const PointKey& a, const PointKey& b, Without without) {
  return a.kernel == b.kernel && a.text == b.text && a.factors == b.factors && a.cold == b.cold &&
         a.launch == b.launch &&
         (without == Without::kParameters || a.parameters == b.parameters) &&
         (without == Without::kExtents || a.extents == b.extents);
}

void MeasuredPoints::add(MeasuredPoint point) {
  for (std::size_t i = 0; i < kIndices; ++i) {
    const auto without = static_cast<Without>(i);
    std::vector<std::size_t>& places = places_.at(i)[hash_of(point.of, without)];
    // Of each size the first, of the others the newest.
    if (without != Without::kExtents && point.times.median_seconds <= 0) continue;
    const auto known = std::ranges::find_if(places, [&](std::size_t place) {
      return all_[place].of == point.of ||
             (without == Without::kParameters && same(all_[place].of, point.of, without));
    });
    if (known == places.end()) {
      places.push_back(all_.size());
    } else if (without != Without::kExtents) {
      *known = all_.size();
    }
  }
  all_.push_back(std::move(point));
}

const MeasuredPoint* MeasuredPoints::newest(const PointKey& key, Without without) const {
  const auto& places = places_.at(static_cast<std::size_t>(without));
  const auto found = places.find(hash_of(key, without));
  if (found == places.end()) return nullptr;
  for (const std::size_t place : found->second) {
    if (same(all_[place].of, key, without)) return &all_[place];
  }
  return nullptr;
}

const MeasuredPoint* MeasuredPoints::newest_of(const PointKey& key) const {
  return newest(key, Without::kNothing);
}

const MeasuredPoint* MeasuredPoints::newest_of_kernel(const PointKey& key) const {
  return newest(key, Without::kParameters);
}

std::vector<ParameterSet> MeasuredPoints::sizes_of(const PointKey& key) const {
  std::vector<ParameterSet> sizes;
  const auto& places = places_.at(static_cast<std::size_t>(Without::kExtents));
  const auto found = places.find(hash_of(key, Without::kExtents));
  if (found == places.end()) return sizes;
  for (const std::size_t place : found->second) {
    if (same(all_[place].of, key, Without::kExtents)) sizes.push_back(all_[place].of.extents);
  }
  return sizes;
}

const MeasuredPoint* newest_of(std::span<const MeasuredPoint> points, const PointKey& key) {
  const auto found = std::find_if(points.rbegin(), points.rend(), [&](const MeasuredPoint& point) {
    return point.of == key && point.times.median_seconds > 0;
  });
  return found == points.rend() ? nullptr : &*found;
}

ChartPoint chart_point(const MeasuredPoint& point, Problem problem, Source source) {
  return chart_point({problem,
                      {point.flop, point.bytes},
                      point.times.median_seconds,
                      point.times.p5_seconds,
                      point.times.p95_seconds,
                      point.reference ? point.reference->median_seconds : 0},
                     source,
                     {point.gpu, point.toolkit, point.date, short_reference(point.reference_name)});
}

double rate_of(const MeasuredPoint& point, Problem problem) {
  return work_of(point, problem) / point.times.median_seconds;
}

double reference_rate_of(const MeasuredPoint& point, Problem problem) {
  return point.reference ? work_of(point, problem) / point.reference->median_seconds : 0;
}

}  // namespace tilescope
