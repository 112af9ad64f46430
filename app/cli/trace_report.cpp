#include "cli/trace_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/memory/counters.h"
#include "analysis/occupancy/occupancy.h"
#include "cli/launch_remarks.h"
#include "core/quantity.h"
#include "emulator/finding_place.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

const char* space_name(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "global_";
    case MemorySpace::kShared:
      return "shared_";
    case MemorySpace::kLocal:
      return "local_";
    case MemorySpace::kConstant:
      return "constant_";
    case MemorySpace::kParameter:
      return "parameter_";
    case MemorySpace::kGeneric:
      return "generic_";
    case MemorySpace::kClusterShared:
      return "cluster_";
    case MemorySpace::kNone:
      return "";
  }
  return "";
}

// "global_load", "shared_store", "async_copy" ...; for the rest the class: "float", "control" ...
std::string class_of(const LineCounters& row) {
  const std::string space = space_name(row.space);
  switch (row.access) {
    case AccessKind::kLoad:
      return space + "load";
    case AccessKind::kStore:
      return space + "store";
    case AccessKind::kAtomic:
      return space + "atomic";
    case AccessKind::kAsyncCopy:
      return "async_copy";
    case AccessKind::kLdmatrix:
      return "ldmatrix";
    case AccessKind::kStmatrix:
      return "stmatrix";
    case AccessKind::kNone:
      return std::string(name_of(row.instruction_class));
  }
  return "";
}

using nlohmann::json;

std::string file_of(const Program& program, const SourceLine& line) {
  return program.files().size() > line.file ? program.files()[line.file] : "";
}

void add_costs(const AccessCounters& counters, json* row) {
  (*row)["requests"] = counters.requests;
  (*row)["distinct_bytes"] = counters.distinct_bytes;
  (*row)["sectors"] = counters.sectors;
  (*row)["sectors_ideal"] = counters.sectors_ideal;
  (*row)["wavefronts"] = counters.wavefronts;
  (*row)["wavefronts_ideal"] = counters.wavefronts_ideal;
}

json line_of(const Program& program, const LineCounters& row) {
  json line = {{"file", file_of(program, row.line)},
               {"line", row.line.line},
               {"class", class_of(row)},
               {"executed", row.executed},
               {"active_lanes", row.lanes}};
  if (row.divergent != 0) line["divergent_branches"] = row.divergent;
  if (row.access != AccessKind::kNone) add_costs(row.memory, &line);
  return line;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::uint64_t distinct_bytes_of(const LaunchCounters& counters) {
  std::uint64_t bytes = 0;
  for (const AccessCounters& access : counters.by_instruction) bytes += access.distinct_bytes;
  return bytes;
}

json lines_of(const Program& program, const LaunchCounters& counters) {
  json lines = json::array();
  for (const LineCounters& row : counters_by_line(program, counters)) {
    lines.push_back(line_of(program, row));
  }
  return lines;
}

json modelled(const Diagnosis& diagnosis) {
  json verdicts = json::array();
  for (const Verdict& verdict : diagnosis.verdicts) {
    verdicts.push_back({{"fact", verdict.fact},
                        {"detail", verdict.detail},
                        {"line", verdict.line},
                        {"worth", verdict.worth}});
  }
  json encoded = {{"device", diagnosis.device},
                  {"seconds", diagnosis.bounds.total()},
                  {"limited_by", diagnosis.limited_by},
                  {"verdicts", verdicts}};
  if (const auto range = range_of(diagnosis.bounds, diagnosis.rates)) {
    encoded["range"] = {
        {"least_seconds", range->least}, {"most_seconds", range->most}, {"why", range->why}};
  }
  if (!diagnosis.calibrated.empty()) encoded["calibrated"] = diagnosis.calibrated;
  return encoded;
}

}  // namespace

nlohmann::json finding_json(const Program& program, const FindingPlaces& places,
                            const Finding& finding) {
  json row = {{"kind", name_of(finding.kind)},
              {"message", finding.message},
              {"block", triple(finding.block)},
              {"thread", triple(finding.thread)}};
  if (is_advice(finding.kind)) row["advice"] = true;
  if (finding.instruction < program.instructions().size()) {
    const FindingPlace place = places.of(finding.instruction);
    row["file"] = file_of(program, place.line);
    row["line"] = place.line.line;
    if (place.assembly_line != 0) row["assembly_line"] = place.assembly_line;
    if (!place.called_from.empty()) row["called_from"] = place.called_from;
  }
  if (finding.other) {
    row["other_block"] = triple(finding.other->block);
    row["other_thread"] = triple(finding.other->thread);
    if (finding.other->instruction < program.instructions().size())
      row["other_line"] = places.line_of(finding.other->instruction);
  }
  return row;
}

