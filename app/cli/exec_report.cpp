#include "cli/exec_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "cli/trace_report.h"
#include "core/quantity.h"
#include "core/text.h"
#include "emulator/finding_place.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

using nlohmann::json;

std::string file_name_of(const Program& program, const SourceLine& line) {
  if (line.file >= program.files().size()) return "";
  const std::string& file = program.files()[line.file];
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

std::string extents(const Dim3& dim) {
  if (dim.z > 1) return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{}x{}", dim.x, dim.y) : std::to_string(dim.x);
}

// Sums over a launch's instructions.
struct Totals {
  std::uint64_t warp_instructions = 0;
  std::uint64_t sectors = 0;
  std::uint64_t sectors_ideal = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t wavefronts_ideal = 0;
};
Totals totals_of(const LaunchGroup& group) {
  Totals totals;
  const Program& program = *group.kernel->program;
  const LaunchCounters& counters = group.counters;
  for (std::size_t i = 0; i < counters.executed.warps.size(); ++i) {
    if (program.instructions()[i].counts) totals.warp_instructions += counters.executed.warps[i];
  }
  for (const AccessCounters& access : counters.by_instruction) {
    totals.sectors += access.sectors;
    totals.sectors_ideal += access.sectors_ideal;
    totals.wavefronts += access.sectors == 0 ? access.wavefronts : 0;  // of shared memory
    totals.wavefronts_ideal += access.sectors == 0 ? access.wavefronts_ideal : 0;
  }
  return totals;
}

// "4.2 ×" more than would be enough; "" where it is enough.
std::string excess(std::uint64_t cost, std::uint64_t ideal) {
  if (ideal == 0 || cost * 20 < ideal * 21) return "";
  return fmt::format(" ({})", times_words(static_cast<double>(cost) / static_cast<double>(ideal)));
}

struct Table {
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], length(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - length(row[i]), ' ');
        const bool is_left = i == 1 || i + 1 == row.size();
        text += (i == 0 ? "" : "  ") + (is_left ? row[i] + space : space + row[i]);
      }
      while (text.ends_with(' ')) text.pop_back();
      text += '\n';
    }
    return text;
  }

 private:
  static std::size_t length(const std::string& word) {  // in characters
    return static_cast<std::size_t>(
        std::ranges::count_if(word, [](char c) { return (c & 0xc0) != 0x80; }));
  }
};

std::string headed(Source source, std::string_view name) {
  return fmt::format("{} {}", marker_of(source), name);
}

double mean_seconds(const MeasuredLaunches& group) {
  return group.total_seconds / static_cast<double>(group.count);
}

// Times are of one launch.
std::string launches_table(const ProgramResult& run, const GpuRun* measured) {
  Table table;
  table.rows.push_back({"#", "kernel", "grid", "block", "shared", "launches", "warp instr.",
                        "sectors", "wavefronts", headed(Source::kModelled, "modelled")});
  if (measured != nullptr) table.rows.back().push_back(headed(Source::kMeasured, "measured"));
  table.rows.back().insert(table.rows.back().end(), {"limited by", "problems"});
  for (const auto& group : run.groups) {
    const Totals totals = totals_of(*group);
    table.rows.push_back(
        {std::to_string(group->first), short_name(group->kernel->name), extents(group->launch.grid),
         extents(group->launch.block),
         format(static_cast<double>(group->kernel->static_shared_bytes) +
                    group->launch.dynamic_shared_bytes,
                Unit::kBytes),
         format_count(group->count), format_count(totals.warp_instructions),
         format_count(totals.sectors) + excess(totals.sectors, totals.sectors_ideal),
         format_count(totals.wavefronts) + excess(totals.wavefronts, totals.wavefronts_ideal),
         group->modelled_seconds ? format_time(*group->modelled_seconds) : "–"});
    auto& row = table.rows.back();
    if (measured != nullptr) {
      const MeasuredLaunches* there = find_measured(*measured, *group);
      row.push_back(there == nullptr ? "–" : format_time(mean_seconds(*there)));
    }
    row.push_back(group->limited_by.empty() ? "–" : group->limited_by);
    row.push_back(group->findings.empty() ? "" : std::to_string(group->findings.size()));
  }
  return table.text();
}

