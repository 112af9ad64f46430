#pragma once
#include <cstddef>
#include <memory>
#include <stop_token>

#include "analysis/launch_memory.h"
#include "analysis/winner.h"
#include "core/device_table.h"
#include "gpu/measurement.h"
#include "ui/workbench/tuner.h"

namespace tilescope {

// What all combinations of one run of the tuner share.
struct TuningTask {
  const CatalogueEntry* entry = nullptr;
  ParameterSet extents;
  GemmFactors factors;
  DeviceModel device;
  bool measures = false;  // else the time model says how long each takes
};

// A combination on its way through a run.
struct TuningCandidate {
  std::size_t index = 0;  // in the order of the run
  TunedVariant variant;
  std::shared_ptr<const KernelInstance> instance;
  std::shared_ptr<const CompiledKernel> compiled;  // waits for the GPU; nullptr: nothing is left
};

// Compiles the candidate for the GPU, or models its time on `workers` threads; what hinders that
// stands in its variant. For a thread of the pool.
void prepare_candidate(const TuningTask& task, unsigned workers, InputCache* inputs,
                       const std::stop_token& stop, TuningCandidate* candidate);

// Studies the start and the winner and compares them; where one of them cannot be studied, the
// story has no reasons. `changes`: what was changed between them, in words. For a thread of the
// pool.
[[nodiscard]] WinnerStory explain_winner(const TuningTask& task, const std::string& changes,
                                         const TunedVariant& start, const TunedVariant& winner,
                                         InputCache* inputs, const std::stop_token& stop);

// Enough to tell a few per cent apart.
[[nodiscard]] TimingOptions short_timing(bool reference);
// For the best few.
[[nodiscard]] TimingOptions long_timing();

}  // namespace tilescope
