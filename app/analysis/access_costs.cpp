#include "analysis/access_costs.h"

namespace tilescope {
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
