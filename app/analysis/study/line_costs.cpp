#include "analysis/study/line_costs.h"

namespace tilescope {
namespace {

LineCost cost_of(const LineCounters& row) {
  LineCost cost;
  cost.line = row.line.line;
  cost.writes = row.access == AccessKind::kStore || row.access == AccessKind::kAtomic ||
                row.access == AccessKind::kStmatrix || row.access == AccessKind::kAsyncCopy;
  cost.copies = row.access == AccessKind::kAsyncCopy;
  cost.requests = static_cast<double>(row.memory.requests);
  cost.sectors = static_cast<double>(row.memory.sectors);
  cost.sectors_ideal = static_cast<double>(row.memory.sectors_ideal);
  cost.wavefronts = static_cast<double>(row.memory.wavefronts);
  cost.wavefronts_ideal = static_cast<double>(row.memory.wavefronts_ideal);
  cost.executed = static_cast<double>(row.executed);
  cost.divergent = static_cast<double>(row.divergent);
  return cost;
}

// Takes the place of `best` where `measure` of it is more.
template <typename Measure>
void keep_more(const LineCost& cost, const Measure& measure, LineCost* best) {
  if (measure(cost) > measure(*best)) *best = cost;
}

bool is_inside(const Program& program, std::uint16_t loop, std::uint16_t outer) {
  while (loop != 0 && loop != outer) loop = program.loops()[loop - 1U].parent;
  return loop == outer;
}

// Whether the line's branch that parts lanes most often is the last of a loop: what it does not
// take back to the loop's head goes on behind it.
bool leaves_loop(const Program& program, const LaunchCounters& counters, std::uint32_t line) {
  const std::vector<StaticInstruction>& instructions = program.instructions();
  const std::vector<std::uint64_t>& divergent = counters.executed.divergent;
  std::size_t worst = instructions.size();
  for (std::size_t i = 0; i < instructions.size() && i < divergent.size(); ++i) {
    if (instructions[i].outermost.line != line || divergent[i] == 0) continue;
    if (worst == instructions.size() || divergent[i] > divergent[worst]) worst = i;
  }
  if (worst == instructions.size() || instructions[worst].loop == 0) return false;
  return worst + 1 == instructions.size() ||
         !is_inside(program, instructions[worst + 1].loop, instructions[worst].loop);
}

}  // namespace

LineCosts line_costs(const KernelStudy& study) {
  const bool issued = study.issued_counters != nullptr;
  const Program& program = issued ? *study.issued : *study.program;
  const LaunchCounters& counters = issued ? *study.issued_counters : *study.counters;
  const auto excess_sectors = [](const LineCost& c) { return c.sectors - c.sectors_ideal; };
  const auto excess_wavefronts = [](const LineCost& c) {
    return c.wavefronts - c.wavefronts_ideal;
  };
  LineCosts costs;
  for (const LineCounters& row : counters_by_line(program, counters)) {
    const LineCost cost = cost_of(row);
    const bool loads = row.access == AccessKind::kLoad || row.access == AccessKind::kAsyncCopy;
    keep_more(cost, excess_sectors, loads ? &costs.worst_load : &costs.worst_store);
    if (loads)
      keep_more(
          cost, [](const LineCost& c) { return c.sectors; }, &costs.most_loads);
    keep_more(cost, excess_wavefronts, &costs.worst_shared);
    keep_more(
        cost, [](const LineCost& c) { return c.wavefronts; }, &costs.most_shared);
    keep_more(
        cost, [](const LineCost& c) { return c.divergent; }, &costs.worst_branch);
    const bool others = row.access == AccessKind::kNone &&
                        row.instruction_class != InstructionClass::kFloat &&
                        row.instruction_class != InstructionClass::kTensor;
    if (others)
      keep_more(
          cost, [](const LineCost& c) { return c.executed; }, &costs.most_others);
  }
  costs.worst_branch.leaves_loop = leaves_loop(program, counters, costs.worst_branch.line);
  return costs;
}

namespace {

void add(AccessCost* cost, std::uint64_t requests, std::uint64_t amount, std::uint64_t ideal) {
  cost->requests += static_cast<double>(requests);
  cost->amount += static_cast<double>(amount);
  cost->ideal += static_cast<double>(ideal);
}

}  // namespace

AccessCosts access_costs(const KernelStudy& study) {
  AccessCosts costs;
  const bool issued = study.issued_counters != nullptr;
  const LaunchCounters* counters = issued ? study.issued_counters.get() : study.counters.get();
  if (counters == nullptr) return costs;
  const Program& program = issued ? *study.issued : *study.program;
  for (std::size_t i = 0; i < counters->by_instruction.size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    const AccessCounters& counted = counters->by_instruction[i];
    const bool copies = instruction.access == AccessKind::kAsyncCopy;
    const bool loads = instruction.access == AccessKind::kLoad || copies;
    if (counted.global_requests > 0) {
      add(loads ? &costs.loads : &costs.stores, counted.global_requests,
          counted.sectors - counted.local_sectors, counted.sectors_ideal);
    }
    if (counted.wavefronts > 0) {  // a copy writes what it read
      const bool reads =
          instruction.access == AccessKind::kLoad || instruction.access == AccessKind::kLdmatrix;
      add(reads ? &costs.shared_loads : &costs.shared_stores,
          copies ? counted.requests
                 : counted.requests - counted.global_requests - counted.local_requests,
          counted.wavefronts, counted.wavefronts_ideal);
    }
  }
  return costs;
}

}  // namespace tilescope