std::string finding_lines(const LaunchGroup& group) {
  const Program& program = *group.kernel->program;
  const FindingPlaces places(program);
  std::string text;
  for (std::size_t i = 0; i < group.findings.size(); ++i) {
    const Finding& finding = group.findings[i];
    FindingPlace place;
    if (finding.instruction < program.instructions().size()) place = places.of(finding.instruction);
    const std::string calls = describe_calls(place);
    const std::string file = file_name_of(program, place.line);
    text += fmt::format(
        "{}: {}: {} ({}{}block {},{},{} thread {},{},{}",
        file.empty() ? short_name(group.kernel->name) : fmt::format("{}:{}", file, place.line.line),
        name_of(finding.kind), finding.message, calls, calls.empty() ? "" : "; ", finding.block.x,
        finding.block.y, finding.block.z, finding.thread.x, finding.thread.y, finding.thread.z);
    if (finding.other) {
      const Finding::Other& other = *finding.other;
      text +=
          fmt::format("; the other: block {},{},{} thread {},{},{}", other.block.x, other.block.y,
                      other.block.z, other.thread.x, other.thread.y, other.thread.z);
    }
    text += fmt::format("; launch {})\n", group.found_in[i]);
  }
  return text;
}

std::string host_lines(const ProgramResult& run) {
  std::string text;
  for (const HostProblem& problem : run.problems) {
    const std::string place = run.sites.of(problem.caller);
    text += fmt::format("{}{}: {}{}\n", place.empty() ? "" : place + ": ", name_of(problem.kind),
                        problem.message,
                        problem.times == 1 ? "" : fmt::format(" ({} times)", problem.times));
  }
  return text;
}

// Where the allocations come from that the text names.
std::string origins(const ProgramResult& run, const std::string& text) {
  std::string lines;
  for (const AllocationOrigin& allocation : run.allocations) {
    const std::string name = fmt::format("allocation {}", allocation.number);
    const std::size_t at = text.find(name);
    const bool is_named = at != std::string::npos &&
                          (at + name.size() == text.size() ||
                           std::isdigit(static_cast<unsigned char>(text[at + name.size()])) == 0);
    if (!is_named) continue;
    const std::string place = run.sites.of(allocation.caller);
    if (place.empty()) continue;
    lines += fmt::format("{}: {} from {}\n", name,
                         format(static_cast<double>(allocation.bytes), Unit::kBytes), place);
  }
  return lines;
}

// Where the blocks of a launch were when its time was over and none of them had ended.
std::string endless_words(const LaunchGroup& group) {
  const Program& program = *group.kernel->program;
  const std::vector<std::uint64_t>& warps = group.counters.executed.warps;
  const auto most = std::ranges::max_element(warps);
  if (group.executed_blocks != 0 || most == warps.end() || *most == 0) return "";
  const FindingPlace place =
      FindingPlaces(program).of(static_cast<std::uint32_t>(most - warps.begin()));
  const std::string file = file_name_of(program, place.line);
  return fmt::format("; none of its blocks had ended{}: this loop may be endless",
                     file.empty() ? "" : fmt::format(", at {}:{}", file, place.line.line));
}

// Names the launches that were not executed or not checked in full.
std::string notes(const ProgramResult& run) {
  std::string text;
  for (const auto& group : run.groups) {
    const std::string name =
        fmt::format("launch {} ({})", group->first, short_name(group->kernel->name));
    if (group->cut_short != 0) {
      text += fmt::format(
          "{}: {} of {} launches were NOT executed whole, because that would take longer than "
          "--limit: what they should have written is missing, and what the program says of its "
          "results means nothing; give it a smaller problem, or a higher --limit{}. Later launches "
          "are not checked\n",
          name, format_count(group->cut_short), format_count(group->count), endless_words(*group));
    }
    if (!group->complete)
      text += fmt::format("{}: not complete, so its results are not those of a GPU\n", name);
    if (!group->counters.whole_grid && group->counters.blocks_counted != 0) {
      text += fmt::format(
          "{}: {} of {} blocks were checked and counted, and the "
          "counters are scaled up from them\n",
          name, format_count(group->counters.blocks_counted),
          format_count(group->counters.blocks_represented));
    }
    if (group->repeated != 0) {
      text += fmt::format(
          "{}: {} of {} launches had the same data as an earlier one and were not executed "
          "again\n",
          name, format_count(group->repeated), format_count(group->count));
    }
  }
  return text;
}

