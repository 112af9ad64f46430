#include "gpu/calibration.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "gpu/gpu_device.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/instance.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorsOfLine = 4;
constexpr std::uint64_t kTableBytes = std::uint64_t{256} << 20;  // larger than any L2

// A launch of one of assets/calibration/probes.cu.
struct Probe {
  const char* kernel = "";
  const char* what = "";  // in words
  Dim3 grid = {1, 1, 1};
  Dim3 block = {1, 1, 1};
  std::vector<std::uint64_t> buffers = {};  // bytes of each
  std::vector<std::int32_t> numbers = {};   // after the buffers
};

Argument buffer_of(std::uint64_t bytes) {
  Argument argument;
  argument.name = "buffer";
  argument.type = ElementType::kU32;
  argument.is_pointer = true;
  argument.written = true;
  argument.buffer.type = ElementType::kU32;
  argument.buffer.count = bytes / size_of(ElementType::kU32);
  return argument;
}

Argument number_of(std::int32_t value) {
  Argument argument;
  argument.name = "number";
  argument.type = ElementType::kI32;
  argument.bits = static_cast<std::uint32_t>(value);
  return argument;
}

// Runs probes on one GPU. After the first error every time is 0, and error() says what went wrong.
class Prober {
 public:
  Prober(WorkerLink& link, const DeviceModel& device, const CalibrationWatcher& watcher)
      : link_(link), device_(device), watcher_(watcher) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] bool load_source() {
    const auto file = resource_directory() / "assets" / "calibration" / "probes.cu";
    constexpr std::uintmax_t kMost = 1 << 20;
    const auto text = read_file(file, kMost);
    if (text) {
      source_ = *text;
    } else {
      error_ = Error{ErrorCode::kMachine,
                     "cannot read " + file.string(),
                     "Set TILESCOPE_RESOURCES to the folder with kernels/ and assets/",
                     {}};
    }
    return text.has_value();
  }

  // The median of some launches.
  double seconds(const Probe& probe) {
    if (error_) return 0;
    if (watcher_.is_cancelled && watcher_.is_cancelled()) {
      error_ = Error{ErrorCode::kCancelled, "it was interrupted", "", {}};
      return 0;
    }
    const auto result = run(probe);
    if (!result) {
      error_ = result.error();
      return 0;
    }
    if (result->conditions.other_programs > 0) {
      error_ =
          Error{ErrorCode::kMachine,
                fmt::format("another program computed on {} while it was measured", device_.name),
                "End what else runs there and try again",
                {}};
      return 0;
    }
    return result->kernel.median_seconds;
  }

  // Seconds for each round: of the probe with its last number, or its grid's width, at `few` and
  // at `many`.
  double seconds_a_round(Probe probe, std::int32_t few, std::int32_t many) {
    if (watcher_.begins && !error_) watcher_.begins(probe.what);
    const bool by_grid = probe.numbers.empty();
    const auto with = [&](std::int32_t rounds) {
      if (by_grid) {
        probe.grid.x = static_cast<std::uint32_t>(rounds);
      } else {
        probe.numbers.back() = rounds;
      }
      return seconds(probe);
    };
    const double short_time = with(few);
    const double long_time = with(many);
    if (error_) return 0;
    if (!(long_time > short_time)) {
      error_ = Error{
          ErrorCode::kMachine,
          fmt::format("{} rounds of {} took {}, {} of them {}", few, probe.what,
                      format(short_time, Unit::kSeconds), many, format(long_time, Unit::kSeconds)),
          "The GPU's clock moves, or another program uses it: try again when it is idle",
          {}};
      return 0;
    }
    return (long_time - short_time) / (many - few);
  }

 private:
  Result<RunResult> run(const Probe& probe) {
    RunRequest request;
    KernelInstance& instance = request.instance;
    instance.id = std::string("calibration/") + probe.kernel;
    instance.title = probe.what;
    instance.file_name = "probes.cu";
    instance.source = source_;
    instance.kernel = probe.kernel;
    instance.grid = probe.grid;
    instance.block = probe.block;
    for (const std::uint64_t bytes : probe.buffers) instance.arguments.push_back(buffer_of(bytes));
    for (const std::int32_t number : probe.numbers) {
      instance.arguments.push_back(number_of(number));
    }
    auto compiled = compile({instance, device_.compute_capability, true}, {});
    if (!compiled) return compiled.error();
    request.compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
    request.timing.samples = 40;
    request.timing.max_seconds = 0.4;
    request.timing.verify = false;
    request.timing.reference = false;
    return run_and_wait(link_, std::move(request));
  }

  WorkerLink& link_;
  const DeviceModel& device_;
  const CalibrationWatcher& watcher_;
  std::string source_;
  std::optional<Error> error_;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:%Y-%m-%d}", local);
}

