#include "session/view_queries.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/study/kernel_study.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/gemm_factors.h"
#include "session/readings.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostLayouts = 4;
constexpr std::size_t kMostStages = 2;   // of the variant that is shown and the one before
constexpr std::size_t kMostMoved = 256;  // numbers

std::string moved_key(const CatalogueEntry& entry, const ParameterSet& parameters,
                      const KernelInstance& beside) {
  std::string key = entry.id;
  for (const ParameterSet* set : {&parameters, &beside.extents}) {
    for (const auto& [name, value] : *set) {
      key.append(" ").append(name).append(std::to_string(value));
    }
  }
  return with_factors_text(std::move(key), factors_of(beside));
}

bool is_as_shipped(const ViewedVariant& variant) {
  return variant.entry != nullptr && variant.entry->id == variant.study->instance.id;
}

// Until the first set of so many is there.
std::shared_ptr<const ComparedSet> set_of_names(const std::vector<ViewedVariant>& variants) {
  auto names = std::make_shared<ComparedSet>();
  for (const ViewedVariant& variant : variants) {
    ComparedVariant& shown = names->variants.emplace_back();
    shown.name = variant.name;
    shown.missing = variant.missing.empty() ? "comparing …" : variant.missing;
  }
  names->comparison = compare(std::vector<ComparedKernel>(variants.size()));
  return names;
}

// With their times; what `before` knows of the same trace is not computed again.
std::vector<ComparedVariant> to_compare(const std::vector<ViewedVariant>& variants,
                                        const DeviceModel& device,
                                        const KnownMeasurements& measurements,
                                        const ComparedSet* before) {
  std::vector<ComparedVariant> compared;
  std::vector<std::vector<KnownTime>> known;  // of those that have a study
  std::vector<std::size_t> timed;             // which these are
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const ViewedVariant& variant = variants[i];
    ComparedVariant& shown = compared.emplace_back();
    shown.name = variant.name;
    shown.entry = variant.entry;
    shown.missing = variant.missing;
    if (!variant.missing.empty()) continue;
    shown.study = variant.study;
    shown.prepared = variant.prepared;
    known.push_back(times_of(measurements.of(variant.study->instance, variant.entry, true)));
    timed.push_back(i);
    if (before == nullptr || i >= before->variants.size()) continue;
    const ComparedVariant& old = before->variants[i];
    if (old.study != nullptr && old.study->trace == shown.study->trace) {
      shown.accesses = old.accesses;
    }
  }
  // Each on its own GPU, where they are compared across GPUs: another GPU's time is another
  // variant's.
  std::vector<TimesToCompare> chosen;
  if (gpus_differ(compared)) {
    for (std::size_t i = 0; i < timed.size(); ++i) {
      const auto& own = compared[timed[i]].study->device;
      chosen.push_back(std::move(
          times_to_compare(std::span(&known[i], 1), own ? own->name : device.name).front()));
      chosen.back().elsewhere.clear();
    }
  } else {
    const bool is_other = !timed.empty() && compared[timed[0]].study->device != nullptr;
    chosen =
        times_to_compare(known, is_other ? compared[timed[0]].study->device->name : device.name);
  }
  for (std::size_t i = 0; i < timed.size(); ++i) {
    compared[timed[i]].known = std::move(chosen[i].known);
    compared[timed[i]].elsewhere = std::move(chosen[i].elsewhere);
  }
  return compared;
}

}  // namespace

OtherLaunches::OtherLaunches(const Catalogue& catalogue, const RunJob& run, unsigned workers)
    : catalogue_(catalogue),
      workers_(workers),
      inputs_(std::make_shared<InputCache>()),
      layouts_(run, kMostLayouts),
      stages_(run, kMostStages),
      moved_(run, kMostMoved) {}

OtherLaunches::Layouts::Answer OtherLaunches::layouts(
    const CatalogueEntry& entry, const std::shared_ptr<const KernelStudy>& study,
    const DeviceModel& device) {
  return layouts_.get({study->trace}, "layouts", [&] {
    return [entry, study, device, inputs = inputs_](const std::stop_token& stop) {
      return layout_variants(entry, *study, device, inputs.get(), stop);
    };
  });
}

OtherLaunches::Stages::Answer OtherLaunches::stages(
    const CatalogueEntry& entry, const std::shared_ptr<const KernelStudy>& study) {
  return stages_.get({study->pipeline}, "stages", [&] {
    return [entry, study, inputs = inputs_](const std::stop_token& stop) {
      return pipeline_alternatives(entry, *study, inputs.get(), stop);
    };
  });
}

double OtherLaunches::moved_bytes(const CatalogueEntry& entry, const ParameterSet& parameters,
                                  const KernelInstance& beside, const DeviceModel& device,
                                  bool count) {
  const std::string key = moved_key(entry, parameters, beside);
  if (!count) {
    const auto known = moved_.find(key);
    return known != nullptr ? *known : 0;
  }
  const auto bytes = moved_.get(key, "moved " + key, [&] {
    return [instance = instantiate(entry, parameters, beside.extents, factors_of(beside), device),
            compute_capability = device.compute_capability, workers = workers_,
            inputs = inputs_](const std::stop_token& stop) -> Result<double> {
      if (!instance) return instance.error();
      StudyRequest request;
      request.instance = *instance;
      request.inputs = inputs.get();
      request.compute_capability = compute_capability;
      request.workers = workers;
      return tilescope::moved_bytes(request, stop);
    };
  });
  return bytes && *bytes != nullptr ? **bytes : 0;
}

