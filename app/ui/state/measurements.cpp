#include "ui/state/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/time/machine_rates.h"
#include "scene/rates/rate_chart_data.h"
#include "session/document.h"
#include "store/recorded_library.h"
#include "ui/state/window_state.h"

namespace tilescope {

RateUnit shown_unit(const WindowState& state, const Problem& problem) {
  const RateUnit wanted = state.preferences.rate_unit.value_or(own_unit(problem));
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

std::optional<Conditions> own_machine(const WindowState& state) {
  if (const auto device = state.workbench.gpu().device(); device && device->ok()) {
    return Conditions{.gpu = (*device)->name, .driver = (*device)->driver};
  }
  if (state.workbench.runs().measured().empty()) return std::nullopt;
  const Machine& last = state.workbench.runs().measured().back().machine;
  return Conditions{.gpu = last.gpu, .driver = last.driver};
}

std::optional<KnownRate> known_rate(const WindowState& state, const CatalogueEntry& entry,
                                    const ParameterSet& parameters, const ParameterSet& extents) {
  const MeasuredPoints& points = state.workbench.runs().points();
  const bool cold = state.workbench.runs().cold();
  const GemmFactors factors =
      entry.problem->multiplies() ? state.workbench.active().factors : GemmFactors{};
  Conditions own = own_machine(state).value_or(state.recorded.machine());
  own.cold = cold;
  own.factors = factors;
  const LaunchKey exactly =
      session_key(ChartVariant{0, &entry, parameters, extents, factors}, cold);
  const Measurement* found = points.newest_of(exactly);
  if (found == nullptr) found = points.newest_of_kernel(exactly);
  if (found != nullptr && !(conditions_of(*found) == own)) found = nullptr;
  if (found != nullptr) {
    return KnownRate{.value = rate_of(*found, entry.problem),
                     .reference = reference_rate_of(*found, entry.problem),
                     .reference_name = found->result.reference_name,
                     .work = {found->result.flop, found->result.bytes},
                     .source = Source::kMeasured,
                     .gpu = found->machine.gpu};
  }
  std::optional<KnownRate> other;  // of another machine
  for (const Measurement* run :
       state.recorded.find_all(entry, parameters, extents, cold, factors)) {
    const RunResult& result = run->result;
    const auto rate = [&, &of = entry](double seconds) {
      return rate_of(of.problem, result, seconds);
    };
    KnownRate recorded{.value = rate(result.kernel.median_seconds),
                       .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                       .reference_name = result.reference_name,
                       .work = {result.flop, result.bytes},
                       .source = Source::kRecorded,
                       .apart = apart_words(conditions_of(*run), own),
                       .gpu = run->machine.gpu};
    if (recorded.apart.empty()) return recorded;
    if (!other) other = std::move(recorded);
  }
  return other;
}

KnownMeasurements known_measurements(const WindowState& state, Source opened_as) {
  return {.recorded = state.recorded,
          .measured = &state.workbench.runs().points(),
          .counters = state.workbench.runs().counters(),
          .phases = state.workbench.runs().phases(),
          .opened = state.opened.get(),
          .opened_as = opened_as};
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
std::set<std::string> measured_ids(const WindowState& state) {
  std::set<std::string> ids;
  for (const Variant& variant : state.workbench.variants()) {
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

}  // namespace

std::shared_ptr<const TunedRun> tuned_run(const WindowState& state) {
  if (auto own = state.tuner.found()) return own;
  if (state.opened == nullptr || !state.opened->tuned) return nullptr;
  return {state.opened, &*state.opened->tuned};
}

std::optional<Conditions> measured_machine(const WindowState& state) {
  const auto machine_of = [](const Measurement& last) {
    return Conditions{.gpu = last.machine.gpu, .driver = last.machine.driver};
  };
  if (!state.workbench.runs().measured().empty())
    return machine_of(state.workbench.runs().measured().back());
  if (state.opened == nullptr || state.opened->points.empty()) return std::nullopt;
  return machine_of(state.opened->points.back());
}

const DeviceModel& charted_device(const WindowState& state) {
  const bool own =
      !state.workbench.runs().live().empty() || !state.workbench.runs().measured().empty();
  return own || state.opened == nullptr ? state.workbench.device_model() : state.opened->device;
}

Measurements measurements_of(const WindowState& state) {
  Measurements measured = state.opened != nullptr ? *state.opened : Measurements{};
  measured.device = charted_device(state);
  const std::set<std::string> ids = measured_ids(state);
  add(state.workbench.runs().measured(), ids, &measured.points);
  add(state.workbench.runs().counters(), ids, &measured.counters);
  add(state.workbench.runs().phases(), ids, &measured.phases);
  if (const auto run = tuned_run(state)) measured.tuned = *run;
  const LiveLaunches& live = state.workbench.runs().live();
  if (live.empty()) return measured;
  measured.date = live.date();
  measured.live_seconds = state.charts.live_seconds;
  measured.live_end = state.charts.live_end;
  measured.launches = live.launches();
  measured.changes = live.changes();
  return measured;
}

}  // namespace tilescope