// Lines of a table that the L2 holds with room to spare: at most 8 MiB, a power of two.
std::int32_t lines_in_l2(const DeviceInfo& info) {
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
  const std::uint64_t bytes = info.l2_bytes == 0 ? kMost : std::min(info.l2_bytes / 4, kMost);
  return static_cast<std::int32_t>(std::bit_floor(std::max(bytes, kLineBytes) / kLineBytes));
}

void measure_starts(Prober& prober, const DeviceModel& device, MeasuredRates* rates) {
  constexpr std::int32_t kFew = 1 << 17;
  constexpr std::int32_t kMany = 1 << 19;
  rates->launch_seconds =
      prober.seconds({.kernel = "empty", .what = "an empty kernel", .block = {32, 1, 1}});
  const double block = prober.seconds_a_round(
      {.kernel = "empty", .what = "empty blocks", .block = {32, 1, 1}}, kFew, kMany);
  rates->block_start_clocks = block * device.boost_clock_hz;
  // Two blocks fill a multiprocessor, so that one can start while the other ends.
  const int threads =
      std::min(device.max_threads_per_multiprocessor / 2, device.max_threads_per_block) / 32 * 32;
  const double full_block =
      prober.seconds_a_round({.kernel = "empty",
                              .what = "empty blocks of many warps",
                              .block = {static_cast<std::uint32_t>(threads), 1, 1}},
                             kFew, kMany);
  rates->warp_start_clocks =
      full_block * device.boost_clock_hz * device.multiprocessors / (threads / 32.0);
}

void measure_barriers(Prober& prober, const DeviceModel& device, MeasuredRates* rates) {
  constexpr std::uint32_t kMostWarps = 32;
  const auto clocks = [&](std::uint32_t warps) {
    const Probe probe{
        .kernel = "barriers", .what = "barriers", .block = {32 * warps, 1, 1}, .numbers = {0}};
    return prober.seconds_a_round(probe, 4096, 65536) * device.boost_clock_hz;
  };
  const double of_one = clocks(1);
  const double of_most = clocks(kMostWarps);
  rates->barrier_warp_clocks = std::max(of_most - of_one, 0.0) / (kMostWarps - 1);
  rates->barrier_clocks = std::max(of_one - rates->barrier_warp_clocks, 0.0);
}

void measure_latencies(Prober& prober, const DeviceModel& device, const DeviceInfo& info,
                       MeasuredRates* rates) {
  constexpr std::int32_t kFew = 4096;
  constexpr std::int32_t kMany = 65536;
  const auto clocks = [&](const Probe& probe, std::int32_t few, std::int32_t many) {
    return prober.seconds_a_round(probe, few, many) * device.boost_clock_hz;
  };
  rates->shared_latency = clocks({.kernel = "follow_shared",
                                  .what = "loads from shared memory",
                                  .block = {32, 1, 1},
                                  .buffers = {kLineBytes},
                                  .numbers = {0}},
                                 kFew, kMany);
  constexpr std::int32_t kL1Lines = 64;
  rates->l1_latency = clocks({.kernel = "follow_l1",
                              .what = "loads from the L1",
                              .block = {32, 1, 1},
                              .buffers = {kL1Lines * kLineBytes},
                              .numbers = {kL1Lines, 0}},
                             kFew, kMany);
  const std::int32_t l2_lines = std::min(lines_in_l2(info), std::int32_t{1} << 13);
  rates->l2_latency = clocks({.kernel = "follow_l2",
                              .what = "loads from the L2",
                              .block = {1024, 1, 1},
                              .buffers = {static_cast<std::uint64_t>(l2_lines) * kLineBytes},
                              .numbers = {l2_lines, 0}},
                             kFew, kMany);
  constexpr auto kTableLines = static_cast<std::int32_t>(kTableBytes / kLineBytes);
  rates->dram_latency = clocks({.kernel = "follow_dram",
                                .what = "loads from the DRAM",
                                .block = {1, 1, 1},
                                .buffers = {kTableBytes},
                                .numbers = {kTableLines, 0}},
                               1024, 8192);
}

