#include "ui/source/study_digest.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/quantity.h"
#include "scene/pages/counters_page.h"

namespace tilescope {
namespace {

// What a line has of the column's counts, and the least of it that would do.
struct LineCount {
  std::uint64_t all = 0;
  std::uint64_t least = 0;
};

LineCount count_of(const LaunchCounters& counted, std::size_t instruction, HeatColumn column) {
  if (column == HeatColumn::kExecuted) return {counted.executed.warps[instruction], 0};
  const AccessCounters& memory = counted.by_instruction[instruction];
  return column == HeatColumn::kSectors ? LineCount{memory.sectors, memory.sectors_ideal}
                                        : LineCount{memory.wavefronts, memory.wavefronts_ideal};
}

std::string describe(const LineCount& count, HeatColumn column) {
  if (column == HeatColumn::kExecuted) return counted(count.all, "warp instruction");
  return fmt::format("{} {}, ideal {}", format_count(count.all), name_of(column),
                     format_count(count.least));
}

// By source line, or by line of the program's own text.
std::vector<LineHeat> heat_of(const Program& program, const LaunchCounters& counted,
                              HeatColumn column, bool own) {
  std::vector<LineCount> lines;
  const auto& instructions = program.instructions();
  const std::size_t known = std::min(counted.by_instruction.size(), counted.executed.warps.size());
  for (std::size_t i = 0; i < std::min(known, instructions.size()); ++i) {
    const std::uint32_t line = own ? instructions[i].ptx_line : instructions[i].outermost.line;
    if (line == 0) continue;
    if (lines.size() < line) lines.resize(line);
    const LineCount count = count_of(counted, i, column);
    lines[line - 1].all += count.all;
    lines[line - 1].least += count.least;
  }
  std::uint64_t most = 0;
  for (const LineCount& line : lines) most = std::max(most, line.all);
  const auto part = [&](std::uint64_t count) {
    return static_cast<float>(static_cast<double>(count) / static_cast<double>(most));
  };
  std::vector<LineHeat> heat(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].all == 0) continue;
    heat[i] = {part(lines[i].all), part(std::min(lines[i].least, lines[i].all)),
               describe(lines[i], column)};
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

void StudyDigest::update(const std::shared_ptr<const KernelStudy>& newest, bool as_issued,
                         HeatColumn column) {
  if (study == newest && asked_issued_ == as_issued && column_ == column) return;
  column_ = column;
  study = newest;
  asked_issued_ = as_issued;
  issued = false;
  machine_heat.clear();
  lines.clear();
  source_heat.clear();
  ptx_heat.clear();
  ptx_origin.clear();
  machine_origin.clear();
  if (study == nullptr || !study->counters || !study->program) return;
  ptx_origin = origins_of(*study->program);
  if (study->issued) machine_origin = origins_of(*study->issued);
  issued = as_issued && study->issued_counters != nullptr;
  const Program& program = issued ? *study->issued : *study->program;
  const LaunchCounters& counters = issued ? *study->issued_counters : *study->counters;
  lines = accessing_lines(program, counters);
  source_heat = heat_of(program, counters, column, false);
  ptx_heat = heat_of(*study->program, *study->counters, column, true);
  if (study->issued_counters)
    machine_heat = heat_of(*study->issued, *study->issued_counters, column, true);
}

}  // namespace tilescope
