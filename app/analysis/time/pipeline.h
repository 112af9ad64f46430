#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "analysis/time/instruction_cost.h"
#include "analysis/time/tile_copies.h"
#include "analysis/time/warp_activity.h"
#include "analysis/time/warp_timing.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// The traced block in modelled cycles (analysis/time/warp_timing.h), from the machine code where it
// is known: its instructions stand in the order in which the hardware issues them.
struct Pipeline {
  std::shared_ptr<const Program> program;   // study.issued, else study.program
  std::shared_ptr<const BlockTrace> trace;  // of that program
  Timeline timeline;                        // of that trace
  std::vector<std::int16_t> phase;  // by instruction: index into study.program->phases(), or -1
  LatencyModel model;
  double dram_share = 0;  // of the sectors that miss L1
  WarpTiming timing;
  TileCopies copies;
  std::vector<std::vector<WarpMoment>> moments;  // of each warp
  std::vector<WarpRaster> rasters;               // of each warp

  // One multiprocessor does its blocks in waves of timing.resident_blocks, after the launch has
  // started (MachineRates::launch_seconds); 0: the trace was cut.
  // Where the model was cut (timing.reached), its rest is taken to go on at the same pace.
  double kernel_seconds = 0;

  std::vector<std::vector<std::uint32_t>> study_events;  // of each warp, in the study's trace

  // Where a moment of the study's trace lies in this one: the same share of the warp's way.
  [[nodiscard]] std::uint32_t cycle_of(std::uint32_t warp, std::uint32_t event) const;
  // And back: the event of study.trace that stands nearest to the cycle.
  [[nodiscard]] std::uint32_t event_at(std::uint32_t warp, std::uint32_t cycle) const;
};

// Precondition: study.device and study.occupancy (with_resources). Traces the block of the machine
// code again where that is known: as long as emulating it, and about 0.1 us an instruction. Errors:
// kCancelled; kKernel for a block that cannot be traced.
[[nodiscard]] Result<std::shared_ptr<const Pipeline>> pipeline_of(
    const KernelStudy& study, const std::optional<LatencyModel>& model, std::stop_token stop);

// The study with its pipeline, from the machine code if that can be had. Precondition as above.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_pipeline(
    std::shared_ptr<const KernelStudy> study, const std::optional<LatencyModel>& model,
    std::stop_token stop);

// The kernel's parameter for the number of tiles that are under way, if it has one: STAGES.
[[nodiscard]] const ParameterSpec* stages_parameter(const CatalogueEntry& entry);

// The same kernel with another number of stages.
struct PipelineAlternative {
  std::int64_t stages = 0;
  std::shared_ptr<const Pipeline> pipeline;
};
// Of each value of stages_parameter() that keeps the rules; [] for a kernel without. Compiles and
// traces each: tenths of a second a value.
[[nodiscard]] Result<std::vector<PipelineAlternative>> pipeline_alternatives(
    const CatalogueEntry& entry, const KernelStudy& study, InputCache* inputs,
    std::stop_token stop);

}  // namespace tilescope