void measure_rates(Prober& prober, const DeviceModel& device, const DeviceInfo& info,
                   MeasuredRates* rates) {
  const auto multiprocessors = static_cast<std::uint32_t>(device.multiprocessors);
  constexpr std::uint32_t kThreads = 256;
  const std::uint32_t blocks = multiprocessors *
                               static_cast<std::uint32_t>(device.max_threads_per_multiprocessor) /
                               kThreads;
  const double warps = blocks * (kThreads / 32.0);
  const std::int32_t lines = lines_in_l2(info);
  constexpr double kLinesARound = 8;
  const double loads =
      prober.seconds_a_round({.kernel = "load_lines",
                              .what = "lines from the L2 to all",
                              .grid = {blocks, 1, 1},
                              .block = {kThreads, 1, 1},
                              .buffers = {static_cast<std::uint64_t>(lines) * kLineBytes},
                              .numbers = {lines, 0}},
                             64, 256);
  if (loads > 0) {
    rates->l2_sectors = warps * kLinesARound * kSectorsOfLine /
                        (loads * device.boost_clock_hz * device.multiprocessors);
  }
  constexpr std::uint64_t kBytesOfBlock = 16 * std::uint64_t{kThreads};
  constexpr auto kCopyBlocks = static_cast<std::int32_t>(kTableBytes / kBytesOfBlock);
  const double copied = prober.seconds_a_round({.kernel = "copy",
                                                .what = "a copy from DRAM to DRAM",
                                                .block = {kThreads, 1, 1},
                                                .buffers = {kTableBytes, kTableBytes}},
                                               kCopyBlocks / 2, kCopyBlocks);
  if (copied > 0) rates->dram_bytes_per_second = 2 * kBytesOfBlock / copied;
  const double additions = prober.seconds_a_round({.kernel = "add_to_one",
                                                   .what = "additions to one address",
                                                   .grid = {multiprocessors, 1, 1},
                                                   .block = {kThreads, 1, 1},
                                                   .buffers = {2 * kLineBytes},
                                                   .numbers = {0}},
                                                  32, 128);
  rates->atomic_address_clocks =
      additions * device.boost_clock_hz / (multiprocessors * double{kThreads});
  constexpr int kHasProducts = 80;
  if (device.compute_capability < kHasProducts) return;
  constexpr double kFlopOfRound = 4 * 16 * 16 * 8 * 2;
  const double products = prober.seconds_a_round({.kernel = "multiply_matrices",
                                                  .what = "products of matrices",
                                                  .grid = {2 * multiprocessors, 1, 1},
                                                  .block = {kThreads, 1, 1},
                                                  .buffers = {kLineBytes},
                                                  .numbers = {0}},
                                                 1024, 16384);
  if (products > 0) {
    rates->tensor_flop = 2 * (kThreads / 32.0) * kFlopOfRound / (products * device.boost_clock_hz);
  }
}

}  // namespace

Result<DeviceModel> calibrate(WorkerLink& link, const DeviceInfo& info,
                              const std::vector<DeviceModel>& table,
                              const CalibrationWatcher& watcher) {
  DeviceModel device = model_of(info, table);
  Prober prober(link, device, watcher);
  if (!prober.load_source()) return *prober.error();
  MeasuredRates rates;
  rates.date = today();
  rates.driver = info.driver;
  // 5 and 20 ms and more: the clock has the time to fall.
  const double kiloclock =
      prober.seconds_a_round({.kernel = "multiply_for",
                              .what = "the clock under load",
                              .grid = {static_cast<std::uint32_t>(device.multiprocessors), 1, 1},
                              .block = {512, 1, 1},
                              .buffers = {kLineBytes},
                              .numbers = {0}},
                             10'000, 40'000);
  if (kiloclock > 0) device.boost_clock_hz = 1024 / kiloclock;
  measure_starts(prober, device, &rates);
  measure_barriers(prober, device, &rates);
  measure_latencies(prober, device, info, &rates);
  measure_rates(prober, device, info, &rates);
  if (prober.error()) return *prober.error();
  device.source = fmt::format(
      "rates measured by tilescope model calibrate on {} with driver {}; limits of compute "
      "capability {}.{}: CUDA C++ Programming Guide 13.0",
      rates.date, rates.driver, device.compute_capability / 10, device.compute_capability % 10);
  device.measured = std::move(rates);
  return device;
}

}  // namespace tilescope
