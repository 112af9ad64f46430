#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/launch_memory.h"
#include "core/inbox.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

// Finished work, put here by the pool's threads and taken by tick().
struct Workbench::Mailbox {
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
  };
  struct Stages {
    int variant = 0;
    std::uint64_t request = 0;
    std::vector<PipelineAlternative> alternatives;
  };
  Inbox<Study> studies;
  Inbox<Stages> stages;
  InputCache inputs;
};

}  // namespace tilescope
