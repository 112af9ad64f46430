// What a Workbench has computed for its variants (ui/workbench/workbench.h).
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "analysis/issued_study.h"
#include "kernel/compile_errors.h"
#include "scene/telling_selection.h"
#include "session/variant_instance.h"
#include "ui/workbench/study_mailbox.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

std::string study_tag(int variant) { return fmt::format("study {}", variant); }
std::string grid_tag(int variant) { return fmt::format("grid {}", variant); }
std::string stages_tag(int variant) { return fmt::format("stages {}", variant); }

// Where to look in a study that nobody has looked at yet. Lines are chosen by people: without one
// the views follow time.
Selection first_look(View view, const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection = telling_selection(view, study, prepared);
  selection.line = 0;
  return selection;
}

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
  stop_looking_around();
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
  pool_.submit(study_tag(index), [request, index, id = variant.request, mailbox = mailbox_, device,
                                  own = variant.own || variant.is_edited(),
                                  view = settings_.view](const std::stop_token& stop) mutable {
    using Stage = Mailbox::Stage;
    if (own) {
      auto errors = complaints_before_nvcc({request.instance, request.compute_capability}, stop);
      if (!errors.empty()) {
        const Error first = errors.front();
        mailbox->studies.put({index, id, first, nullptr, Stage::kComplaint, std::move(errors)});
      }
    }
    request.inputs = &mailbox->inputs;
    auto study = study_block(request, stop);
    const bool failed = !study.ok();
    const auto prepared = failed ? nullptr : prepare(**study);
    std::vector<Error> errors;
    if (failed && study.error().code == ErrorCode::kKernel && study.error().place.line > 0) {
      errors = compile_errors({request.instance, request.compute_capability}, stop);
    }
    mailbox->studies.put({index, id, study, prepared, Stage::kTraced, std::move(errors),
                          failed ? Selection{} : first_look(view, **study, *prepared)});
    if (failed || stop.stop_requested()) return;
    auto complete = with_resources(*study, device, stop);
    const auto diagnosed = complete.ok() ? prepare_again(**complete, *prepared) : prepared;
    mailbox->studies.put({index, id, std::move(complete), diagnosed, Stage::kWithResources});
  });
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
  pool_.submit(
      grid_tag(index),
      [study = variant.study, prepared = variant.prepared, own = variant.own || variant.is_edited(),
       index, id = variant.request, mailbox = mailbox_,
       latencies = latencies_](const std::stop_token& stop) mutable {
        using Stage = Mailbox::Stage;
        const auto put = [&](Result<std::shared_ptr<const KernelStudy>> counted,
                             std::shared_ptr<const PreparedStudy> from_it, Stage stage) {
          mailbox->studies.put({index, id, std::move(counted), std::move(from_it), stage});
        };
        // What comes with the program is known to be sound.
        for (const CheckedBlocks blocks : {CheckedBlocks::kTraced, CheckedBlocks::kSample}) {
          if (!own) break;
          auto checked = with_checks(study, blocks, stop);
          if (!checked) return;
          study = *std::move(checked);
          put(study, prepared, Stage::kGridUnderWay);
        }
        // What the machine issues, over a sample; the whole grid as written; then that as issued.
        auto issued = with_issued_counts(study, Counted::kSample, 1, stop);
        if (!issued) return;
        put(issued, prepare_again(**issued, *prepared), Stage::kGridUnderWay);
        if (auto piped = with_pipeline(*issued, latencies, stop)) {
          issued = std::move(piped);
          put(issued, prepare_again(**issued, *prepared), Stage::kGridUnderWay);
        }
        auto grid = run_grid(**issued, 1, stop);
        if (!grid) {
          put(std::move(grid).error(), nullptr, Stage::kGridDone);
          return;
        }
        const auto counted = with_grid(*issued, *grid);
        prepared = prepare_again(*counted, *prepared);
        const auto& sample = counted->issued_counters;
        const bool done = sample == nullptr || sample->whole_grid;
        put(counted, prepared, done ? Stage::kGridDone : Stage::kGridUnderWay);
        if (done) return;
        issued = with_issued_counts(counted, Counted::kGrid, 1, stop);
        if (!issued) return;
        const auto last = prepare_again(**issued, *prepared);
        put(std::move(issued), last, Stage::kGridDone);
      },
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
    pool_.submit(
        grid_tag(i), [study = variant.study, prepared = variant.prepared, i, id = variant.request,
                      mailbox = mailbox_, latencies](const std::stop_token& stop) {
          mailbox->studies.put(
              {i, id, with_pipeline(study, latencies, stop), prepared, Mailbox::Stage::kGridDone});
        });
  }
}

void Workbench::want_stages() {
  Variant& variant = active();
  if (variant.entry == nullptr || variant.is_edited() || variant.study == nullptr ||
      !variant.study->pipeline || variant.alternatives_asked || variant.study_pending ||
      stages_parameter(*variant.entry) == nullptr)
    return;
  variant.alternatives_asked = true;
  pool_.submit(
      stages_tag(active_),
      [entry = *variant.entry, study = variant.study, index = active_, id = variant.request,
       mailbox = mailbox_](const std::stop_token& stop) {
        auto alternatives = pipeline_alternatives(entry, *study, &mailbox->inputs, stop);
        if (!alternatives) return;
        mailbox->stages.put({index, id, *std::move(alternatives)});
      },
      JobPool::Priority::kBackground);
}

}  // namespace tilescope
