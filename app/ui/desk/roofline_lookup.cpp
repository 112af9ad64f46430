#include "ui/desk/roofline_lookup.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "analysis/launch_memory.h"
#include "analysis/moved_bytes.h"
#include "store/recorded_library.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

std::string key_of(const CatalogueEntry& step, const ParameterSet& parameters,
                   const KernelInstance& launch) {
  std::string key = step.id;
  for (const ParameterSet* set : {&parameters, &launch.extents}) {
    for (const auto& [name, value] : *set)
      key.append(" ").append(name).append(std::to_string(value));
  }
  return with_factors_text(std::move(key), factors_of(launch));
}

}  // namespace

KnownTime known_time(const RunResult& result, Source source, const std::string& date,
                     const std::string& gpu) {
  return {
      result.kernel.median_seconds, source, result.reference ? result.reference->median_seconds : 0,
      result.reference_name,        date,   gpu};
}

std::string gpu_here(const Workbench& bench) {
  const auto device = bench.gpu().device();
  return device && device->ok() ? (*device)->name : std::string();
}

std::optional<KnownTime> known_time(const Workbench& bench, const RecordedLibrary& recorded,
                                    const CatalogueEntry& step, const ParameterSet& parameters,
                                    const KernelInstance& launch) {
  const GemmFactors factors = factors_of(launch);
  const PointKey key =
      key_of(ChartVariant{0, &step, parameters, launch.extents, factors}, /*cold=*/true);
  if (const MeasuredPoint* point = newest_of(bench.measured(), key)) {
    return KnownTime{point->times.median_seconds,
                     Source::kMeasured,
                     point->reference ? point->reference->median_seconds : 0,
                     point->reference_name,
                     point->date,
                     point->gpu};
  }
  const auto [file, run] = recorded.find(step, parameters, launch.extents, true, factors);
  if (run == nullptr) return std::nullopt;
  return known_time(as_result(*run), Source::kRecorded, run->date, file->gpu);
}

struct RooflineLookup::Counts {
  mutable std::mutex mutex;
  std::map<std::string, double> moved;  // by key_of()
  InputCache inputs;

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex);
    return moved.size();
  }
};

RooflineLookup::RooflineLookup() : counts_(std::make_shared<Counts>()) {}

double RooflineLookup::moved(const std::string& key) const {
  const std::lock_guard lock(counts_->mutex);
  const auto found = counts_->moved.find(key);
  return found == counts_->moved.end() ? 0 : found->second;
}

void RooflineLookup::ask(Workbench& bench, const CatalogueEntry& step,
                         const ParameterSet& parameters, const KernelInstance& launch) {
  const std::string key = key_of(step, parameters, launch);
  if (!asked_.insert(key).second) return;
  auto instance =
      instantiate(step, parameters, launch.extents, factors_of(launch), bench.device_model());
  if (!instance) return;
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = bench.device_model().compute_capability;
  bench.submit_background("moved " + key,
                          [request, key, counts = counts_](const std::stop_token& stop) mutable {
                            request.inputs = &counts->inputs;
                            const auto bytes = moved_bytes(request, stop);
                            const std::lock_guard lock(counts->mutex);
                            counts->moved[key] = bytes ? *bytes : 0;
                          });
}

void RooflineLookup::update(Workbench& bench, const RecordedLibrary& recorded,
                            const Variant& variant, bool looked_at) {
  const std::size_t counted = counts_->size();
  if (study_ == variant.study && measured_ == bench.measured().size() && counted_ == counted &&
      (looked_at_ || !looked_at)) {
    return;
  }
  study_ = variant.study;
  measured_ = bench.measured().size();
  counted_ = counted;
  looked_at_ = looked_at;
  data_.reset();
  if (study_ == nullptr || variant.entry == nullptr) return;
  const KernelInstance& launch = study_->instance;
  RooflineData data =
      roofline_data(bench.catalogue(), *variant.entry, launch, bench.device_model(),
                    {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       return known_time(bench, recorded, step, parameters, launch);
                     },
                     [&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       if (step.problem != Problem::kGemm) return 0.0;
                       if (looked_at) ask(bench, step, parameters, launch);
                       return moved(key_of(step, parameters, launch));
                     }});
  data.gpu = recorded.gpu();
  data_ = std::make_shared<const RooflineData>(std::move(data));
}

}  // namespace tilescope
