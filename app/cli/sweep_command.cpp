#include "cli/sweep_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/gpu_session.h"
#include "cli/options.h"
#include "cli/run_report.h"
#include "core/quantity.h"
#include "gpu/messages.h"
#include "store/rates.h"

namespace tilescope {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct SweepArguments {
  KernelArguments kernel;
  bool architecture_given = false;
  TimingOptions timing;
  bool catalogue = false;
  bool each_value = false;
  bool again = false;
  bool counters = false;
  bool json = false;
  int best = 10;
};

constexpr int kStoppedByUser = 130;  // as a shell says that Ctrl-C ended a program

// Ctrl-C: the first is remembered, so that the present point can finish; the second ends the
// program. A thread waits for the signal, which all others block. Threads inherit the mask, so make
// this first.
class Interrupt {
 public:
  Interrupt() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::thread([wanted = wanted_, signals = signals_] {
      int number = 0;
      ::sigwait(&signals, &number);
      *wanted = true;
      ::sigwait(&signals, &number);
      std::_Exit(kStoppedByUser);
    }).detach();
  }
  [[nodiscard]] bool wanted() const { return *wanted_; }

 private:
  std::shared_ptr<std::atomic<bool>> wanted_ = std::make_shared<std::atomic<bool>>(false);
  sigset_t signals_{};
};

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Measures the points one after the other, keeps each in the history at once, and goes over those
// that the history has already.
class Sweep {
 public:
  Sweep(const SweepArguments& arguments, GpuSession session, const Interrupt& interrupt)
      : arguments_(arguments),
        interrupt_(interrupt),
        session_(std::move(session)),
        keeper_(session_.device) {}

  int run() {
    keeper_.open_history();
    RunPoints& points = session_.points;
    if (!points.skipped.empty()) {
      print_error("tilescope: {} points are not valid and are skipped; the first: {}\n",
                  points.skipped.size(), to_string(points.skipped.front()));
    }
    total_ = points.instances.size();
    start_ = Clock::now();
    for (KernelInstance& instance : points.instances) {
      if (interrupt_.wanted()) break;
      take(std::move(instance));
    }
    if (on_terminal_) print_error("\r\x1b[K");
    print();
    print_error("tilescope: {} points: {} measured, {} already in the history, {} failed{}\n",
                total_, measured_, known_, failed_,
                interrupt_.wanted() ? "; stopped. The same command continues" : "");
    return interrupt_.wanted() ? kStoppedByUser : status_;
  }

 private:
  struct Row {
    Measurement run;
    bool known = false;  // from the history
  };

  void take(KernelInstance instance) {
    ++done_;
    auto compiled = compile({instance, session_.compute_capability, true}, std::stop_token());
    if (!compiled) {
      ++failed_;
      status_ = std::max(status_, report(compiled.error()));
      return;
    }
    if (!arguments_.again) {
      auto found = keeper_.find(instance, *compiled, arguments_.timing.cold);
      if (found && (!arguments_.counters || !found->run.result.counters.empty())) {
        ++known_;
        rows_.push_back({std::move(found->run), true});
        return;
      }
    }
    show_progress(instance);
    RunRow row = measure(session_, std::move(instance), arguments_.timing);
    ++measured_;
    if (!row.result || !row.result->correct) {
      if (on_terminal_) print_error("\r\x1b[K");
      ++failed_;
      status_ = std::max(status_, report_row(row));
      return;
    }
    if (arguments_.counters) {
      if (Status s = add_counters(session_, arguments_.timing, &row); !s) {
        status_ = std::max(status_, report(s.error()));
      }
    }
    keeper_.keep(row);
    rows_.push_back({measurement_of(row.instance, *row.result), false});
  }