ViewQueries::ViewQueries(OtherLaunches& launches, RunJob compare)
    : launches_(launches), sets_(std::move(compare), 1) {}

Status ViewQueries::ask(const ViewNeeds& needs, const std::vector<ViewedVariant>& variants,
                        std::size_t active, const DeviceModel& device,
                        const KnownMeasurements& measurements) {
  const ViewedVariant& viewed = variants[active];
  const bool is_there = viewed.study != nullptr && viewed.study->traced();
  const std::string kernel = is_there ? viewed.study->instance.id : std::string();
  if (kernel != kernel_) known_.layouts = nullptr;
  if (kernel != kernel_ || active != active_) known_.alternatives = nullptr;
  kernel_ = kernel;
  active_ = active;
  if (needs.variants && variants.size() > 1) {
    ask_comparison(variants, active, device, measurements);
  } else {
    known_.compared = newest_set_ = nullptr;
  }
  if (!is_there) {
    known_.roofline = nullptr;
    known_.hardware = nullptr;
    known_.phases = nullptr;
    read_for_ = {};
    return ok_status();
  }
  read_measurements(needs, viewed, device, measurements);
  return ask_launches(needs, viewed, device);
}

void ViewQueries::fill(const ViewedVariant& active, ViewContext* context) const {
  static_cast<ViewFacts&>(*context) = known_;
  context->study = active.study.get();
  context->prepared = active.prepared;
  context->entry = active.entry;
}

void ViewQueries::read_measurements(const ViewNeeds& needs, const ViewedVariant& active,
                                    const DeviceModel& device,
                                    const KnownMeasurements& measurements) {
  const std::tuple now(active.study, measurements.version(), launches_.counted(), needs);
  if (now == read_for_) return;
  read_for_ = now;
  const KernelStudy& study = *active.study;
  const KernelInstance& launch = study.instance;
  known_.hardware = needs.hardware ? measurements.counters_of(study, active.entry) : nullptr;
  known_.phases = needs.phases ? measurements.phases_of(study) : nullptr;
  known_.roofline = nullptr;
  std::vector<KnownTime> known = times_of(measurements.of(launch, active.entry, /*cold=*/true));
  if (!needs.times || (active.entry == nullptr && known.empty())) return;
  const DeviceModel& own = study.device != nullptr ? *study.device : device;
  const auto times = [&](const CatalogueEntry& step, const ParameterSet& parameters) {
    return times_of(measurements.of({0, &step, parameters, launch.extents, factors_of(launch)},
                                    /*cold=*/true));
  };
  const auto moved = [&](const CatalogueEntry& step, const ParameterSet& parameters) {
    if (!step.problem->rated_in_flop) return 0.0;  // its rate is in bytes: no intensity to show
    return launches_.moved_bytes(step, parameters, launch, own, needs.family);
  };
  known_.roofline = std::make_shared<const RooflineData>(roofline_data(
      {launches_.catalogue(), active.entry, launch, own}, std::move(known), {times, moved}));
}

Status ViewQueries::ask_launches(const ViewNeeds& needs, const ViewedVariant& active,
                                 const DeviceModel& device) {
  const std::shared_ptr<const KernelStudy>& study = active.study;
  if (needs.layouts && (known_.layouts == nullptr || !known_.layouts->belong_to(*study))) {
    if (is_as_shipped(active) && has_layout_variants(*active.entry, *study)) {
      const auto layouts = launches_.layouts(*active.entry, study,
                                             study->device != nullptr ? *study->device : device);
      if (!layouts) return layouts.error();
      if (*layouts != nullptr) known_.layouts = *layouts;
    } else {
      known_.layouts = nullptr;
    }
  }
  if (!needs.stages) return ok_status();
  if (!is_as_shipped(active) || stages_parameter(*active.entry) == nullptr) {
    known_.alternatives = nullptr;
  } else if (study->pipeline != nullptr) {
    const auto stages = launches_.stages(*active.entry, study);
    if (!stages) return stages.error();
    if (*stages != nullptr) known_.alternatives = *stages;
  }
  return ok_status();
}

void ViewQueries::ask_comparison(const std::vector<ViewedVariant>& variants, std::size_t active,
                                 const DeviceModel& device, const KnownMeasurements& measurements) {
  const auto set = sets_.get({variants, measurements.version()}, "compare", [&] {
    return [compared = to_compare(variants, device, measurements, known_.compared.get()),
            active](const std::stop_token&) -> Result<ComparedSet> {
      return *compared_set(compared, active);
    };
  });
  if (*set != nullptr && *set != newest_set_) known_.compared = *set;
  newest_set_ = *set;
  if (known_.compared == nullptr || known_.compared->variants.size() != variants.size()) {
    known_.compared = set_of_names(variants);
  }
  if (known_.compared->active == active) return;
  auto other = std::make_shared<ComparedSet>(*known_.compared);
  other->active = active;
  known_.compared = std::move(other);
}

}  // namespace tilescope
