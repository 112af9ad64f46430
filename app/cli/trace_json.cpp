#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/line_class.h"
#include "cli/trace_report.h"
#include "emulator/finding_place.h"

namespace tilescope {
namespace {

using nlohmann::json;

json triple(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

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

// In the order of the code, those never executed too.
json instructions_of(const Program& program, const LaunchCounters& counters) {
  json rows = json::array();
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    if (!instruction.counts) continue;
    json row = {{"text", instruction.text},
                {"file", file_of(program, instruction.source)},
                {"line", instruction.source.line},
                {"executed", counters.executed.warps[i]},
                {"threads", counters.executed.threads[i]},
                {"active_lanes", counters.executed.lanes[i]}};
    if (instruction.access != AccessKind::kNone) add_costs(counters.by_instruction[i], &row);
    rows.push_back(std::move(row));
  }
  return rows;
}

json finding_of(const Program& program, const FindingPlaces& places, const Finding& finding) {
  json row = {{"kind", name_of(finding.kind)},
              {"message", finding.message},
              {"block", triple(finding.block)},
              {"thread", triple(finding.thread)}};
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

json modelled(const Diagnosis& diagnosis) {
  json verdicts = json::array();
  for (const Verdict& verdict : diagnosis.verdicts) {
    verdicts.push_back({{"fact", verdict.fact},
                        {"detail", verdict.detail},
                        {"line", verdict.line},
                        {"worth", verdict.worth}});
  }
  return {{"device", diagnosis.device},
          {"seconds", diagnosis.bounds.total()},
          {"held_by", diagnosis.held_by},
          {"verdicts", verdicts}};
}

}  // namespace

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
  document["lines"] = lines_of(report.program(), report.counters());
  document["instructions"] = instructions_of(report.program(), report.counters());
  document["divergent_branches"] = sum_of(report.counters().executed.divergent);
  document["distinct_bytes"] = distinct_bytes_of(report.counters());
  document["findings"] = json::array();
  const FindingPlaces places(program);
  for (const Finding& finding : report.emulation->findings) {
    document["findings"].push_back(finding_of(program, places, finding));
  }
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

}  // namespace tilescope
