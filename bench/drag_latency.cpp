// From a slider's change to what a person sees of it: the new picture (the trace of a block), and
// the first measured point. Every slider of gemm/register_tile is dragged over all its legal
// values, up and then down from its default, at a person's pace:
//   cold    nothing was compiled before, nothing is compiled ahead
//   ahead   nothing was compiled before; neighbours are compiled while a value is looked at
//   warm    the same once more: everything was compiled before
// Points need a GPU, or a worker that pretends: TILESCOPE_WORKER="tests_gpu --fake-worker measures"
// A line a drag and a table at the end; docs/latency.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/allocation.h"
#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel/launch/parameter_space.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 60;  // for one value
constexpr double kLook = 0.4;        // that a person looks at a value before the next one
constexpr double kFirstLook = 4;     // and at the kernel before the first one

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Latencies {
  std::vector<double> picture;
  std::vector<double> point;
};

double percentile(std::vector<double> times, double part) {
  if (times.empty()) return std::nan("");
  std::sort(times.begin(), times.end());
  const double place = std::ceil(part * static_cast<double>(times.size())) - 1;
  return times[static_cast<std::size_t>(std::max(place, 0.0))];
}

std::string in_ms(double seconds) {
  return std::isnan(seconds) ? std::string("–") : fmt::format("{:.0f} ms", 1e3 * seconds);
}

class Drag {
 public:
  explicit Drag(Workbench& workbench, bool measures) : workbench_(workbench), measures_(measures) {}

  // One slider over its legal values, each once, and back to where it began.
  void run(const ParameterSpec& spec, bool ahead, Latencies* all) {
    Latencies mine;
    const std::int64_t begin = workbench_.active().parameters.at(spec.name);
    const std::vector<std::int64_t> values = legal(spec);
    const auto here = std::ranges::find(values, begin);
    std::vector<std::int64_t> way(here, values.end());  // up, then down from where it began
    for (auto back = here; back != values.begin();) way.push_back(*--back);
    workbench_.look_ahead(ahead ? spec.name : std::string());
    for (const std::int64_t value : way) {
      if (value != begin) change(spec.name, value, ahead, &mine);
    }
    Latencies way_back;
    change(spec.name, begin, ahead, &way_back);
    fmt::print("  {:<10} {:>3} changes   picture {:>8} {:>8}   point {:>8} {:>8}\n", spec.name,
               mine.picture.size(), in_ms(percentile(mine.picture, 0.5)),
               in_ms(percentile(mine.picture, 0.95)), in_ms(percentile(mine.point, 0.5)),
               in_ms(percentile(mine.point, 0.95)));
    std::fflush(stdout);
    all->picture.insert(all->picture.end(), mine.picture.begin(), mine.picture.end());
    all->point.insert(all->point.end(), mine.point.begin(), mine.point.end());
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> legal(const ParameterSpec& spec) const {
    const Variant& variant = workbench_.active();
    auto rules = RuleBook::make(*variant.entry, variant.extents, workbench_.device_model());
    if (!rules) return {};
    std::vector<std::int64_t> values;
    std::size_t which = 0;
    for (const ParameterSpec& other : variant.entry->parameters) {
      if (other.name == spec.name) which = values.size();
      values.push_back(variant.parameters.at(other.name));
    }
    return legal_values(*variant.entry, *rules, values, which);
  }

  void change(const std::string& name, std::int64_t value, bool ahead, Latencies* times) {
    const std::size_t live = workbench_.runs().live().launches().size();
    ParameterSet wanted = workbench_.active().parameters;
    wanted[name] = value;
    const auto start = Clock::now();
    if (ahead) {
      workbench_.set_parameter(name, value);
    } else {
      workbench_.apply(wanted);
    }
    std::optional<double> picture;
    std::optional<double> point;
    const auto complete = [&] { return picture && (point || !measures_); };
    while ((!complete() || seconds_since(start) < kLook) && seconds_since(start) < kMostSeconds) {
      workbench_.tick();
      const Variant& variant = workbench_.active();
      if (!picture && variant.study != nullptr && variant.study->instance.parameters == wanted &&
          variant.prepared != nullptr) {
        picture = seconds_since(start);
      }
      for (std::size_t i = live; !point && i < workbench_.runs().live().launches().size(); ++i) {
        if (workbench_.runs().live().instance(i).parameters == wanted) point = seconds_since(start);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (picture) times->picture.push_back(*picture);
    if (point) times->point.push_back(*point);
  }

  Workbench& workbench_;
  bool measures_;
};

// This program is no worker: the one that was built beside it is, unless another is wanted.
WorkerSettings worker_settings() {
  WorkerSettings worker;
  if (std::getenv("TILESCOPE_WORKER") == nullptr) {
    const auto program = program_file().parent_path().parent_path() / "tilescope";
    worker.command = {program.string(), "worker"};
  }
  return worker;
}

// `ahead`: what may be asked for next is compiled before.
std::unique_ptr<Workbench> open_workbench(bool ahead) {
  auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  auto catalogue = load_catalogue({resource_directory() / "kernels"});
  if (!table || !catalogue) return nullptr;
  Workbench::Settings settings = Workbench::Settings::of_this_machine();
  if (!ahead) settings.around_threads = 0;
  auto workbench = std::make_unique<Workbench>(*std::move(catalogue), *std::move(table),
                                               start_worker(worker_settings()), settings);
  while (!workbench->gpu().device()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return workbench;
}

// Opens the kernel anew, waits until all that is known of it is there, and looks at it.
void settle(Workbench& workbench, const std::string& kernel) {
  workbench.choose_kernel(*workbench.catalogue().find(kernel));
  const auto start = Clock::now();
  auto busy = start;
  do {
    workbench.tick();
    if (workbench.busy()) busy = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (seconds_since(busy) < kFirstLook && seconds_since(start) < kMostSeconds);
}

int run(const std::string& kernel) {
  struct Way {
    const char* name;
    bool ahead;
    bool forget;  // what was compiled so far
  };
  constexpr std::array kWays{Way{"cold", false, true}, Way{"ahead", true, true},
                             Way{"warm", false, false}};
  std::string table;
  for (const Way& way : kWays) {
    if (way.forget) std::filesystem::remove_all(cache_directory() / "compiled");
    const auto workbench = open_workbench(way.ahead);
    if (workbench == nullptr || workbench->catalogue().find(kernel) == nullptr) {
      fmt::print(stderr, "drag_latency: there is no kernel {}\n", kernel);
      return 1;
    }
    const auto device = *workbench->gpu().device();
    fmt::print("{}: {}; {}; {} cores\n", way.name, kernel,
               device ? device->name : to_string(device.error()),
               std::thread::hardware_concurrency());
    settle(*workbench, kernel);
    Latencies all;
    Drag drag(*workbench, device.ok());
    for (const ParameterSpec& spec : workbench->catalogue().find(kernel)->parameters) {
      drag.run(spec, way.ahead, &all);
    }
    table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", way.name, all.picture.size(),
                         in_ms(percentile(all.picture, 0.5)), in_ms(percentile(all.picture, 0.95)),
                         in_ms(percentile(all.point, 0.5)), in_ms(percentile(all.point, 0.95)));
  }
  fmt::print(
      "\n| | changes | picture p50 | p95 | first point p50 | p95 |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n{}",
      table);
  return 0;
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  tilescope::keep_freed_memory();
  // A cache of its own: what a person compiled is kept.
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_bench_drag";
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  return tilescope::run(argc > 1 ? argv[1] : "gemm/register_tile");
}
