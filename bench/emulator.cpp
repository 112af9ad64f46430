// Lane-instructions per second of the emulator on one core: several blocks, not traced and with the
// counters; one block, not traced and with every event kept. Compare ratios; the machine decides
// the absolute figures.
//   TILESCOPE_INSTRUCTION_SET=avx2 bench_emulator --benchmark_filter=register_tile
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "analysis/memory/counters.h"
#include "analysis/study/kernel_study.h"
#include "core/allocation.h"
#include "core/device_table.h"
#include "core/paths.h"
#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/nvrtc_process.h"
#include "kernel/launch/instance.h"

namespace tilescope {
namespace {

constexpr const char* kDivergentReduction = R"(
extern "C" __global__ void divergent_reduction(const float* in, float* out) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
})";

struct Subject {
  std::shared_ptr<const Program> program;
  Launch launch;
  DeviceMemory memory;
  std::vector<std::uint64_t> blocks;
};

Subject prepare(const KernelInstance& instance) {
  Subject subject;
  const auto compiled = compile({instance, 90, false}, {});
  if (!compiled) return subject;
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, instance.source);
  if (!program) return subject;
  subject.program = *program;
  subject.launch.grid = instance.grid;
  subject.launch.block = instance.block;
  subject.launch.dynamic_shared_bytes = instance.dynamic_shared_bytes;
  for (const Argument& argument : instance.arguments) {
    if (!argument.is_pointer) {
      subject.launch.arguments.push_back(argument.bits);
      continue;
    }
    auto contents = std::make_shared<std::vector<std::byte>>(argument.buffer.bytes());
    if (!fill_buffer(argument.buffer, *contents)) return {};
    const auto index = subject.memory.add(argument.name, argument.type, contents);
    subject.launch.arguments.push_back(subject.memory.buffers()[index].address);
  }
  return subject;
}

Subject prepare_entry(const std::string& id, const std::string& size, std::uint64_t blocks) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  if (!table || !catalogue) return {};
  const CatalogueEntry* entry = catalogue->find(id);
  const auto parameters = complete_parameters(*entry, {});
  const auto extents = parse_size(entry->problem, size);
  const auto instance = instantiate(*entry, *parameters, *extents, *find_device(*table, 90));
  if (!instance) return {};
  Subject subject = prepare(*instance);
  for (std::uint64_t b = 0; b < std::min(blocks, subject.launch.grid.count()); ++b)
    subject.blocks.push_back(b);
  return subject;
}

Subject prepare_reduction() {
  KernelInstance instance;
  instance.id = instance.file_name = "reduction.cu";
  instance.source = kDivergentReduction;
  instance.kernel = "divergent_reduction";
  instance.grid = {64, 1, 1};
  instance.block = {256, 1, 1};
  Argument in;
  in.name = "in";
  in.is_pointer = true;
  in.buffer = {ElementType::kF32, 64 * 256, Fill::kRandom, 1, {}};
  Argument out = in;
  out.name = "out";
  out.buffer = {ElementType::kF32, 64, Fill::kZero, 0, {}};
  instance.arguments = {in, out};
  return prepare(instance);
}

enum class Mode { kPlain, kCounted, kChecked, kBlock, kTracedBlock };

void run(benchmark::State& state, Subject subject, Mode mode) {
  if (subject.program == nullptr) {
    state.SkipWithError("the kernel could not be prepared");
    return;
  }
  EmulationOptions options;
  options.blocks = subject.blocks;
  options.check = mode == Mode::kChecked;
  const SinkFactory make_counter = [&] { return std::make_unique<CountingSink>(*subject.program); };
  if (mode == Mode::kBlock || mode == Mode::kTracedBlock) options.blocks = {0};
  std::uint64_t lanes = 0;  // of one iteration
  if (const auto once =
          emulate(*subject.program, subject.launch, subject.memory, options, {}, {}, {})) {
    lanes = once->lane_instructions;
  }
  for (auto _ : state) {
    if (mode == Mode::kTracedBlock) {
      auto trace = trace_block(*subject.program, subject.launch, subject.memory, 0, 1u << 22, {});
      benchmark::DoNotOptimize(trace);
    } else {
      auto result = emulate(*subject.program, subject.launch, subject.memory, options,
                            mode == Mode::kCounted ? make_counter : SinkFactory{}, {}, {});
      benchmark::DoNotOptimize(result);
    }
  }
  state.counters["lane_instructions"] =
      benchmark::Counter(static_cast<double>(lanes), benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, const std::function<Subject()>& make) {
  for (const auto& [suffix, mode] :
       {std::pair{"plain", Mode::kPlain}, std::pair{"counted", Mode::kCounted},
        std::pair{"checked", Mode::kChecked}, std::pair{"block", Mode::kBlock},
        std::pair{"traced_block", Mode::kTracedBlock}}) {
    benchmark::RegisterBenchmark((name + "/" + suffix).c_str(), [=](benchmark::State& state) {
      run(state, make(), mode);
    })->Unit(benchmark::kMillisecond);
  }
}

void register_all() {
  keep_freed_memory();
  add("gemm_register_tile", [] { return prepare_entry("gemm/register_tile", "256x256x1024", 1); });
  add("gemm_naive", [] { return prepare_entry("gemm/naive", "256x256x256", 8); });
  add("transpose_tiled", [] { return prepare_entry("transpose/tiled", "512", 64); });
  add("divergent_reduction", [] { return prepare_reduction(); });
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  tilescope::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
