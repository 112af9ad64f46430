#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/measured_phases.h"
#include "core/job_pool.h"
#include "gpu/worker_link.h"

namespace tilescope {

// Instrumented runs for the pipeline view: built on the pool, run by the worker. Owned by the UI
// thread; a run that fails says nothing, for the picture is whole without it.
class PhaseRuns {
 public:
  PhaseRuns();

  struct Wanted {
    int variant = 0;
    std::uint64_t request = 0;  // of the variant's study
    std::shared_ptr<const KernelStudy> study;
    int compute_capability = 0;
    double kernel_seconds = 0;  // of the kernel without stamps
  };
  void want(Wanted wanted, JobPool& pool);
  // Nobody wants them of this variant any more: what waits goes, what runs is stopped.
  void cancel(int variant, JobPool& pool, WorkerLink& gpu);

  // Sends what has been built.
  void submit(WorkerLink& gpu);

  // Whether this answers one of them; `deliver` gets what it says.
  using Deliver = std::function<void(const Wanted&, std::shared_ptr<const MeasuredPhases>)>;
  bool take(const WorkerLink::Answer& answer, const Deliver& deliver);

 private:
  struct Mailbox;
  struct Running {
    WorkerLink::RequestId request_id = 0;
    Wanted wanted;
  };
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<Running> running_;
};

}  // namespace tilescope
