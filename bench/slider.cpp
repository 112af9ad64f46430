// From a parameter change to the picture: instance, NVRTC, decoding, the trace of one block of the
// default GEMM and the sample of its grid. First with parameters that were never compiled before,
// then back to the same ones, then NVRTC alone, then what the views draw from, then one block's
// trace alone. Compare p95 with 150 ms, and the emulation with 16 ms.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "core/allocation.h"
#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel/launch/instance.h"
#include "scene/model/prepared.h"

namespace tilescope {
namespace {

double p95(const std::vector<double>& times) {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const double place = std::ceil(0.95 * static_cast<double>(sorted.size())) - 1;
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(std::max(place, 0.0))];
}

// Legal instances along the sliders of the register tile.
std::vector<KernelInstance> instances() {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  std::vector<KernelInstance> all;
  if (!table || !catalogue) return all;
  const CatalogueEntry& entry = *catalogue->find("gemm/register_tile");
  for (const std::int64_t tile : {64, 128}) {
    for (const std::int64_t tile_k : {8, 16, 32}) {
      for (std::int64_t stages = 1; stages <= 5; ++stages) {
        const auto parameters =
            complete_parameters(entry, {{"TILE_M", tile}, {"TILE_K", tile_k}, {"STAGES", stages}});
        if (!parameters) continue;
        auto instance =
            instantiate(entry, *parameters, entry.default_extents, *find_device(*table, 90));
        if (instance) all.push_back(*std::move(instance));
      }
    }
  }
  return all;
}

// Requests for one instance after the other; the inputs are made once.
class Requests {
 public:
  [[nodiscard]] bool empty() const { return all_.empty(); }
  StudyRequest next() {
    StudyRequest request;
    request.instance = all_[next_++ % all_.size()];
    request.inputs = &inputs_;
    return request;
  }

 private:
  std::vector<KernelInstance> all_ = instances();
  InputCache inputs_;
  std::size_t next_ = 0;
};

void change_a_parameter(benchmark::State& state) {
  static Requests requests;
  if (requests.empty()) return state.SkipWithError("no instances");
  double compilation = 0;
  double emulation = 0;
  for (auto _ : state) {
    StudyRequest request = requests.next();
    request.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
    const auto study = study_block(request, {});
    if (!study) return state.SkipWithError(study.error().message.c_str());
    compilation = (*study)->compile_seconds;
    emulation = (*study)->emulate_seconds;
  }
  state.counters["compilation_ms"] = compilation * 1e3;
  state.counters["emulation_ms"] = emulation * 1e3;
}

// What `measured` takes, in the time that a benchmark is told.
template <typename Measured>
void time_by_hand(benchmark::State& state, const Measured& measured) {
  const auto began = std::chrono::steady_clock::now();
  measured();
  state.SetIterationTime(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}

// What the views draw from (scene/model/prepared.h), of a study that is there.
void prepare_views(benchmark::State& state) {
  static Requests requests;
  if (requests.empty()) return state.SkipWithError("no instances");
  for (auto _ : state) {
    const auto study = study_block(requests.next(), {});
    if (!study) return state.SkipWithError(study.error().message.c_str());
    std::shared_ptr<const PreparedStudy> prepared;
    time_by_hand(state, [&] { prepared = prepare(**study); });
  }
}

// NVRTC alone, of a text that nobody compiled before: PTX, or the cubin too.
void compile_alone(benchmark::State& state, bool want_cubin) {
  static Requests requests;
  static int text = 0;
  if (requests.empty()) return state.SkipWithError("no instances");
  for (auto _ : state) {
    CompileRequest request{requests.next().instance, 90, want_cubin};
    request.instance.source += "// " + std::to_string(++text) + "\n";
    const auto compiled = compile(request, {});
    if (!compiled) return state.SkipWithError(compiled.error().message.c_str());
  }
}

// NVRTC alone, of a person's own file with each time another number in it, behind a header that
// takes long (kernel/compile/precompiled_headers.h).
void compile_behind_header(benchmark::State& state) {
  static int number = 0;
  for (auto _ : state) {
    CompileRequest request;
    request.instance.file_name = "own.cu";
    request.instance.kernel = "sum";
    request.instance.source =
        "#include <cooperative_groups.h>\n"
        "namespace cg = cooperative_groups;\n"
        "constexpr int kRounds = " +
        std::to_string(++number) +
        ";\n"
        "__global__ void sum(float* x) {\n"
        "  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
        "  float value = x[threadIdx.x];\n"
        "  for (int i = 0; i < kRounds; ++i) value += warp.shfl_down(value, 1);\n"
        "  x[threadIdx.x] = value;\n"
        "}\n";
    const auto compiled = compile(request, {});
    if (!compiled) return state.SkipWithError(compiled.error().message.c_str());
  }
}

// The traced block by itself, every event kept, on one thread.
void trace_one_block(benchmark::State& state) {
  static Requests requests;
  if (requests.empty()) return state.SkipWithError("no instances");
  for (auto _ : state) {
    const StudyRequest request = requests.next();
    const auto study = prepare_study(request, {});
    if (!study) return state.SkipWithError(study.error().message.c_str());
    DeviceMemory memory = writable_copy((*study)->instance, *(*study)->memory);
    std::optional<Result<BlockTrace>> trace;
    time_by_hand(state, [&] {
      trace = trace_block(*(*study)->program, (*study)->launch, memory, request.block,
                          request.most_events, {});
    });
    if (!*trace) return state.SkipWithError(trace->error().message.c_str());
  }
}

void register_all() {
  keep_freed_memory();
  // A cache of its own, empty: a kernel that was compiled before would cost nothing.
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_bench_slider";
  std::filesystem::remove_all(folder);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const auto report = [](benchmark::internal::Benchmark* made, int repetitions) {
    made->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->Repetitions(repetitions)
        ->ReportAggregatesOnly()
        ->ComputeStatistics("p95", p95);
  };
  for (const char* name : {"new_parameters", "known_parameters"}) {
    report(benchmark::RegisterBenchmark(name, change_a_parameter)->UseRealTime(), 30);
  }
  for (const bool cubin : {false, true}) {
    const char* name = cubin ? "compile_cubin" : "compile_ptx";
    report(benchmark::RegisterBenchmark(name, compile_alone, cubin)->UseRealTime(), 30);
  }
  report(benchmark::RegisterBenchmark("own_file", compile_behind_header)->UseRealTime(), 30);
  report(benchmark::RegisterBenchmark("views", prepare_views)->UseManualTime(), 30);
  report(benchmark::RegisterBenchmark("one_block", trace_one_block)->UseManualTime(), 60);
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  tilescope::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
