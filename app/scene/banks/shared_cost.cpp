#include "scene/banks/shared_cost.h"

#include "analysis/async_copy_cost.h"

namespace tilescope {

WavefrontCost SharedCost::cost_at(const WarpAccess& elsewhere) const {
  if (!copy) return wavefront_cost(elsewhere);
  return async_copy_cost(copy->source, elsewhere, copy->variant).writes;
}

SharedCost shared_cost(const KernelStudy& study, std::uint32_t event) {
  const TraceEvent& traced = study.trace->events[event];
  const StaticInstruction& instruction = study.program->instructions()[traced.instruction];
  SharedCost shared;
  shared.access = study.trace->access(traced.access);
  if (instruction.access == AccessKind::kAsyncCopy) {
    const WarpAccess source = shared.access;
    shared.access = study.trace->access(traced.access + 1);
    shared.copy = SharedCost::Copy{source, instruction.variant, source_lines(source)};
  }
  shared.cost = shared.cost_at(shared.access);
  shared.lanes_meet = shared.cost.conflicts() > 0 && wavefront_cost(shared.access).conflicts() > 0;
  return shared;
}

}  // namespace tilescope
