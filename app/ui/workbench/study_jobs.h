#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/study/launch_trial.h"
#include "analysis/time/pipeline.h"
#include "core/device_table.h"
#include "core/job_pool.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/model/prepared.h"
#include "scene/model/selection.h"
#include "scene/view/view.h"
#include "ui/workbench/own_kernel_list.h"

namespace tilescope {

// Where to look in a study that nobody has looked at yet. Lines are chosen by people: without one
// the views follow time.
[[nodiscard]] Selection first_look(View view, const KernelStudy& study,
                                   const PreparedStudy& prepared);

// Finished work, put here by the pool's threads and taken by Workbench::tick().
struct StudyMailbox {
  // How far a request has come with this.
  enum class Stage : std::uint8_t {
    kComplaint,      // NVRTC's; nvcc is asked, which may take it back
    kTraced,         // one block; resources follow, unless it failed
    kWithResources,  // all that is urgent
    kGridUnderWay,   // counts and checks of the background's; more follow
    kGridDone,
  };
  struct Study {
    int variant = 0;
    std::uint64_t request = 0;
    Result<std::shared_ptr<const KernelStudy>> study = Error{};
    std::shared_ptr<const PreparedStudy> prepared;  // of study, where it has a trace
    Stage stage = Stage::kTraced;
    std::vector<Error> errors{};  // all of the compiler's, where it failed
    Selection first{};            // where to look, in the first of a request
    View view = View::kTiling;    // in which view
  };
  // Compiled code on its way to the worker, ahead of the study.
  struct Cubin {
    int variant = 0;
    std::uint64_t request = 0;
    std::shared_ptr<const KernelInstance> instance;
    std::shared_ptr<const CompiledKernel> compiled;
  };
  // A guessed launch of a kernel of the user's, corrected.
  struct Trial {
    std::string file;
    LaunchForm guess;
    LaunchTrial trial;
  };
  // A file of the user's that was read in the background.
  struct Opened {
    std::string path;
    Result<ReadFile> read = Error{};
  };
  Inbox<Opened> opened;
  Inbox<Study> studies;
  Inbox<Cubin> cubins;
  Inbox<Trial> trials;
  InputCache inputs;
};

// Makes the pool's jobs for one request of one variant. Each puts what it finds into the mailbox.
struct StudyJobs {
  int variant = 0;
  std::uint64_t request = 0;
  std::shared_ptr<StudyMailbox> mailbox;

  // Compiles and traces one block, then reads the cubin's resources. `own`: the text may be wrong.
  // `view`: the picture in front, for where to look first.
  [[nodiscard]] JobPool::Work block(StudyRequest asked, const DeviceModel& device, bool own,
                                    View view) const;
  // Checks (of the user's own text), the counts of the machine code, the pipeline, the whole grid.
  [[nodiscard]] JobPool::Work grid(std::shared_ptr<const KernelStudy> study,
                                   std::shared_ptr<const PreparedStudy> prepared, bool own,
                                   const std::optional<LatencyModel>& latencies) const;
  // The pipeline of a complete study, anew.
  [[nodiscard]] JobPool::Work pipeline(std::shared_ptr<const KernelStudy> study,
                                       std::shared_ptr<const PreparedStudy> prepared,
                                       const std::optional<LatencyModel>& latencies) const;
  // The cubin: a study traces first and compiles for the GPU after; a measurement does not wait.
  [[nodiscard]] JobPool::Work cubin(const KernelInstance& instance, int compute_capability) const;
};

}  // namespace tilescope
