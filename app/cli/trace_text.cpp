#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "analysis/occupancy_limits.h"
#include "cli/line_class.h"
#include "cli/trace_report.h"
#include "core/quantity.h"
#include "emulator/finding_place.h"

namespace tilescope {
namespace {

std::vector<std::string> lines_of(const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream text(source);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& line, std::size_t most) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, most);
}

std::string size_text(const Dim3& dim) {
  return dim.z > 1 ? fmt::format("{} x {} x {}", dim.x, dim.y, dim.z)
                   : fmt::format("{} x {}", dim.x, dim.y);
}

std::string header(const TraceReport& report) {
  const KernelStudy& study = *report.study;
  std::string text =
      fmt::format("{}  grid {}, block {}, {}\n", study.instance.title, size_text(study.launch.grid),
                  size_text(study.launch.block), study.compiled->architecture);
  if (study.compiled->has_resources) {
    const KernelResources& resources = study.compiled->resources;
    text +=
        fmt::format("{} registers, {} static + {} dynamic shared, {} spilled", resources.registers,
                    format(resources.static_shared_bytes, Unit::kBytes),
                    format(study.launch.dynamic_shared_bytes, Unit::kBytes),
                    format(resources.spill_store_bytes + resources.spill_load_bytes, Unit::kBytes));
    if (study.occupancy) {
      text += fmt::format("; {} blocks per SM, limited by {}",
                          study.occupancy->blocks_per_multiprocessor,
                          limits_in_words(*study.occupancy));
    }
    text += '\n';
  }
  if (!study.compiled->why_nvcc.empty()) text += note_on_compiler(*study.compiled) + '\n';
  const Emulation& emulation = *report.emulation;
  text += fmt::format(
      "{} emulated: {} of {} blocks, {} lane instructions in {}{}\n\n",
      marker_of(Source::kEmulated), format_count(report.written->blocks_counted),
      format_count(study.launch.grid.count()), format_count(emulation.lane_instructions),
      format(emulation.seconds, Unit::kSeconds),
      report.written->whole_grid ? "" : "; counts below are scaled from this sample");
  text.pop_back();
  text += report.issued != nullptr ? "counted as issued: the machine code's own instructions\n\n"
          : report.why_not_issued.empty()
              ? "counted as written: the PTX\'s instructions\n\n"
              : fmt::format("counted as written, not as issued: {}\n\n", report.why_not_issued);
  if (study.program->cluster().count() > 1) {
    text.pop_back();
    text +=
        "accesses to another block's shared memory are executed, and counted in no wavefronts (but "
        "atomics), as on an H200\n\n";
  }
  return text;
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.1f}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string memory_table(const TraceReport& report) {
  const auto source = lines_of(report.study->instance.source);
  std::string text = fmt::format("{:>5} {:<13} {:>14} {:>15} {:>15} {:>11}  {}\n", "line", "class",
                                 "requests", "cost", "ideal", "per request", "source");
  for (const LineCounters& row : counters_by_line(report.program(), report.counters())) {
    const bool wavefronts = row.memory.wavefronts > 0 && row.memory.sectors == 0;
    if (row.access == AccessKind::kNone || row.memory.requests == 0) continue;
    const std::uint64_t cost = wavefronts ? row.memory.wavefronts : row.memory.sectors;
    const std::uint64_t ideal = wavefronts ? row.memory.wavefronts_ideal : row.memory.sectors_ideal;
    const std::string code = row.line.line >= 1 && row.line.line <= source.size()
                                 ? trimmed(source[row.line.line - 1], 48)
                                 : "";
    text += fmt::format("{:>5} {:<13} {:>14} {:>13} {} {:>13} {} {:>11}  {}\n", row.line.line,
                        class_of(row), format_count(row.memory.requests), format_count(cost),
                        wavefronts ? "w" : "s", format_count(ideal), wavefronts ? "w" : "s",
                        ratio(cost, row.memory.requests), code);
  }
  return text + "      s = 32-byte sectors, w = shared-memory wavefronts\n\n";
}

std::string metrics_table(const TraceReport& report) {
  std::string text;
  const auto by_turns = metrics_that_depend_on_turns(report.program(), report.counters());
  for (const auto& [name, value] : metrics_of(report.program(), report.counters())) {
    const auto other = by_turns.find(name);
    text += fmt::format(
        "{:<64} {:>16}{}\n", name, format_count(value),
        other == by_turns.end() ? "" : fmt::format(" or {:>16}", format_count(other->second)));
  }
  if (!by_turns.empty()) {
    text +=
        "or: with the last warp and block first. What atomics return depends on the order, which "
        "changes on a GPU\n";
  }
  return text;
}

std::string findings_list(const TraceReport& report) {
  const Program& program = *report.study->program;
  const FindingPlaces places(program);
  std::string text;
  for (const Finding& finding : report.emulation->findings) {
    FindingPlace place;
    if (finding.instruction < program.instructions().size()) place = places.of(finding.instruction);
    const std::string calls = describe_calls(place);
    const std::string& file = report.study->instance.file_name;
    text += fmt::format("{}:{}: {}: {} ({}{}block {},{},{} thread {},{},{})\n", file,
                        place.line.line, name_of(finding.kind), finding.message, calls,
                        calls.empty() ? "" : "; ", finding.block.x, finding.block.y,
                        finding.block.z, finding.thread.x, finding.thread.y, finding.thread.z);
    if (!finding.other) continue;
    const Finding::Other& other = *finding.other;
    text.insert(text.size() - 2, fmt::format("; the other: block {},{},{} thread {},{},{}",
                                             other.block.x, other.block.y, other.block.z,
                                             other.thread.x, other.thread.y, other.thread.z));
  }
  return text.empty() ? text : "\n" + text;
}

std::string verdicts_list(const Diagnosis& diagnosis) {
  std::string text =
      fmt::format("\n{} modelled on {}: {}. {}.\n", marker_of(Source::kModelled), diagnosis.device,
                  format(diagnosis.bounds.total(), Unit::kSeconds), diagnosis.held_by);
  for (const Verdict& verdict : diagnosis.verdicts) {
    text += fmt::format("{:>4.0f} %  {}: {}\n", -100 * verdict.worth, verdict.fact, verdict.detail);
  }
  return text;
}

}  // namespace

std::string trace_text(const TraceReport& report) {
  std::string text =
      header(report) + memory_table(report) + metrics_table(report) + findings_list(report);
  if (report.diagnosis) text += verdicts_list(*report.diagnosis);
  if (!report.not_modelled.empty()) text += "\n" + report.not_modelled + "\n";
  if (report.verification) {
    text += fmt::format("\nresult {}: largest error {:.3g}, tolerance {:.3g}\n",
                        report.verification->ok() ? "right" : "WRONG",
                        report.verification->max_error, report.verification->tolerance);
  }
  return text;
}

}  // namespace tilescope
