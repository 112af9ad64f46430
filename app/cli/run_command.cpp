#include "cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analysis/memory/counters.h"
#include "cli/command.h"
#include "cli/gpu_session.h"
#include "cli/parser/command_line.h"
#include "cli/run_report.h"
#include "gpu/counter_reader.h"
#include "gpu/messages.h"

namespace tilescope {
namespace {

// `tilescope run` as it was typed.
struct RunArguments {
  KernelArguments kernel;
  bool architecture_given = false;  // else the GPU's own
  TimingOptions timing;
  bool each_value = false;
  bool counters = false;
  bool phases = false;
  bool json = false;
  bool no_history = false;
  std::string record;  // file to append to; empty: none
};

// The points of one command, one after the other.
class RunSession {
 public:
  RunSession(const RunArguments& arguments, GpuSession session)
      : arguments_(arguments), session_(std::move(session)), keeper_(session_.device) {}

  int run_all() {
    RunPoints& points = session_.points;
    for (const Error& error : points.skipped) {
      print_error("tilescope: skipped: {}\n", to_string(error));
    }
    if (!arguments_.no_history) keeper_.open_history();
    for (KernelInstance& instance : points.instances) {
      RunRow row = measure(session_, std::move(instance), arguments_.timing);
      if (arguments_.counters && row.result) {
        if (Status s = add_counters(session_, arguments_.timing, &row); !s) {
          status_ = std::max(status_, report(s.error()));
        }
      }
      if (arguments_.phases && row.result) {
        if (Status s = add_phases(session_, arguments_.timing, &row); !s) {
          status_ = std::max(status_, report(s.error()));
        }
      }
      if (Status s = keep(row); !s) return report(s.error());
      show(row);
      if (!row.result && row.result.error().message.starts_with("no device")) break;
    }
    if (arguments_.json) {
      print_json();
    } else if (doubtful_ && !points.single) {
      print_out("{}", kDoubtLegend);
    }
    return status_;
  }

 private:
  // Saved after each, so that nothing is lost when a later one ends the command.
  Status keep(const RunRow& row) {
    keeper_.keep(row);
    if (arguments_.record.empty() || row.compiled == nullptr) return ok_status();
    if (!recorded_) {
      auto opened = open_record(arguments_.record, machine_of(session_.device, *row.compiled));
      if (!opened) return opened.error();
      recorded_ = *std::move(opened);
      auto& commands = recorded_->commands;
      const std::string typed = typed_command();
      if (std::find(commands.begin(), commands.end(), typed) == commands.end()) {
        commands.push_back(typed);
      }
    }
    if (is_record(row)) recorded_->put(measurement_of(row.instance, *row.result));
    return save_recorded_runs(*recorded_, arguments_.record);
  }

  void show(const RunRow& row) {
    const bool single = session_.points.single;
    doubtful_ |= row.result && is_doubtful(row.result->conditions);
    if (arguments_.json) {
      rows_.push_back(run_json(row, session_.device, session_.peaks));
    } else if (single && row.result) {
      print_out("{}", run_text(row, session_.device, session_.peaks));
    } else if (!single) {
      if (!std::exchange(head_printed_, true) && row.compiled != nullptr) {
        print_out("{}", run_table_head(session_.device, row));
      }
      print_out("{}", run_table_line(row, session_.peaks));
      std::fflush(stdout);
    }
    status_ = std::max(status_, report_row(row));
  }

  void print_json() const {
    print_out("{}\n", session_.points.single ? rows_.front().dump(2)
                                             : nlohmann::json{{"runs", rows_}}.dump(2));
  }

  const RunArguments& arguments_;
  GpuSession session_;
  HistoryKeeper keeper_;
  std::optional<RecordedRuns> recorded_;
  std::vector<nlohmann::json> rows_;
  bool head_printed_ = false;
  bool doubtful_ = false;
  int status_ = 0;
};

}  // namespace

std::vector<std::string> all_counters() {
  std::vector<std::string> names = metric_names();
  for (const ProfileCounter& counter : profile_counters()) names.emplace_back(counter.name);
  return names;
}

int report_row(const RunRow& row) {
  if (!row.result) return report(row.result.error());
  if (row.result->correct) return 0;
  print_error("tilescope: {}: the result is wrong: largest error {:.3g}, tolerance {:.3g}\n",
              row.instance.id, row.result->max_error.value_or(0), row.result->tolerance);
  return 2;
}

namespace {

int run_command(const RunArguments& arguments) {
  end_at_signals();
  auto session =
      open_gpu_session(arguments.kernel, arguments.each_value, arguments.architecture_given);
  if (!session) return report(session.error());
  return RunSession(arguments, *std::move(session)).run_all();
}

}  // namespace

void add_run_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<RunArguments>();
  CommandOptions command = app.add_subcommand(
      "run", "verify and time a kernel on the GPU, compared with cuBLAS or a device copy");
  add_kernel_options(command, arguments->kernel);
  command.footer(
      "Several at once: -p NAME=V1,V2 and --size S1,S2; a family (gemm) means all its kernels.");
  add_timing_options(command, arguments->timing);
  command.add_flag("--each", arguments->each_value,
                   "also every value of each parameter, one at a time");
  command.add_flag(
      "--counters", arguments->counters,
      "also read hardware counters of the kernel and its reference, in separate launches");
  command.add_flag("--phases", arguments->phases,
                   "also measure the phases of one block, with the clock at each TILESCOPE_PHASE "
                   "mark, in a separate build");
  command.add_flag("--json", arguments->json, "output JSON");
  command.add_flag("--no-history", arguments->no_history, "do not add to the history");
  command.add_option("--record", arguments->record,
                     "append correct results to this file of recorded runs");
  command.callback([command, arguments, &context] {
    arguments->architecture_given = command.option("--arch").is_given();
    context.status = run_command(*arguments);
  });
}

}  // namespace tilescope
