#include "ui/state/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/time/machine_rates.h"
#include "scene/rates/rate_chart_data.h"
#include "session/variant_instance.h"
#include "store/recorded_library.h"
#include "ui/state/window_state.h"

namespace tilescope {

RateUnit shown_unit(const Desk& desk, const Problem& problem) {
  const RateUnit wanted = desk.preferences.rate_unit.value_or(own_unit(problem));
  return why_not_in(wanted, problem).empty() ? wanted : own_unit(problem);
}

double peak_rate(const Variant& variant, const DeviceModel& device) {
  return variant.entry != nullptr ? peak_rate(*variant.entry, device)
                                  : device.memory_bytes_per_second;
}

std::string figure_of(double value, Unit unit) {
  const std::string whole = format(value, unit);
  return whole.substr(0, whole.find(' '));
}

std::string figure_on(const RateScale& scale, double value) {
  const double scaled = value / scale.divisor;
  const double size = std::abs(scaled);
  if (size == 0 || size >= 0.0995) return figure_of(scaled, Unit::kNone);
  constexpr int kMostDecimals = 6;
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", scaled, std::min(decimals, kMostDecimals));
}

std::optional<Conditions> own_machine(const Desk& desk) {
  if (const auto device = desk.bench.gpu().device(); device && device->ok()) {
    return Conditions{.gpu = (*device)->name, .driver = (*device)->driver};
  }
  if (desk.bench.measured().empty()) return std::nullopt;
  const MeasuredPoint& last = desk.bench.measured().back();
  return Conditions{.gpu = last.gpu, .driver = last.driver};
}

std::optional<KnownRate> known_rate(const Desk& desk, const CatalogueEntry& entry,
                                    const ParameterSet& parameters, const ParameterSet& extents) {
  const MeasuredPoints& points = desk.bench.measured_points();
  const bool cold = desk.bench.cold();
  const GemmFactors factors =
      entry.problem->multiplies() ? desk.bench.active().factors : GemmFactors{};
  Conditions own = own_machine(desk).value_or(desk.recorded.machine());
  own.cold = cold;
  own.factors = factors;
  const PointKey exactly = key_of(ChartVariant{0, &entry, parameters, extents, factors}, cold);
  const MeasuredPoint* found = points.newest_of(exactly);
  if (found == nullptr) found = points.newest_of_kernel(exactly);
  if (found != nullptr && !(conditions_of(*found) == own)) found = nullptr;
  if (found != nullptr) {
    return KnownRate{.value = rate_of(*found, entry.problem),
                     .reference = reference_rate_of(*found, entry.problem),
                     .reference_name = found->reference_name,
                     .work = {found->flop, found->bytes},
                     .source = Source::kMeasured,
                     .gpu = found->gpu};
  }
  std::optional<KnownRate> other;  // of another machine
  for (const auto& [file, run] :
       desk.recorded.find_all(entry, parameters, extents, cold, factors)) {
    const RunResult result = as_result(*run);
    const auto rate = [&, &of = entry](double seconds) {
      return rate_of(of.problem, result, seconds);
    };
    KnownRate recorded{.value = rate(result.kernel.median_seconds),
                       .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                       .reference_name = result.reference_name,
                       .work = {result.flop, result.bytes},
                       .source = Source::kRecorded,
                       .apart = apart_words(conditions_of(*run, *file), own),
                       .gpu = file->gpu};
    if (recorded.apart.empty()) return recorded;
    if (!other) other = std::move(recorded);
  }
  return other;
}

Problem problem_of(const Variant& variant) {
  return variant.entry != nullptr ? variant.entry->problem : Problem();
}

std::string why_no_gpu(const Error& error) {
  constexpr std::string_view kSaid = "no device: ";
  return error.message.starts_with(kSaid) ? error.message.substr(kSaid.size()) : error.message;
}

namespace {

// The ids under which the document's kernels are measured.
std::set<std::string> measured_ids(const Desk& desk) {
  std::set<std::string> ids;
  for (const Variant& variant : desk.bench.variants()) {
    if (variant.study != nullptr) ids.insert(variant.study->instance.id);
    if (variant.entry == nullptr) continue;
    ids.insert(variant.entry->id);
    ids.insert(edited_id(variant.entry->id));
  }
  return ids;
}

// Those of the document's kernels.
template <typename Read>
void add(const std::vector<Read>& read, const std::set<std::string>& ids, std::vector<Read>* to) {
  for (const Read& each : read) {
    if (ids.contains(each.of.kernel)) to->push_back(each);
  }
}

void add_launches(const Desk& desk, Measurements* measured) {
  measured->date = desk.bench.live_date();
  measured->live_seconds = desk.charts.live_seconds;
  measured->live_end = desk.charts.live_end;
  measured->launches.clear();
  measured->changes.clear();
  for (const LivePoint& point : desk.bench.live()) {
    measured->launches.push_back({point.time_seconds, point.kernel_seconds, point.variant,
                                  point.cold, point.work.flop, point.work.bytes});
  }
  for (const LiveChange& change : desk.bench.changes()) {
    measured->changes.push_back({change.time_seconds, change.label});
  }
}

}  // namespace

std::shared_ptr<const TunedRun> tuned_run(const Desk& desk) {
  if (auto own = desk.tuner.found()) return own;
  if (desk.opened == nullptr || !desk.opened->tuned) return nullptr;
  return {desk.opened, &*desk.opened->tuned};
}

std::optional<Conditions> measured_machine(const Desk& desk) {
  const auto machine_of = [](const MeasuredPoint& last) {
    return Conditions{.gpu = last.gpu, .driver = last.driver};
  };
  if (!desk.bench.measured().empty()) return machine_of(desk.bench.measured().back());
  if (desk.opened == nullptr || desk.opened->points.empty()) return std::nullopt;
  return machine_of(desk.opened->points.back());
}

const DeviceModel& charted_device(const Desk& desk) {
  const bool own = !desk.bench.live().empty() || !desk.bench.measured().empty();
  return own || desk.opened == nullptr ? desk.bench.device_model() : desk.opened->device;
}

Measurements measurements_of(const Desk& desk) {
  Measurements measured = desk.opened != nullptr ? *desk.opened : Measurements{};
  measured.device = charted_device(desk);
  const std::set<std::string> ids = measured_ids(desk);
  add(desk.bench.measured(), ids, &measured.points);
  add(desk.bench.counters_read(), ids, &measured.counters);
  add(desk.bench.phases_read(), ids, &measured.phases);
  if (const auto run = tuned_run(desk)) measured.tuned = *run;
  if (!desk.bench.live().empty()) add_launches(desk, &measured);
  return measured;
}

}  // namespace tilescope
