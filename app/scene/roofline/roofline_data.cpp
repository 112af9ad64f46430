#include "scene/roofline/roofline_data.h"

#include "kernel/gemm_factors.h"
#include "kernel/instance.h"
#include "kernel/parameter_values.h"

namespace tilescope {

std::vector<LadderStep> ladder_steps(const Catalogue& catalogue, const CatalogueEntry& entry,
                                     const KernelInstance& launch, const DeviceModel& device,
                                     const LadderQuestions& questions) {
  std::vector<LadderStep> steps;
  for (const CatalogueEntry& step : catalogue.entries) {
    if (step.family != entry.family || multiplies_fp32(step) != multiplies_fp32(entry)) continue;
    const ParameterSet defaults = default_parameters(step);
    const auto time = questions.time_of(step, defaults);
    if (!time) continue;
    const auto instance = instantiate(step, defaults, launch.extents, factors_of(launch), device);
    if (!instance) continue;
    const ProblemCost cost = problem_cost(*instance);
    steps.push_back(
        {step.id, step.title, *time, cost.flop, cost.bytes, questions.moved_by(step, defaults)});
  }
  return steps;
}

}  // namespace tilescope