std::string launches_word(std::uint64_t count) {
  return fmt::format("{} launch{}", format_count(count), count == 1 ? "" : "es");
}

json launch_json(const LaunchGroup& group) {
  const Program& program = *group.kernel->program;
  const FindingPlaces places(program);
  json findings = json::array();
  for (std::size_t i = 0; i < group.findings.size(); ++i) {
    findings.push_back(finding_json(program, places, group.findings[i]));
    findings.back()["launch"] = group.found_in[i];
  }
  json row = {{"launch", group.first},
              {"kernel", group.kernel->name},
              {"grid", triple(group.launch.grid)},
              {"block", triple(group.launch.block)},
              {"static_shared_bytes", group.kernel->static_shared_bytes},
              {"dynamic_shared_bytes", group.launch.dynamic_shared_bytes},
              {"launches", group.count},
              {"not_repeated", group.repeated},
              {"cut_short", group.cut_short},
              {"blocks_counted", group.counters.blocks_counted},
              {"complete", group.complete},
              {"emulated_seconds", group.seconds},
              {"metrics", metrics_of(program, group.counters)},
              {"findings", std::move(findings)}};
  if (!group.kernel->variant.empty()) row["variant"] = group.kernel->variant;
  if (group.kernel->registers != 0) row["registers"] = group.kernel->registers;
  if (group.modelled_seconds) {
    row["modelled"] = {{"device", group.device},
                       {"seconds", *group.modelled_seconds},
                       {"limited_by", group.limited_by}};
  }
  return row;
}

std::string measured_table(const std::vector<const MeasuredLaunches*>& groups) {
  Table table;
  table.rows.push_back({"#", "kernel", "grid", "block", "shared", "registers", "launches", "in all",
                        "mean", "least", "most"});
  for (const MeasuredLaunches* group : groups) {
    table.rows.push_back(
        {std::to_string(group->first), short_name(group->kernel), extents(group->grid),
         extents(group->block),
         format(static_cast<double>(group->static_shared_bytes + group->dynamic_shared_bytes),
                Unit::kBytes),
         std::to_string(group->registers), format_count(group->count),
         format_time(group->total_seconds), format_time(mean_seconds(*group)),
         format_time(group->least_seconds), format_time(group->most_seconds)});
  }
  return table.text();
}

std::string measured_sentence(const GpuRun& run) {
  std::string text =
      fmt::format("tilescope: the program {} after {}; {} on this machine's GPU, {} measured\n",
                  run.how, format(run.seconds, Unit::kSeconds), launches_word(run.launches),
                  marker_of(Source::kMeasured));
  if (!run.why_not.empty()) text += fmt::format("launches were not recorded: {}\n", run.why_not);
  return text;
}

// How the same program ended on the GPU, and whether that is how it ended here.
std::string measured_sentences(const ProgramResult& run, const GpuRun& measured) {
  std::string text = measured_sentence(measured);
  if (run.exit_status != measured.exit_status) {
    text +=
        fmt::format("the program {} on the GPU, but {} on the emulator\n", measured.how, run.how);
    if (!run.last_output.empty())
      text += fmt::format("there it printed last:\n{}\n", trimmed(run.last_output));
  }
  return text;
}

std::vector<const MeasuredLaunches*> only_measured(const ProgramResult& run,
                                                   const GpuRun& measured) {
  std::vector<const MeasuredLaunches*> found;
  for (const MeasuredLaunches& group : measured.groups) {
    const bool is_emulated = std::ranges::any_of(run.groups, [&](const auto& emulated) {
      return find_measured(measured, *emulated) == &group;
    });
    if (!is_emulated) found.push_back(&group);
  }
  return found;
}

// Launches that only the run on the GPU has, such as those of cuBLAS.
std::string measured_alone(const ProgramResult& run, const GpuRun& measured) {
  const auto groups = only_measured(run, measured);
  if (groups.empty()) return "";
  return fmt::format("\n{} measured, but not emulated:\n{}", marker_of(Source::kMeasured),
                     measured_table(groups));
}

