#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/memory/counters.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/timeline.h"
#include "analysis/study/verification.h"
#include "core/device_table.h"
#include "core/result.h"
#include "emulator/block/block_trace.h"
#include "emulator/device_memory.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/instance.h"

namespace tilescope {

struct Pipeline;  // analysis/time/pipeline.h

// All that is known about one kernel at one set of parameters: what the views are drawn from.
// Immutable once built; parts that come later (resources, whole grid) make a new study that shares
// the rest.
struct KernelStudy {
  KernelInstance instance;
  std::shared_ptr<const CompiledKernel> compiled;  // PTX; the cubin's resources once known
  std::shared_ptr<const Program> program;          // as written: the PTX
  std::shared_ptr<const Program> issued;       // as issued: the cubin's code; nullptr: not known
  std::shared_ptr<const DeviceMemory> memory;  // inputs as the kernel found them
  Launch launch;
  std::shared_ptr<const BlockTrace> trace;  // the chosen block
  std::shared_ptr<const Timeline> timeline;
  std::shared_ptr<const LaunchCounters> counters;         // a sample first, the whole grid later
  std::shared_ptr<const LaunchCounters> issued_counters;  // by instruction of `issued`
  std::string why_not_issued;          // one sentence, once it is known that they cannot be had
  std::optional<Occupancy> occupancy;  // once registers are known
  std::shared_ptr<const DeviceModel> device;  // that it is of
  std::shared_ptr<const Pipeline> pipeline;   // modelled; the machine code's once that is known
  std::vector<Finding> findings;
  std::optional<Verification> verification;  // of the whole grid, catalogue problems only
  bool complete = true;
  double compile_seconds = 0;
  double emulate_seconds = 0;

  [[nodiscard]] bool traced() const { return trace != nullptr; }
};

class InputCache;  // analysis/memory/launch_memory.h

struct StudyRequest {
  KernelInstance instance;
  InputCache* inputs = nullptr;  // may be shared by requests; nullptr: made anew
  int compute_capability = 90;
  std::uint64_t block = 0;  // linear index of the block to trace
  std::size_t most_events = 1u << 22;
  unsigned workers = 1;
};

// Compiles to PTX, decodes it and makes the launch's memory; emulates nothing yet.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> prepare_study(const StudyRequest& request,
                                                                       std::stop_token stop);

// prepare_study, then traces the chosen block and counts it and a few more
// (analysis/study/study_counts.h), each scaled by the blocks that it stands for.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                                     std::stop_token stop);

// Adds the cubin's registers, shared memory, spills, the device and the occupancy on it.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_resources(
    std::shared_ptr<const KernelStudy> study, const DeviceModel& device, std::stop_token stop);

}  // namespace tilescope
