#include "cli/history_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/run_report.h"
#include "core/number_text.h"
#include "core/quantity.h"
#include "gpu/messages.h"
#include "store/history.h"
#include "store/rates.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct HistoryArguments {
  HistoryFilter filter;
  std::vector<std::string> parameters;
  std::vector<std::string> extents;
  bool json = false;
  std::string export_to;
  std::vector<std::string> import_from;
};

// "NAME=NUMBER" into the map.
Status read_values(const char* option, const std::vector<std::string>& texts,
                   std::map<std::string, std::int64_t>* values) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool is_set = equals != std::string::npos && equals > 0;
    const auto value =
        parse_number<std::int64_t>(is_set ? std::string_view(text).substr(equals + 1) : "");
    if (!value) {
      return usage(fmt::format("{} {} is not NAME=NUMBER", option, text),
                   "For example -p TILE=32 or --extent M=2048");
    }
    (*values)[text.substr(0, equals)] = *value;
  }
  return ok_status();
}

Status check_date(const char* option, const std::string& date) {
  const bool shaped = date.size() == 10 && date[4] == '-' && date[7] == '-';
  if (date.empty() || shaped) return ok_status();
  return usage(fmt::format("{} {} is not a date", option, date), "Write it as 2026-11-30");
}

std::string time_text(const HistoryEntry& entry) {
  if (entry.milliseconds == 0) return entry.run.date;  // imported
  const auto seconds = static_cast<std::time_t>(entry.milliseconds / 1000);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min);
}

void print_line(const HistoryEntry& entry) {
  const Measurement& run = entry.run;
  print_out("{} {:>6} {:<16} {:<14} {:<24} {:>11}{} {:>4} {:>14} {:>8} {}  {}  {}\n",
            marker_of(entry.milliseconds != 0 ? Source::kMeasured : Source::kRecorded), entry.id,
            time_text(entry), entry.run.machine.gpu, run.of.kernel,
            format(run.result.kernel.median_seconds, Unit::kSeconds),
            doubt_mark(run.result.conditions), run.result.kernel.count, rate_text(run),
            of_reference_text(run), run.of.cold ? "cold" : "warm", values_text(run.of.extents),
            point_text(run.of.parameters, run.of.factors));
}

json json_of(const HistoryEntry& entry) {
  json encoded = json::parse(encode_run(entry.run));
  encoded["id"] = entry.id;
  encoded["time"] = time_text(entry);
  encoded["gpu"] = entry.run.machine.gpu;
  encoded["compute_capability"] = entry.run.machine.compute_capability;
  encoded["driver"] = entry.run.machine.driver;
  encoded["cuda_driver"] = entry.run.machine.cuda_driver;
  encoded["compiler"] = entry.run.machine.compiler;
  encoded["cublas"] = entry.run.machine.cublas;
  return encoded;
}

// As a file of recorded runs, which holds one machine's; the newest of each point.
Status export_entries(const std::vector<HistoryEntry>& entries, const std::string& file) {
  if (entries.empty()) return usage("no run in the history matches", "See tilescope history");
  RecordedRuns runs;
  runs.machine = entries.front().run.machine;
  runs.commands = {"tilescope history --export"};
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (!(entry->run.machine == entries.front().run.machine)) {
      return usage(
          fmt::format("the runs are from several machines: {}, driver {}, {} and {}, driver {}, {}",
                      runs.machine.gpu, runs.machine.driver, runs.machine.compiler,
                      entry->run.machine.gpu, entry->run.machine.driver,
                      entry->run.machine.compiler),
          "Choose one with --gpu, --driver, --since or --until");
    }
    runs.put(entry->run);
  }
  if (Status saved = save_recorded_runs(runs, file); !saved) return saved;
  print_out("{} runs written to {}\n", runs.runs.size(), file);
  return ok_status();
}

Status import_files(History& history, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    auto runs = load_recorded_runs(file);
    if (!runs) return runs.error();
    auto added = history.import(*runs);
    if (!added) return added.error();
    print_out("{}: {} of {} runs were new\n", file, *added, runs->runs.size());
  }
  return ok_status();
}

void print(const History& history, const std::vector<HistoryEntry>& entries, bool as_json) {
  if (as_json) {
    json encoded = json::array();
    for (const HistoryEntry& entry : entries) encoded.push_back(json_of(entry));
    print_out("{}\n", json{{"runs", std::move(encoded)}}.dump(2));
    return;
  }
  for (const HistoryEntry& entry : entries) print_line(entry);
  if (std::ranges::any_of(entries, [](const HistoryEntry& entry) {
        return is_doubtful(entry.run.result.conditions);
      })) {
    print_out("{}", kDoubtLegend);
  }
  const auto count = history.count();
  print_out("{} of {} runs in {}\n", entries.size(), count ? *count : 0,
            History::default_file().string());
}

Status history_command(HistoryArguments& arguments) {
  for (const Status& status :
       {read_values("-p", arguments.parameters, &arguments.filter.parameters),
        read_values("--extent", arguments.extents, &arguments.filter.extents),
        check_date("--since", arguments.filter.since),
        check_date("--until", arguments.filter.until)}) {
    if (!status) return status;
  }
  auto history = History::open(History::default_file());
  if (!history) return history.error();
  if (!arguments.import_from.empty()) return import_files(*history, arguments.import_from);
  if (!arguments.export_to.empty()) arguments.filter.limit = 0;
  auto entries = history->find(arguments.filter);
  if (!entries) return entries.error();
  if (!arguments.export_to.empty()) return export_entries(*entries, arguments.export_to);
  print(*history, *entries, arguments.json);
  return ok_status();
}

}  // namespace

void add_history_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<HistoryArguments>();
  arguments->filter.limit = 50;
  CommandOptions command =
      app.add_subcommand("history", "measurements of this machine, most recent first");
  command.add_option("kernel", arguments->filter.kernel, "an id, or a family: gemm");
  command.add_option("--gpu", arguments->filter.gpu, "part of the GPU's name");
  command.add_option("--driver", arguments->filter.driver, "the driver's version");
  command.add_option("-p,--parameter", arguments->parameters, "NAME=VALUE, repeatable")
      .allow_extra_args(false);
  command.add_option("--extent", arguments->extents, "M=2048, repeatable").allow_extra_args(false);
  command.add_option("--since", arguments->filter.since, "2026-11-30: from that day on");
  command.add_option("--until", arguments->filter.until, "2026-11-30: up to that day");
  command.add_option("--limit", arguments->filter.limit, "maximum number of lines; 0: all")
      .between(0, 1'000'000'000)
      .capture_default_str();
  command.add_flag("--json", arguments->json, "output JSON");
  CommandOption exported = command.add_option("--export", arguments->export_to,
                                              "write the runs to a file of recorded runs");
  command.add_option("--import", arguments->import_from, "add the runs of these files")
      .excludes(exported);
  command.callback([arguments, &context] {
    const Status status = history_command(*arguments);
    context.status = status ? 0 : report(status.error());
  });
}

}  // namespace tilescope
