#include "ui/workbench/workbench.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "gpu/device_model.h"
#include "ui/workbench/guarded_link.h"
#include "ui/workbench/study_jobs.h"

namespace tilescope {

Workbench::Settings Workbench::Settings::of_this_machine() {
  const unsigned processors = std::thread::hardware_concurrency();
  Settings settings;
  settings.job_threads = std::max(2U, processors / 2);
  settings.ahead_threads = std::clamp(processors / 4, 1U, 4U);
  // What may never be asked for is not worth a small machine's time.
  settings.around_threads = std::min(processors / 8, 4U);
  return settings;
}

Workbench::Workbench(Catalogue catalogue, std::vector<DeviceModel> devices,
                     std::unique_ptr<WorkerLink> gpu, Settings settings)
    : catalogue_(std::move(catalogue)),
      devices_(std::make_shared<const std::vector<DeviceModel>>(std::move(devices))),
      recorded_model_(find_device(*devices_, settings.compute_capability)),
      gpu_(make_guarded_link(std::move(gpu),
                             [this](const RunRequest& request) {
                               return request.compiled != nullptr &&
                                      may_run(request.instance, *request.compiled);
                             })),
      settings_(settings),
      mailbox_(std::make_shared<StudyMailbox>()),
      start_(std::chrono::steady_clock::now()),
      look_ahead_(catalogue_, settings.ahead_threads, settings.around_threads),
      pool_(settings.job_threads) {
  if (recorded_model_ == nullptr) recorded_model_ = &devices_->front();
  device_model_ = recorded_model_;
  if (settings_.trusted == nullptr) settings_.trusted = std::make_shared<TrustedTexts>();
  variants_.emplace_back();
}

Workbench::~Workbench() = default;

double Workbench::now_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Workbench::busy() const {
  if (!pool_.idle() || gpu_->busy()) return true;
  return std::any_of(variants_.begin(), variants_.end(), [](const Variant& variant) {
    return variant.study_pending || variant.grid_pending || variant.measure_pending;
  });
}

bool Workbench::tick() {
  compile_typed();
  const bool device = take_device();
  take_cubins();
  const bool studies = take_studies();
  const bool stages = take_stages();
  const bool measurements = take_measurements();
  const bool listened = listener_ && listener_();
  look_around();
  return device || studies || stages || measurements || look_ahead_.take_news() || listened;
}

// The worker answers some seconds after the window opened: limits and architecture become the
// device's own, and what stands on screen is measured.
bool Workbench::take_device() {
  const auto device = gpu_->device();
  if (device_taken_ || !device) return false;
  device_taken_ = true;
  if (!device->ok()) return true;
  own_model_ = model_of(**device, *devices_);
  const bool other = own_model_ != *device_model_;
  device_model_ = &*own_model_;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    if (other) {
      request_study(i, true);
    } else if (settings_.measure) {
      request_measurement(i);
    }
  }
  return true;
}

void Workbench::activate(int index) {
  active_ = std::clamp(index, 0, static_cast<int>(variants_.size()) - 1);
}

void Workbench::add_variant() {
  if (variants_.size() >= kMostDocumentVariants) return;
  Variant copy = active();
  copy.study_pending = false;
  copy.grid_pending = false;
  copy.measure_pending = false;
  copy.reading.ticket.reset();
  variants_.push_back(std::move(copy));
  active_ = static_cast<int>(variants_.size()) - 1;
  request_study(active_);
}

void Workbench::close_variant(int index) {
  if (variants_.size() == 1) return;
  drop_requests();
  variants_.erase(variants_.begin() + index);
  active_ =
      std::min(active_ > index ? active_ - 1 : active_, static_cast<int>(variants_.size()) - 1);
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) request_study(i);
}

// Results address variants by index.
void Workbench::drop_requests() {
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) cancel_requests(i);
  std::erase_if(measuring_, [](const Measuring& m) { return m.variant != Measuring::kAside; });
  early_.clear();
}

// A rule that names no parameter speaks of the GPU alone.
void Workbench::check_parameters(Variant* variant) const {
  variant->violations.clear();
  variant->not_here.clear();
  if (variant->entry == nullptr) return;
  const auto violations_on = [&](const DeviceModel& device) {
    return check_rules(*variant->entry, variant->parameters, variant->extents, device);
  };
  const auto of_the_gpu = [](const RuleViolation& rule) { return rule.parameters.empty(); };
  variant->violations = violations_on(*device_model_);
  const auto foreign = std::ranges::find_if(variant->violations, of_the_gpu);
  if (foreign == variant->violations.end() || device_model_ == recorded_model_) return;
  auto there = violations_on(*recorded_model_);
  if (std::ranges::any_of(there, of_the_gpu)) return;
  variant->not_here = std::move(foreign->message);
  variant->violations = std::move(there);
}

}  // namespace tilescope
