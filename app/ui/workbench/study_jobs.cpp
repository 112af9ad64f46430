#include "ui/workbench/study_jobs.h"

#include <utility>

#include "analysis/time/pipeline.h"
#include "analysis/time/study_depth.h"
#include "kernel/compile/compile.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {
using Stage = StudyMailbox::Stage;
}

Selection first_look(View view, const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection = default_selection(view, study, prepared);
  selection.line = 0;
  return selection;
}

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
                          failed ? Selection{} : first_look(view, **study, *prepared), view});
    if (failed || stop.stop_requested()) return;
    auto complete = with_resources(*study, device, stop);
    const auto diagnosed = complete.ok() ? prepare_again(**complete, *prepared) : prepared;
    mailbox->studies.put({index, id, std::move(complete), diagnosed, Stage::kWithResources});
  };
}

JobPool::Work StudyJobs::grid(std::shared_ptr<const KernelStudy> of,
                              std::shared_ptr<const PreparedStudy> prepared_of, bool own,
                              const std::optional<LatencyModel>& latencies) const {
  // What comes with the program is known to be sound.
  const StudyDepth depth{
      .checks = own, .issued = true, .pipeline = true, .whole_grid = true, .latencies = latencies};
  return [study = std::move(of), prepared = std::move(prepared_of), depth, index = variant,
          id = request, mailbox = mailbox](const std::stop_token& stop) mutable {
    const auto put = [&](const std::shared_ptr<const KernelStudy>& next) {
      prepared = prepare_again(*next, *prepared);
      mailbox->studies.put({index, id, next, prepared, Stage::kGridUnderWay});
    };
    auto whole = with_depth(study, depth, stop, put);
    if (!whole && whole.error().code == ErrorCode::kCancelled) return;
    mailbox->studies.put({index, id, whole, whole ? prepared : nullptr, Stage::kGridDone});
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
