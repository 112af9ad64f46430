#include "ui/workbench/study_jobs.h"

#include <utility>

#include "analysis/study/issued_study.h"
#include "kernel/compile/compile.h"
#include "scene/view/telling_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {

using Stage = StudyMailbox::Stage;

// Where to look in a study that nobody has looked at yet. Lines are chosen by people: without one
// the views follow time.
Selection first_look(View view, const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection = telling_selection(view, study, prepared);
  selection.line = 0;
  return selection;
}

}  // namespace

JobPool::Work StudyJobs::block(StudyRequest asked, const DeviceModel& device, bool own,
                               View view) const {
  return [request = std::move(asked), index = variant, id = this->request, mailbox = mailbox,
          device, own, view](const std::stop_token& stop) mutable {
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
    if (failed && study.error().code == ErrorCode::kCompile && study.error().place.line > 0) {
      errors = compile_errors({request.instance, request.compute_capability}, stop);
    }
    mailbox->studies.put({index, id, study, prepared, Stage::kTraced, std::move(errors),
                          failed ? Selection{} : first_look(view, **study, *prepared)});
    if (failed || stop.stop_requested()) return;
    auto complete = with_resources(*study, device, stop);
    const auto diagnosed = complete.ok() ? prepare_again(**complete, *prepared) : prepared;
    mailbox->studies.put({index, id, std::move(complete), diagnosed, Stage::kWithResources});
  };
}

JobPool::Work StudyJobs::grid(std::shared_ptr<const KernelStudy> of,
                              std::shared_ptr<const PreparedStudy> prepared_of, bool own,
                              const std::optional<LatencyModel>& latencies) const {
  return [study = std::move(of), prepared = std::move(prepared_of), own, index = variant,
          id = request, mailbox = mailbox, latencies](const std::stop_token& stop) mutable {
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
  };
}

JobPool::Work StudyJobs::pipeline(std::shared_ptr<const KernelStudy> study,
                                  std::shared_ptr<const PreparedStudy> prepared,
                                  const std::optional<LatencyModel>& latencies) const {
  return [study = std::move(study), prepared = std::move(prepared), index = variant, id = request,
          mailbox = mailbox, latencies](const std::stop_token& stop) {
    mailbox->studies.put(
        {index, id, with_pipeline(study, latencies, stop), prepared, Stage::kGridDone});
  };
}

JobPool::Work StudyJobs::stages(const CatalogueEntry& entry,
                                std::shared_ptr<const KernelStudy> study) const {
  return [entry, study = std::move(study), index = variant, id = request,
          mailbox = mailbox](const std::stop_token& stop) {
    auto alternatives = pipeline_alternatives(entry, *study, &mailbox->inputs, stop);
    if (!alternatives) return;
    mailbox->stages.put({index, id, *std::move(alternatives)});
  };
}

JobPool::Work StudyJobs::cubin(const KernelInstance& instance, int compute_capability) const {
  return [index = variant, id = request, mailbox = mailbox,
          instance = std::make_shared<const KernelInstance>(instance),
          compute_capability](const std::stop_token& stop) {
    auto compiled = compile({*instance, compute_capability, true}, stop);
    if (!compiled || !compiled->can_be_loaded()) return;  // the study says what is wrong
    mailbox->cubins.put(
        {index, id, instance, std::make_shared<const CompiledKernel>(*std::move(compiled))});
  };
}

}  // namespace tilescope
