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
                   const ParameterSet& extents) {
  std::string key = step.id;
  for (const ParameterSet* set : {&parameters, &extents}) {
    for (const auto& [name, value] : *set)
      key.append(" ").append(name).append(std::to_string(value));
  }
  return key;
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
                                    const ParameterSet& extents) {
  const auto& measured = bench.measured();
  const auto found = std::find_if(measured.rbegin(), measured.rend(), [&](const auto& point) {
    return point.kernel == step.id && point.parameters == parameters && point.extents == extents &&
           point.result.cold && point.result.kernel.median_seconds > 0;
  });
  if (found != measured.rend()) {
    return known_time(found->result, Source::kMeasured, found->date, gpu_here(bench));
  }
  const auto [file, run] = recorded.find(step, parameters, extents);
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
                         const ParameterSet& parameters, const ParameterSet& extents) {
  const std::string key = key_of(step, parameters, extents);
  if (!asked_.insert(key).second) return;
  auto instance = instantiate(step, parameters, extents, bench.device_model());
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
  const ParameterSet& extents = study_->instance.extents;
  RooflineData data = roofline_data(
      bench.catalogue(), *variant.entry, study_->instance.parameters, extents, bench.device_model(),
      {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
         return known_time(bench, recorded, step, parameters, extents);
       },
       [&](const CatalogueEntry& step, const ParameterSet& parameters) {
         if (step.problem != Problem::kGemm) return 0.0;
         if (looked_at) ask(bench, step, parameters, extents);
         return moved(key_of(step, parameters, extents));
       }});
  data.gpu = recorded.gpu();
  data_ = std::make_shared<const RooflineData>(std::move(data));
}

}  // namespace tilescope