json instructions_json(const Program& program, const LaunchCounters& counters) {
  json rows = json::array();
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    if (!instruction.counts) continue;
    // A launch of which no block was counted has no counts.
    const auto count = [i](const auto& counts) { return i < counts.size() ? counts[i] : 0; };
    json row = {{"text", instruction.text},
                {"file", file_of(program, instruction.source)},
                {"line", instruction.source.line},
                {"code_line", instruction.ptx_line},
                {"executed", count(counters.executed.warps)},
                {"threads", count(counters.executed.threads)},
                {"active_lanes", count(counters.executed.lanes)}};
    if (instruction.access != AccessKind::kNone && i < counters.by_instruction.size())
      add_costs(counters.by_instruction[i], &row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string trace_json(const TraceReport& report) {
  const KernelStudy& study = *report.study;
  const Program& program = *study.program;
  json document = {
      {"compiler", study.compiled->compiler},
      {"kernel", study.instance.kernel.empty() ? program.kernel() : study.instance.kernel},
      {"arch", study.compiled->architecture},
      {"grid", triple(study.launch.grid)},
      {"block", triple(study.launch.block)},
      {"dynamic_shared_bytes", study.launch.dynamic_shared_bytes},
      {"complete", report.emulation->complete},
      {"sample", !report.written->whole_grid},
      {"counted", report.issued != nullptr ? "issued" : "written"},
      {"metrics", metrics_of(report.program(), report.counters())}};
  const auto by_turns = metrics_that_depend_on_turns(report.program(), report.counters());
  if (!by_turns.empty()) document["metrics_with_other_turns"] = by_turns;
  if (report.issued != nullptr) {
    document["as_written"] = {{"metrics", metrics_of(program, *report.written)},
                              {"lines", lines_of(program, *report.written)}};
    document["same_result"] = report.same_result;
  } else if (!report.why_not_issued.empty()) {
    document["why_not_issued"] = report.why_not_issued;
  }
  if (study.compiled->has_resources) {
    const KernelResources& resources = study.compiled->resources;
    document["registers"] = resources.registers;
    document["static_shared_bytes"] = resources.static_shared_bytes;
    document["spill_bytes"] = resources.spill_store_bytes + resources.spill_load_bytes;
  } else {
    document["static_shared_bytes"] = program.static_shared_bytes();
  }
  if (study.occupancy) {
    document["blocks_per_sm"] = study.occupancy->blocks_per_multiprocessor;
    document["limited_by"] = limits_in_words(*study.occupancy);
  }
  document["lines"] = lines_of(report.program(), report.counters());
  document["instructions"] = instructions_json(report.program(), report.counters());
  document["divergent_branches"] = sum_of(report.counters().executed.divergent);
  document["distinct_bytes"] = distinct_bytes_of(report.counters());
  document["findings"] = json::array();
  const FindingPlaces places(program);
  for (const Finding& finding : report.emulation->findings) {
    document["findings"].push_back(finding_json(program, places, finding));
  }
  if (const auto remarks = remarks_on(report); !remarks.empty()) document["remarks"] = remarks;
  document["emulated"] = {{"blocks", report.emulation->blocks},
                          {"of_blocks", report.emulation->of_blocks},
                          {"lane_instructions", report.emulation->lane_instructions},
                          {"seconds", report.emulation->seconds},
                          {"workers", report.emulation->workers}};
  if (report.diagnosis) document["modelled"] = modelled(*report.diagnosis);
  if (report.verification) {
    const Verification& result = *report.verification;
    document["result"] = {
        {"max_error", std::isnan(result.max_error) ? json(nullptr) : json(result.max_error)},
        {"tolerance", result.tolerance},
        {"ok", result.ok()}};
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

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
  if (const std::string note = note_on_compiler(*study.compiled); !note.empty())
    text += note + '\n';
  const Emulation& emulation = *report.emulation;
  text += fmt::format(
      "{} emulated: {} of {} blocks, {} lane instructions in {}{}\n\n",
      marker_of(Source::kEmulated), format_count(report.written->blocks_counted),
      format_count(study.launch.grid.count()), format_count(emulation.lane_instructions),
      format(emulation.seconds, Unit::kSeconds),
      report.written->whole_grid ? "" : "; the counts below are scaled from this sample");
  text.pop_back();
  text += report.issued != nullptr ? "counted as issued: instructions of the machine code\n\n"
          : report.why_not_issued.empty()
              ? "counted as written: instructions of the PTX\n\n"
              : fmt::format("counted as written, not as issued: {}\n\n", report.why_not_issued);
  if (study.program->cluster().count() > 1) {
    text.pop_back();
    text +=
        "accesses to another block's shared memory are executed but not counted as wavefronts "
        "(except atomics), as on an H200\n\n";
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
        "or: with the last warp and block first. The values that atomics return depend on the "
        "order, which varies on a GPU\n";
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

std::string remarks_list(const TraceReport& report) {
  std::string text;
  for (const std::string& remark : remarks_on(report)) text += "\n" + remark + "\n";
  return text;
}

std::string verdicts_list(const Diagnosis& diagnosis) {
  std::string text = fmt::format(
      "\n{} modelled on {}{}: {}. {}.\n", marker_of(Source::kModelled), diagnosis.device,
      diagnosis.calibrated.empty() ? "" : ", calibrated " + diagnosis.calibrated,
      time_words(diagnosis.bounds, diagnosis.rates), diagnosis.limited_by);
  for (const Verdict& verdict : diagnosis.verdicts) {
    text += fmt::format("{:>4.0f} %  {}: {}\n", -100 * verdict.worth, verdict.fact, verdict.detail);
  }
  return text;
}

}  // namespace

std::string trace_text(const TraceReport& report) {
  std::string text = header(report) + memory_table(report) + metrics_table(report) +
                     remarks_list(report) + findings_list(report);
  if (report.diagnosis) text += verdicts_list(*report.diagnosis);
  if (!report.not_modelled.empty()) text += "\n" + report.not_modelled + "\n";
  if (report.verification) {
    text += fmt::format("\nresult {}: largest error {:.3g}, tolerance {:.3g}\n",
                        report.verification->ok() ? "correct" : "WRONG",
                        report.verification->max_error, report.verification->tolerance);
  }
  return text;
}

}  // namespace tilescope
