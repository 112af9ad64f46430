#include "ui/desk/roofline_lookup.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "analysis/launch_memory.h"
#include "analysis/moved_bytes.h"
#include "store/recorded_library.h"

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

KnownTimes known_times(const Workbench& bench, const Measurements* opened,
                       const RecordedLibrary& recorded, Source opened_as) {
  KnownTimes times{bench.measured(), {}, opened_as, recorded};
  if (opened != nullptr) times.opened = opened->points;
  return times;
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

std::shared_ptr<const RooflineData> RooflineLookup::make(Workbench& bench, const KnownTimes& times,
                                                         const CatalogueEntry* entry) {
  const KernelInstance& launch = study_->instance;
  std::vector<KnownTime> known = times.of(launch, entry);
  if (entry == nullptr && known.empty()) return nullptr;
  const DeviceModel& device = study_->device != nullptr ? *study_->device : bench.device_model();
  return std::make_shared<const RooflineData>(
      roofline_data({bench.catalogue(), entry, launch, device}, std::move(known),
                    {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       return times.of(step, parameters, launch);
                     },
                     [&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       if (step.problem != Problem::kGemm) return 0.0;
                       if (looked_at_) ask(bench, step, parameters, launch);
                       return moved(key_of(step, parameters, launch));
                     }}));
}

void RooflineLookup::update(Workbench& bench, const std::shared_ptr<const Measurements>& opened,
                            const RecordedLibrary& recorded, const Variant& variant,
                            bool looked_at) {
  const std::size_t counted = counts_->size();
  if (study_ == variant.study && measured_ == bench.measured().size() && opened_ == opened &&
      counted_ == counted && (looked_at_ || !looked_at)) {
    return;
  }
  study_ = variant.study;
  measured_ = bench.measured().size();
  opened_ = opened;
  counted_ = counted;
  looked_at_ = looked_at;
  data_.reset();
  in_file_.reset();
  if (study_ == nullptr) return;
  data_ = in_file_ = make(bench, known_times(bench, opened.get(), recorded), variant.entry);
  if (opened == nullptr) return;
  in_file_ =
      make(bench, known_times(bench, opened.get(), recorded, Source::kMeasured), variant.entry);
}

}  // namespace tilescope
