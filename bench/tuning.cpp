// What the tuner spends on a variant where there is no GPU: `whole` studies it as the window does
// and asks the model every question, `tuner` does what the tuner does. The first legal combinations
// of a kernel from its defaults on, nothing compiled before, one way after the other:
//   bench_tuning [KERNEL] [VARIANTS]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/time_model.h"
#include "analysis/time/verdicts.h"
#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel/launch/parameter_space.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double whole(const StudyRequest& request, const DeviceModel& device) {
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, device, {});
  if (study) study = with_issued_counts(*study, Counted::kSample, 1, {});
  const auto diagnosis = study ? diagnose(**study) : std::nullopt;
  return diagnosis ? diagnosis->bounds.total() : 0;
}

double tuner(StudyRequest request, const DeviceModel& device) {
  request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const auto time = modelled_time(request, device, {});
  return time ? time->seconds : 0;
}

int run(const std::string& kernel, std::size_t variants) {
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  const auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
  if (!catalogue || !devices) return 3;
  const CatalogueEntry* entry = catalogue->find(kernel);
  const DeviceModel* device = find_device(*devices, 90);
  if (entry == nullptr || device == nullptr) return 1;
  ParameterSet start;
  std::set<std::string> explored;
  for (const ParameterSpec& spec : entry->parameters) {
    start[spec.name] = spec.default_value;
    explored.insert(spec.name);
  }
  const auto space =
      parameter_space(*entry, start, explored, entry->default_extents, *device, 200'000, {});
  if (!space) return 1;
  TuningOrder order(*entry, *space, values_of(*entry, start));
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_bench_tuning";
  std::array<double, 2> seconds{};
  std::array<InputCache, 2> inputs;
  for (std::size_t i = 0; i < variants; ++i) {
    const auto next = order.next();
    if (!next) break;
    const ParameterSet parameters = parameters_of(*entry, order.set(*next));
    auto instance = instantiate(*entry, parameters, entry->default_extents, *device);
    if (!instance) continue;
    std::array<double, 2> modelled{};
    for (const std::size_t way : {i % 2, 1 - i % 2}) {
      ::setenv("XDG_CACHE_HOME", (folder / std::to_string(way)).c_str(), 1);
      StudyRequest request;
      request.instance = *instance;
      request.inputs = &inputs[way];
      const auto begin = Clock::now();
      modelled[way] = way == 0 ? whole(request, *device) : tuner(request, *device);
      seconds[way] += std::chrono::duration<double>(Clock::now() - begin).count();
    }
    if (modelled[0] != modelled[1]) fmt::print("{} and {} differ\n", modelled[0], modelled[1]);
    order.found(*next, modelled[1]);
  }
  std::filesystem::remove_all(folder);
  const auto count = static_cast<double>(variants);
  fmt::print("{} {} variants: whole {:.0f} ms each, tuner {:.0f} ms each: {:.2f} times as fast\n",
             kernel, variants, 1e3 * seconds[0] / count, 1e3 * seconds[1] / count,
             seconds[0] / seconds[1]);
  return 0;
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  return tilescope::run(argc > 1 ? argv[1] : "gemm/register_tile",
                        argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 12);
}