json measured_times(const MeasuredLaunches& group) {
  return {{"launches", group.count},
          {"total_seconds", group.total_seconds},
          {"least_seconds", group.least_seconds},
          {"most_seconds", group.most_seconds}};
}

json measured_json(const MeasuredLaunches& group) {
  return {{"launch", group.first},
          {"kernel", group.kernel},
          {"grid", triple(group.grid)},
          {"block", triple(group.block)},
          {"static_shared_bytes", group.static_shared_bytes},
          {"dynamic_shared_bytes", group.dynamic_shared_bytes},
          {"registers", group.registers},
          {"launches", group.count},
          {"measured", measured_times(group)}};
}

}  // namespace

std::size_t count_problems(const ProgramResult& run) {
  std::size_t count = static_cast<std::size_t>(
      std::ranges::count_if(run.problems, [](const auto& problem) { return problem.is_mistake; }));
  for (const auto& group : run.groups) count += count_mistakes(group->findings);
  return count;
}

std::string exec_text(const ProgramResult& run, const DeviceModel& device, const GpuRun* measured) {
  std::string text =
      fmt::format("\ntilescope: the program {} after {}; {} on {}, {} emulated\n", run.how,
                  format(run.seconds, Unit::kSeconds), launches_word(run.launches), device.name,
                  marker_of(Source::kEmulated));
  if (measured != nullptr) text += measured_sentences(run, *measured);
  if (!run.groups.empty()) text += '\n' + launches_table(run, measured);
  if (measured != nullptr) text += measured_alone(run, *measured);
  if (const std::string some = notes(run); !some.empty()) text += '\n' + some;
  std::string problems;
  for (const auto& group : run.groups) problems += finding_lines(*group);
  problems += host_lines(run);
  if (!problems.empty()) text += '\n' + problems;
  if (const std::string from = origins(run, problems); !from.empty()) text += '\n' + from;
  return text;
}

std::string gpu_run_text(const GpuRun& run) {
  std::string text = '\n' + measured_sentence(run);
  if (run.groups.empty()) return text;
  std::vector<const MeasuredLaunches*> all;
  for (const MeasuredLaunches& group : run.groups) all.push_back(&group);
  return text + '\n' + measured_table(all);
}

std::string gpu_run_json(const GpuRun& run) {
  json launches = json::array();
  for (const MeasuredLaunches& group : run.groups) launches.push_back(measured_json(group));
  json document = {{"exit_status", run.exit_status},
                   {"how", run.how},
                   {"seconds", run.seconds},
                   {"launches", std::move(launches)},
                   {"launch_count", run.launches}};
  if (!run.why_not.empty()) document["not_recorded"] = run.why_not;
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string exec_json(const ProgramResult& run, const DeviceModel& device, const GpuRun* measured) {
  json launches = json::array();
  for (const auto& group : run.groups) {
    launches.push_back(launch_json(*group));
    const MeasuredLaunches* there =
        measured == nullptr ? nullptr : find_measured(*measured, *group);
    if (there != nullptr) launches.back()["measured"] = measured_times(*there);
  }
  json problems = json::array();
  for (const HostProblem& problem : run.problems) {
    json row = {{"kind", name_of(problem.kind)},
                {"message", problem.message},
                {"times", problem.times},
                {"mistake", problem.is_mistake}};
    if (const std::string place = run.sites.of(problem.caller); !place.empty())
      row["place"] = place;
    problems.push_back(std::move(row));
  }
  json document = {{"device", device.name},
                   {"exit_status", run.exit_status},
                   {"how", run.how},
                   {"seconds", run.seconds},
                   {"launches", std::move(launches)},
                   {"launch_count", run.launches},
                   {"host", std::move(problems)},
                   {"problems", count_problems(run)}};
  if (measured != nullptr) {
    json alone = json::array();
    for (const MeasuredLaunches* group : only_measured(run, *measured))
      alone.push_back(measured_json(*group));
    document["gpu"] = {{"exit_status", measured->exit_status},
                       {"how", measured->how},
                       {"seconds", measured->seconds},
                       {"launch_count", measured->launches},
                       {"not_emulated", std::move(alone)}};
    if (!measured->why_not.empty()) document["gpu"]["not_recorded"] = measured->why_not;
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace tilescope
