#include "ui/state/chart_data.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analysis/time/machine_rates.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/roofline/roofline_figure.h"
#include "session/document.h"
#include "session/measurements.h"
#include "store/rates.h"
#include "store/recorded_library.h"
#include "store/source_digest.h"
#include "ui/state/measurements.h"

namespace tilescope {
namespace {

// From the launches of a measurement that is not done yet.
TimedWork timed(const Problem& problem, const ProblemCost& work, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {problem, work, seconds[seconds.size() / 2], seconds.front(), seconds.back(), 0};
}

struct KnownPoint {
  ChartPoint point;
  ChartKey key;
};

ChartKey link_of(const ChartVariant& at) {
  return {at.edited.empty() ? at.entry->id : edited_id(at.entry->id), at.parameters, at.extents,
          at.factors};
}

// By variant: "gemm/register_tile", "mine.cu"
std::vector<std::string> titles_of(const WindowState& state) {
  std::vector<std::string> titles;
  for (const Variant& variant : state.workbench.variants()) {
    titles.push_back(variant.entry != nullptr ? variant.entry->id
                     : variant.has_kernel()   ? variant.file_name()
                                              : "no kernel");
  }
  return titles;
}

// What is being measured of exactly this; nullptr: nothing is.
const Measuring* under_way(const WindowState& state, const LaunchKey& key) {
  const auto found =
      std::ranges::find_if(state.workbench.runs().under_way(), [&](const Measuring& measuring) {
        return !measuring.seconds.empty() && measuring.cold == key.cold &&
               measuring.instance->id == key.kernel &&
               session_key(*measuring.instance, measuring.cold) == key;
      });
  return found == state.workbench.runs().under_way().end() ? nullptr : &*found;
}

// Of the GPU that is there.
Conditions own_conditions(const WindowState& state, const LaunchKey& key) {
  Conditions own = own_machine(state).value_or(Conditions{});
  own.cold = key.cold;
  own.factors = key.factors;
  return own;
}

// What is being measured on the GPU that is there, as its launches so far say.
std::optional<KnownPoint> refined_point(const WindowState& state, const ChartVariant& at,
                                        const LaunchKey& key) {
  const Measuring* measuring = under_way(state, key);
  if (measuring == nullptr) return std::nullopt;
  const ProblemCost work = problem_cost(*measuring->instance);
  KnownPoint known{chart_point(timed(at.entry->problem, work, measuring->seconds),
                               Source::kMeasured, {own_conditions(state, key), {}, {}, {}}),
                   link_of(at)};
  known.point.launches_so_far = measuring->seconds.size();
  return known;
}

// All that is known of exactly this: what was measured in this run of the program, what is being
// measured, what the document's file brought, what is recorded.
std::vector<KnownPoint> known_points(const WindowState& state, const ChartVariant& at,
                                     Source of_file) {
  const Problem problem = at.entry->problem;
  const LaunchKey key = session_key(at, state.workbench.runs().cold());
  std::vector<KnownPoint> all;
  if (state.workbench.runs().points().newest_of(key) == nullptr) {
    if (auto refined = refined_point(state, at, key)) all.push_back(*std::move(refined));
  }
  for (const auto& [measurement, source] : known_measurements(state, of_file).of(at, key.cold)) {
    all.push_back({chart_point(*measurement, problem, source), link_of(at)});
  }
  return all;
}

// `known` gets what there is to say of each answer, which says where (ChartPoint::answer).
ChartQuestions questions_to(const WindowState& state, Source of_file,
                            std::vector<KnownPoint>* known) {
  ChartQuestions questions;
  questions.points_of = [&state, of_file, known](const ChartVariant& at) {
    std::vector<ChartPoint> points;
    for (KnownPoint& each : known_points(state, at, of_file)) {
      each.point.answer = known->size();
      points.push_back(each.point);
      known->push_back(std::move(each));
    }
    return points;
  };
  const KnownMeasurements all = known_measurements(state, of_file);
  questions.sizes_of = [all, cold = state.workbench.runs().cold()](const ChartVariant& of) {
    return all.sizes_of(of, cold);
  };
  questions.published_of = [all](const ChartVariant& at) { return all.published(at); };
  // A file is the same where there is another GPU or none.
  questions.own = measured_machine(state);
  if (!questions.own && of_file == Source::kRecorded) questions.own = own_machine(state);
  questions.peak_of = [&state](const ChartVariant& of, const std::string& gpu) {
    return peak_rate_on(gpu, *of.entry, charted_device(state), *state.workbench.devices());
  };
  return questions;
}

// As it stands in the charts. Precondition: it is the catalogue's.
ChartVariant charted(const Variant& variant, int index) {
  return {index,
          variant.entry,
          variant.parameters,
          variant.extents,
          variant.factors,
          variant.edited ? text_digest(*variant.edited) : std::string()};
}

// Of variants that launch the same on several GPUs the one that stands for them: that on the usual
// GPU, else the first. A chart's series have their own GPUs.
int charted_index(const WindowState& state, int index) {
  const std::vector<Variant>& all = state.workbench.variants();
  const Variant& own = all[static_cast<std::size_t>(index)];
  if (own.gpu.empty()) return index;
  int chosen = index;
  for (int i = static_cast<int>(all.size()) - 1; i >= 0; --i) {
    const Variant& other = all[static_cast<std::size_t>(i)];
    const bool same = other.entry == own.entry && other.parameters == own.parameters &&
                      other.extents == own.extents && other.factors == own.factors &&
                      other.edited == own.edited && other.gpu != own.gpu;
    if (!same) continue;
    if (other.gpu.empty()) return i;
    chosen = std::min(chosen, i);
  }
  return chosen;
}

// Those of the active one's problem.
std::vector<ChartVariant> charted_variants(const WindowState& state) {
  std::vector<ChartVariant> all;
  int index = 0;
  for (const Variant& variant : state.workbench.variants()) {
    if (variant.entry != nullptr &&
        variant.entry->problem == problem_of(state.workbench.active()) &&
        charted_index(state, index) == index) {
      all.push_back(charted(variant, index));
    }
    ++index;
  }
  return all;
}

std::optional<ChartVariant> active_variant(const WindowState& state) {
  if (state.workbench.active().entry == nullptr) return std::nullopt;
  const int index = charted_index(state, state.workbench.active_index());
  return charted(state.workbench.variants()[static_cast<std::size_t>(index)], index);
}

// `known`: by the points' ChartPoint::answer.
LinkedChart linked(RateChart chart, std::vector<KnownPoint> known) {
  LinkedChart result{std::move(chart), {}, 0};
  for (KnownPoint& each : known) result.keys.push_back(std::move(each.key));
  return result;
}

// Values of a parameter that were recorded of the active variant with the L2 otherwise alone.
std::size_t only_otherwise(const WindowState& state, const ChartVariant& active,
                           const ParameterSpec& spec) {
  if (!active.edited.empty()) return 0;
  ChartVariant at = active;
  return static_cast<std::size_t>(std::ranges::count_if(spec.values, [&](std::int64_t value) {
    at.parameters[spec.name] = value;
    return state.recorded.find(*at.entry, at.parameters, at.extents, !state.workbench.runs().cold(),
                               at.factors) != nullptr &&
           known_points(state, at, Source::kRecorded).empty();
  }));
}

// The same of sizes.
std::size_t only_otherwise(const WindowState& state, const ChartVariant& active) {
  if (!active.edited.empty()) return 0;
  const auto known =
      known_measurements(state, Source::kRecorded).sizes_of(active, state.workbench.runs().cold());
  const auto otherwise = state.recorded.sizes(*active.entry, active.parameters,
                                              !state.workbench.runs().cold(), active.factors);
  return static_cast<std::size_t>(std::ranges::count_if(otherwise, [&](const ParameterSet& size) {
    return std::ranges::find(known, size) == known.end();
  }));
}

}  // namespace

ChartPeak peak_of(const WindowState& state, const RateChart& chart) {
  const DeviceModel& device = charted_device(state);
  const bool has_own = !chart.series.empty() && chart.series.front().apart.empty();
  const std::string gpu = has_own ? chart.series.front().under.gpu : device.name;
  const Variant& active = state.workbench.active();
  return {gpu == device.name ? short_name(device) : short_gpu(gpu),
          active.entry == nullptr
              ? peak_rate(active, device)
              : peak_rate_on(gpu, *active.entry, device, *state.workbench.devices())};
}

std::string describe(const ChartKey& key, const Variant& beside) {
  const std::string words =
      with_factors_text(values_words(beside.entry, key.parameters), key.factors);
  if (beside.entry == nullptr) return words;
  const std::string size = describe_size(beside.entry->problem, key.extents);
  return words + (words.empty() ? "" : "; ") + size;
}

LinkedChart chart_over_parameter(const WindowState& state, const ParameterSpec& spec,
                                 Source of_file) {
  const auto active = active_variant(state);
  std::vector<KnownPoint> known;
  RateChart chart = chart_over_parameter(charted_variants(state), active ? &*active : nullptr, spec,
                                         questions_to(state, of_file, &known));
  LinkedChart result = linked(std::move(chart), std::move(known));
  if (active) result.only_otherwise = only_otherwise(state, *active, spec);
  return result;
}

LinkedChart chart_over_size(const WindowState& state, Source of_file) {
  const auto active = active_variant(state);
  std::vector<KnownPoint> known;
  RateChart chart = chart_over_size(charted_variants(state), active ? &*active : nullptr,
                                    questions_to(state, of_file, &known));
  LinkedChart result = linked(std::move(chart), std::move(known));
  if (active) result.only_otherwise = only_otherwise(state, *active);
  return result;
}

namespace {

// The roofline's limit of the active variant, where its rate is of the same kind and the chart is
// about the GPU that it is a limit of; else 0.
double roof_of(const WindowState& state, const RateChart& chart) {
  const Variant& active = state.workbench.active();
  if (active.study == nullptr || active.study->device == nullptr || active.prepared == nullptr ||
      active.prepared->diagnosis == nullptr)
    return 0;
  if (chart.series.empty() || chart.series.front().under.gpu != active.study->device->name)
    return 0;
  const RooflineFigure figure = roofline_figure(active.study->instance, *active.study->device,
                                                *active.prepared->diagnosis, nullptr);
  return figure.computes == problem_of(active)->rated_in_flop ? figure.allowed() : 0;
}

}  // namespace

RateFigure figure_of(const WindowState& state, const ParameterSpec* spec, RateChart chart) {
  const Variant& active = state.workbench.active();
  RateFigure figure;
  if (active.entry == nullptr) {
    figure.unit = shown_unit(state, problem_of(active));
    figure.reference = reference_beside(active);
    return figure;
  }
  const ChartPeak peak = peak_of(state, chart);
  const double roof = roof_of(state, chart);
  figure = rate_figure({state.workbench.active_index(), active.entry, active.parameters,
                        active.extents, active.factors},
                       spec != nullptr ? spec->name : std::string(),
                       shown_unit(state, active.entry->problem), std::move(chart),
                       {reference_beside(active), peak.rate, peak.device, roof});
  if (active.edited) figure.kernel = edited_id(figure.kernel);
  figure.cold = state.workbench.runs().cold();
  figure.names = titles_of(state);
  return figure;
}

void go_to(WindowState& state, const ChartKey& key) {
  const CatalogueEntry* entry = state.workbench.catalogue().find(key.kernel);
  const CatalogueEntry* active = state.workbench.active().entry;
  if (active != nullptr && key.kernel == edited_id(active->id)) entry = active;
  if (entry == nullptr) return;  // an edited text, or a file
  if (state.workbench.active().entry != entry) state.workbench.choose_kernel(*entry);
  for (const auto& [name, extent] : key.extents) state.workbench.set_extent(name, extent);
  for (const std::string& name : factor_names(*entry)) {
    state.workbench.set_factor(name, factor_of(key.factors, name));
  }
  state.workbench.apply(key.parameters);
}

namespace {

// As the document's file has it, so that a command draws the same.
RateFigure live_figure_of(const WindowState& state) {
  std::vector<VariantDocument> variants;
  for (const Variant& variant : state.workbench.variants()) {
    variants.push_back(document_of(variant));
  }
  const Measurements measured = measurements_of(state);
  RateFigure figure = live_figure({variants,
                                   state.workbench.active_index(),
                                   state.workbench.runs().cold(),
                                   measured,
                                   state.preferences.rate_unit,
                                   {state.workbench.catalogue(), *state.workbench.devices()}});
  figure.names = titles_of(state);
  return figure;
}

}  // namespace

const ParameterSpec* charted_parameter(const WindowState& state) {
  const CatalogueEntry* entry = state.workbench.active().entry;
  if (entry == nullptr || entry->parameters.empty()) return nullptr;
  const auto focused =
      std::ranges::find(entry->parameters, state.focused_parameter, &ParameterSpec::name);
  return focused != entry->parameters.end() ? &*focused : &entry->parameters.front();
}

std::string reference_beside(const Variant& variant) {
  if (variant.measured && !variant.measured->reference_name.empty()) {
    return short_reference(variant.measured->reference_name);
  }
  return usual_reference(problem_of(variant));
}

bool nothing_to_chart(const WindowState& state) {
  const auto device = state.workbench.gpu().device();
  if (!device || device->ok() || !state.workbench.runs().live().empty()) return false;
  if (!state.workbench.runs().cold()) return false;  // the switch back stands there
  if (state.opened != nullptr && !state.opened->launches.empty()) return false;
  if (state.workbench.active().measured || !state.workbench.active().has_kernel()) return false;
  const ParameterSpec* spec = charted_parameter(state);
  return (spec == nullptr || chart_over_parameter(state, *spec).series.empty()) &&
         chart_over_size(state).series.empty();
}

std::shared_ptr<const RateFigure> chart_figure(const WindowState& state, ChartKind kind) {
  const ParameterSpec* spec = charted_parameter(state);
  const bool has_runs = state.workbench.active().entry != nullptr;
  auto figure = std::make_shared<RateFigure>();
  if (kind == ChartKind::kLive) {
    *figure = live_figure_of(state);
  } else if (kind == ChartKind::kOverSize && has_runs) {
    *figure = figure_of(state, nullptr, chart_over_size(state, Source::kMeasured));
  } else if (spec != nullptr) {
    *figure = figure_of(state, spec, chart_over_parameter(state, *spec, Source::kMeasured));
  }
  figure->roof.clear();  // a command that writes the same figure has emulated nothing
  if (figure->empty()) return nullptr;
  return figure;
}

}  // namespace tilescope
