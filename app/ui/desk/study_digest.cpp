#include "ui/desk/study_digest.h"

#include <algorithm>

#include "core/quantity.h"

namespace tilescope {
namespace {

// What a line costs beyond the least it could, in the units of its accesses.
struct LineCost {
  std::uint64_t sectors = 0;
  std::uint64_t sectors_ideal = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t wavefronts_ideal = 0;
  [[nodiscard]] std::uint64_t cost() const { return sectors + wavefronts; }
};

std::string describe(const LineCost& cost) {
  std::string words;
  if (cost.sectors > 0) {
    words += format_count(cost.sectors) + " sectors, ideal " + format_count(cost.sectors_ideal);
  }
  if (cost.wavefronts > 0) {
    if (!words.empty()) words += '\n';
    words += format_count(cost.wavefronts);
    words += " wavefronts, ideal ";
    words += format_count(cost.wavefronts_ideal);
  }
  return words;
}

// By source line, or by line of the program's own text.
std::vector<LineHeat> heat_of(const Program& program, const LaunchCounters& counted, bool own) {
  std::vector<LineCost> costs;
  const auto& instructions = program.instructions();
  const auto& counters = counted.by_instruction;
  for (std::size_t i = 0; i < std::min(counters.size(), instructions.size()); ++i) {
    const std::uint32_t line = own ? instructions[i].ptx_line : instructions[i].outermost.line;
    if (line == 0 || counters[i].requests == 0) continue;
    if (costs.size() < line) costs.resize(line);
    LineCost& cost = costs[line - 1];
    cost.sectors += counters[i].sectors;
    cost.sectors_ideal += counters[i].sectors_ideal;
    cost.wavefronts += counters[i].wavefronts;
    cost.wavefronts_ideal += counters[i].wavefronts_ideal;
  }
  std::uint64_t most = 0;
  for (const LineCost& cost : costs) most = std::max(most, cost.cost());
  std::vector<LineHeat> heat(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].cost() == 0) continue;
    heat[i] = {static_cast<float>(static_cast<double>(costs[i].cost()) / static_cast<double>(most)),
               describe(costs[i])};
  }
  return heat;
}

std::vector<std::uint32_t> origins_of(const Program& program) {
  std::vector<std::uint32_t> origins;
  for (const StaticInstruction& instruction : program.instructions()) {
    if (instruction.ptx_line == 0) continue;
    if (origins.size() < instruction.ptx_line) origins.resize(instruction.ptx_line);
    origins[instruction.ptx_line - 1] = instruction.outermost.line;
  }
  return origins;
}

}  // namespace

void StudyDigest::update(const std::shared_ptr<const KernelStudy>& newest, bool as_issued) {
  if (study == newest && asked_issued_ == as_issued) return;
  study = newest;
  asked_issued_ = as_issued;
  issued = false;
  machine_heat.clear();
  lines.clear();
  cuda_heat.clear();
  ptx_heat.clear();
  ptx_origin.clear();
  machine_origin.clear();
  if (study == nullptr || !study->counters || !study->program) return;
  ptx_origin = origins_of(*study->program);
  if (study->issued) machine_origin = origins_of(*study->issued);
  issued = as_issued && study->issued_counters != nullptr;
  const Program& program = issued ? *study->issued : *study->program;
  const LaunchCounters& counters = issued ? *study->issued_counters : *study->counters;
  lines = counters_by_line(program, counters);
  std::erase_if(lines, [](const LineCounters& line) { return line.memory.requests == 0; });
  cuda_heat = heat_of(program, counters, false);
  ptx_heat = heat_of(*study->program, *study->counters, true);
  if (study->issued_counters) machine_heat = heat_of(*study->issued, *study->issued_counters, true);
}

}  // namespace tilescope
