// What a Workbench has computed for its variants (ui/workbench/workbench.h).
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "scene/telling_selection.h"
#include "session/variant_instance.h"
#include "ui/workbench/study_jobs.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

std::string study_tag(int variant) { return fmt::format("study {}", variant); }
std::string grid_tag(int variant) { return fmt::format("grid {}", variant); }
std::string stages_tag(int variant) { return fmt::format("stages {}", variant); }

}  // namespace

void Workbench::cancel_requests(int index) {
  pool_.cancel(study_tag(index));
  pool_.cancel(grid_tag(index));
  pool_.cancel(stages_tag(index));
  gpu_->cancel(measure_tag(index));
  phase_runs_.cancel(index, pool_, *gpu_);
  cancel_reading(index);
}

// Compile and trace one block (urgent), then the cubin's resources, each put into the mailbox as it
// is done; the whole grid follows in the background.
void Workbench::request_study(int index, bool by_itself) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.error.reset();
  variant.errors.clear();
  check_parameters(&variant);
  cancel_requests(index);
  look_ahead_.stop_looking_around();
  variant.alternatives_asked = variant.phases_asked = false;
  variant.study_pending = variant.grid_pending = false;
  variant.due_seconds.reset();
  if (!variant.violations.empty() || !variant.has_kernel()) return;

  StudyRequest request;
  const DeviceModel& device = device_model(variant);
  auto instance = instance_of(document_of(variant), catalogue_, device);
  if (!instance) {
    variant.error = instance.error();
    return;
  }
  request.instance = *std::move(instance);
  put_in_block(index, request.instance.grid, by_itself);
  request.compute_capability = device.compute_capability;
  request.block = variant.selection.block;
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  variant.study_pending = true;
  variant.request = next_request_++;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(study_tag(index),
               jobs.block(request, device, variant.own || variant.is_edited(), settings_.view));
  request_cubin(index, request.instance);
}

// Out of the corner, as long as nobody has chosen a block. A block that goes with what a person
// changed is part of that change.
void Workbench::put_in_block(int index, const Dim3& grid, bool by_itself) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  const bool chosen = variant.put ? variant.put->block != variant.selection.block
                                  : variant.study != nullptr || variant.selection.block != 0;
  if (variant.placed || chosen) return;
  VariantDocument before = document_of(variant);
  variant.selection.block = telling_block(grid);
  if (!variant.put) variant.put = variant.selection;
  variant.put->block = variant.selection.block;
  if (by_itself && !(before.selection == variant.selection)) {
    moves_.push_back(
        {static_cast<std::size_t>(index), std::move(before), variant.selection, variant.marks});
  }
}

void Workbench::request_grid(int index) {
  Variant& variant = variants_[static_cast<std::size_t>(index)];
  variant.grid_pending = true;
  const StudyJobs jobs{index, variant.request, mailbox_};
  pool_.submit(
      grid_tag(index),
      jobs.grid(variant.study, variant.prepared, variant.own || variant.is_edited(), latencies_),
      JobPool::Priority::kBackground);
}

void Workbench::set_latencies(const std::optional<LatencyModel>& latencies) {
  if (latencies_ == latencies) return;
  latencies_ = latencies;
  for (int i = 0; i < static_cast<int>(variants_.size()); ++i) {
    Variant& variant = variants_[static_cast<std::size_t>(i)];
    variant.alternatives.reset();
    variant.alternatives_asked = false;
    if (variant.study == nullptr || variant.study->device == nullptr) continue;
    if (variant.grid_pending) {
      pool_.cancel(grid_tag(i));
      request_grid(i);
      continue;
    }
    const StudyJobs jobs{i, variant.request, mailbox_};
    pool_.submit(grid_tag(i), jobs.pipeline(variant.study, variant.prepared, latencies));
  }
}

void Workbench::want_stages() {
  Variant& variant = active();
  if (variant.entry == nullptr || variant.is_edited() || variant.study == nullptr ||
      !variant.study->pipeline || variant.alternatives_asked || variant.study_pending ||
      stages_parameter(*variant.entry) == nullptr)
    return;
  variant.alternatives_asked = true;
  const StudyJobs jobs{active_, variant.request, mailbox_};
  pool_.submit(stages_tag(active_), jobs.stages(*variant.entry, variant.study),
               JobPool::Priority::kBackground);
}

}  // namespace tilescope
