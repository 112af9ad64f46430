// What makes a changed parameter's first point come soon: the part of the workbench that compiles
// for the GPU beside the study, and ahead of the person.
#include <utility>

#include "ui/workbench/study_jobs.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

// The study traces first and compiles for the GPU after; a measurement does not wait for that.
void Workbench::request_cubin(int index, const KernelInstance& instance) {
  const std::string tag = "cubin " + std::to_string(index);
  pool_.cancel(tag);
  const auto device = gpu_->device();
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!settings_.measure || !device || !device->ok() || !variant.not_here.empty()) return;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(tag, jobs.cubin(instance, device_model_->compute_capability));
}

void Workbench::take_cubins() {
  for (StudyMailbox::Cubin& cubin : mailbox_->cubins.take()) {
    const Variant* variant = waiting_for(cubin.variant, cubin.request);
    if (variant == nullptr || variant->measure_request == cubin.request) continue;
    if (!may_run(*cubin.instance, *cubin.compiled)) continue;
    measure(cubin.variant, std::move(cubin.instance), std::move(cubin.compiled));
  }
}

void Workbench::look_ahead(const std::string& parameter) {
  look_ahead_.look_ahead(active(), device_model(active()), parameter);
}

void Workbench::look_around() {
  constexpr double kPause = 1;  // seconds; a person who changes one thing may change the next
  if (!look_ahead_.may_look_around() || active().entry == nullptr || busy()) return;
  if (!changes_.empty() && now_seconds() - changes_.back().time_seconds < kPause) return;
  look_ahead_.look_around(active(), device_model(active()));
}

bool Workbench::compiled_ahead(const std::string& parameter, std::int64_t value) const {
  return look_ahead_.compiled(active(), parameter, value);
}

}  // namespace tilescope