  // One line that is written over on a terminal; else one line a point.
  void show_progress(const KernelInstance& instance) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::string left;
    if (measured_ > 0) {
      const double each = seconds / static_cast<double>(measured_);
      left = fmt::format(", about {} left",
                         duration_text(each * static_cast<double>(total_ - done_ + 1)));
    }
    print_error("{}{}/{}{}  {} {} {}{}", on_terminal_ ? "\r\x1b[K" : "", done_, total_, left,
                instance.id, size_of(instance),
                point_text(instance.parameters, factors_of(instance)), on_terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  static double rate(const Measurement& run) {
    const double work = run.result.flop > 0 ? run.result.flop : run.result.bytes;
    const double seconds = run.result.kernel.median_seconds;
    return seconds > 0 ? work / seconds : 0;
  }

  // Best first, those of one problem and size together.
  void print() {
    std::map<std::string, std::vector<const Row*>> groups;
    for (const Row& row : rows_) {
      std::string group = row.run.of.kernel.substr(0, row.run.of.kernel.find('/'));
      for (const auto& [name, value] : row.run.of.extents)
        group += fmt::format(" {} {}", name, value);
      if (!row.run.of.factors.empty()) group += " " + factors_text(row.run.of.factors, " ");
      groups[group].push_back(&row);
    }
    json encoded = json::array();
    for (auto& [group, rows] : groups) {
      std::ranges::stable_sort(
          rows, [](const Row* a, const Row* b) { return rate(a->run) > rate(b->run); });
      if (!arguments_.json) print_out("{}\n", group);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (arguments_.json) {
          encoded.push_back(json::parse(encode_run(rows[i]->run)));
        } else if (static_cast<int>(i) < arguments_.best) {
          print_line(i + 1, *rows[i]);
        } else {
          print_out("      and {} more: tilescope history lists them\n", rows.size() - i);
          break;
        }
      }
    }
    if (arguments_.json) print_out("{}\n", json{{"runs", encoded}}.dump(2));
    const auto doubtful = [](const Row& row) { return is_doubtful(row.run.result.conditions); };
    if (!arguments_.json && std::ranges::any_of(rows_, doubtful)) print_out("{}", kDoubtLegend);
  }

  static void print_line(std::size_t place, const Row& row) {
    const Measurement& run = row.run;
    print_out("{} {:>3} {:>14} {:>8} {:>11}{} {:<24} {}\n",
              marker_of(row.known ? Source::kRecorded : Source::kMeasured), place, rate_text(run),
              of_reference_text(run), format(run.result.kernel.median_seconds, Unit::kSeconds),
              doubt_mark(run.result.conditions), run.of.kernel,
              point_text(run.of.parameters, run.of.factors));
  }

  const SweepArguments& arguments_;
  const Interrupt& interrupt_;
  GpuSession session_;
  HistoryKeeper keeper_;
  std::vector<Row> rows_;
  Clock::time_point start_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t measured_ = 0;
  std::size_t known_ = 0;
  std::size_t failed_ = 0;
  int status_ = 0;
  bool on_terminal_ = ::isatty(STDERR_FILENO) != 0;
};

int sweep_command(SweepArguments& arguments) {
  if (arguments.catalogue) {
    arguments.kernel.kernel_or_file = kAllKernels;
    arguments.each_value = true;
  }
  if (arguments.kernel.kernel_or_file.empty()) {
    return report({ErrorCode::kUsage, "no kernel is given", "Give one, or --catalogue", {}});
  }
  end_at_signals({SIGTERM});
  const Interrupt interrupt;
  auto session =
      open_gpu_session(arguments.kernel, arguments.each_value, arguments.architecture_given);
  if (!session) return report(session.error());
  return Sweep(arguments, *std::move(session), interrupt).run();
}

}  // namespace

void add_sweep_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<SweepArguments>();
  arguments->timing.max_seconds = 0.25;
  CLI::App* command = app.add_subcommand(
      "sweep", "measure many parameters and sizes, add them to the history, and list the best");
  add_kernel_options(*command, arguments->kernel);
  command->get_option("kernel")->required(false);
  command->footer(
      "-p NAME=V1,V2 and --size S1,S2 give all combinations; a family (gemm) means all its "
      "kernels.\nCtrl-C stops after the current point; the same command continues with the missing "
      "points.");
  add_timing_options(*command, arguments->timing);
  command->add_flag("--catalogue", arguments->catalogue,
                    "every kernel and every value, one parameter at a time");
  command->add_flag("--each", arguments->each_value,
                    "also every value of each parameter, one at a time");
  command->add_flag("--again", arguments->again,
                    "also measure points that the history already has");
  command->add_flag("--counters", arguments->counters,
                    "also read hardware counters, in separate launches");
  command->add_option("--best", arguments->best, "lines per problem and size in the table")
      ->check(between(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "output JSON");
  command->callback([command, arguments, &context] {
    arguments->architecture_given = command->get_option("--arch")->count() > 0;
    context.status = sweep_command(*arguments);
  });
}

}  // namespace tilescope
