#include "fake_worker.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "analysis/memory/counters.h"
#include "analysis/study/kernel_study.h"
#include "core/frame.h"
#include "gpu/counter_reader.h"
#include "gpu/protocol.h"
#include "gpu/worker.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

void write_raw(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written <= 0) std::_Exit(0);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}
void write_text(std::string_view text) {
  write_raw(std::as_bytes(std::span(text.data(), text.size())));
}
void write_message(const Message& message) { write_raw(encode_frame(encode_message(message))); }

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Dies as a crash does, without the core file and the message of a sanitizer.
[[noreturn]] void die_by(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
  std::_Exit(0);
}

constexpr const char* kH100 = "NVIDIA H100 80GB HBM3";

void say_hello(int version = kProtocolVersion, int compute_capability = 90,
               const std::string& name = "Fake GPU", const std::string& uuid = "",
               int visible = 1) {
  write_text(kStreamPreamble);
  DeviceInfo device;
  device.name = name;
  device.uuid = uuid;
  device.visible = visible;
  device.compute_capability = compute_capability;
  if (name == kH100) {
    device.multiprocessors = 132;
    device.max_clock_hz = 1.98e9;
    device.memory_bytes_per_second = 3.35e12;
    device.driver = "580.159.04";
  }
  write_message(HelloMessage{version, device});
}

RunResult result_of(const RunMessage& run) {
  RunResult result;
  result.kernel.count = 1;
  result.kernel.median_seconds = run.request.timing.max_seconds;  // lets a test see which it was
  result.kernel.samples = {result.kernel.median_seconds};
  return result;
}

void serve(const RequestQueue& requests, const RunMessage& run) {
  const std::string& what = run.request.instance.id;
  if (what == "hang") sleep_for_ever();
  if (what == "hang_with_child") {
    if (::fork() == 0) sleep_for_ever();
    std::ofstream(run.request.instance.title) << ::getpid() << std::flush;
    sleep_for_ever();
  }
  if (what == "segfault") die_by(SIGSEGV);
  if (what == "exit") {
    std::fputs("something\nout of order\n", stderr);
    std::_Exit(5);
  }
  if (what == "garbage") write_text(std::string(100'000, '\xff'));
  if (what == "bad_message") write_raw(encode_frame({{"type", "answer"}, {"ticket", -1}}));
  if (what == "half_frame") {
    const auto frame = encode_frame(encode_message(AnswerMessage{run.request_id, result_of(run)}));
    write_raw(std::span(frame).first(frame.size() / 2));
    std::_Exit(0);
  }
  if (what == "half_frame_then_hang") {
    const auto frame = encode_frame(encode_message(AnswerMessage{run.request_id, result_of(run)}));
    write_raw(std::span(frame).first(frame.size() / 2));
    sleep_for_ever();
  }
  if (what == "wrong_ticket") write_message(AnswerMessage{run.request_id + 99, result_of(run)});
  if (what == "flood") {
    while (true) write_message(ProgressMessage{run.request_id, 1e-3});
  }
  if (what == "chatter") {
    for (int i = 0; i < 100'000; ++i) std::fputs("warning: nothing of importance\n", stderr);
  }
  if (what == "fault") {
    write_message(AnswerMessage{run.request_id,
                                Error{ErrorCode::kKernel, "fault: illegal address", "", {}}, true});
    std::_Exit(0);
  }
  if (what == "until_cancelled") {
    write_message(ProgressMessage{run.request_id, 1e-3});
    while (!requests.is_cancelled(run.request_id)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const Error error{ErrorCode::kCancelled, "it was cancelled while it was measured", "", {}};
    write_message(AnswerMessage{run.request_id, error});
    return;
  }
  if (what == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (what == "file") {
    RunResult result = result_of(run);
    result.bytes = static_cast<double>(run.files.begin()->second.size());
    write_message(AnswerMessage{run.request_id, result});
    return;
  }
  for (int i = 1; i <= 3; ++i) write_message(ProgressMessage{run.request_id, i * 1e-3});
  write_message(AnswerMessage{run.request_id, result_of(run)});
}

// Seconds of a launch of assets/calibration/probes.cu on an H100 that is as the time model takes
// one to be (analysis/time/machine_rates.cpp).
double calibration_seconds(const KernelInstance& instance) {
  constexpr double kClock = 1.98e9;
  const std::string kernel = instance.id.substr(instance.id.find('/') + 1);
  const double rounds =
      instance.arguments.empty() ? 0 : static_cast<double>(instance.arguments.back().bits);
  const double warps = std::ceil(static_cast<double>(instance.block.count()) / 32);
  const auto blocks = static_cast<double>(instance.grid.count());
  double clocks = 0;
  if (kernel == "empty") clocks = blocks * std::max(1.2, warps * 5.6 / 132);
  if (kernel == "multiply_for") clocks = 1024 * rounds;
  if (kernel == "barriers") clocks = rounds * (14 + 2 * warps);
  if (kernel == "follow_shared") clocks = rounds * 29;
  if (kernel == "follow_l1") clocks = rounds * 40.3;
  if (kernel == "follow_l2") clocks = rounds * 311;
  if (kernel == "follow_dram") clocks = rounds * 690;
  if (kernel == "load_lines") clocks = rounds * blocks * warps * 8 * 4 / (0.964 * 132);
  if (kernel == "copy") clocks = blocks * 256 * 32 / 2.7e12 * kClock;
  if (kernel == "add_to_one") clocks = rounds * blocks * warps * 32 * 1.46;
  if (kernel == "multiply_matrices") clocks = rounds * blocks / 132 * warps * 16384 / 2460;
  return 3.17e-6 + clocks / kClock;
}

// Seconds that follow from the request alone, so that variants differ and repeats agree: the
// further its parameters are from 64, the slower; and the problem's work. An H100 takes its time
// for the bytes.
double pretended_seconds(const KernelInstance& instance, bool is_h100) {
  if (instance.id.starts_with("calibration/")) return calibration_seconds(instance);
  double off = 1;
  for (const auto& [name, value] : instance.parameters) {
    off += std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(value, 1))) - 3) / 8;
  }
  const ProblemCost cost = problem_cost(instance);
  if (is_h100 && cost.flop <= 0) return cost.bytes * (1 + off / 10) / 2.7e12;
  return std::max(cost.flop, 1e6) * off / 40e12;
}

// What the hardware would count: what is emulated, for the GPU is none; but for shared loads, which
// it counts more of, and not the same twice.
Result<RunResult> counted(const RunRequest& request, int reading) {
  // The source stays with the program; the catalogue has it too.
  const KernelInstance& asked = request.instance;
  auto instance =
      instantiate(testing::entry(asked.id), asked.parameters, asked.extents, testing::device(90));
  if (!instance) return instance.error();
  StudyRequest wanted;
  wanted.instance = *std::move(instance);
  auto study = study_block(wanted, {});
  if (study) study = with_resources(*study, testing::device(90), {});
  if (study) study = with_issued_counts(*study, Counted::kGrid, 1, {});
  if (!study) return study.error();
  if ((*study)->issued_counters == nullptr) {
    return Error{ErrorCode::kMachine, (*study)->why_not_issued, "", {}};
  }
  const std::string contended = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
  RunResult result;
  for (const auto& [name, value] : metrics_of(*(*study)->issued, *(*study)->issued_counters)) {
    if (std::ranges::find(request.counters, name) == request.counters.end()) continue;
    const int more = name == contended && value > 0 ? 3 + reading : 0;
    result.counters[name] = static_cast<double>(value) + more;
  }
  return result;
}

// As if each warp came to each mark once, some hundred cycles after the one before.
std::vector<PhaseStamp> pretended_stamps(const KernelInstance& instance) {
  const CatalogueEntry* entry = testing::catalogue().find(instance.id);
  if (entry == nullptr) return {};
  std::vector<std::uint32_t> marks;  // their lines
  std::istringstream source(entry->source);
  std::string text;
  for (std::uint32_t line = 1; std::getline(source, text); ++line) {
    if (text.find("TILESCOPE_PHASE(") != std::string::npos) marks.push_back(line);
  }
  std::vector<PhaseStamp> stamps;
  const auto warps = static_cast<std::uint32_t>((instance.block.count() + 31) / 32);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    for (std::uint32_t i = 0; i < marks.size(); ++i) {
      const std::uint32_t begin = 137 * i + 5 * warp;
      stamps.push_back({warp, marks[i], begin, begin + 11});
    }
  }
  return stamps;
}

struct PretendedH100 {
  bool is_one = false;
  bool shared = false;  // another program computes on it
  bool dies = false;    // where the L2's latency is measured
};

// As the real worker: a few looks, then samples as they come, then the answer. It takes long enough
// for a frame of a slow machine to fall into it.
void measure(const RequestQueue& requests, const RunMessage& run, const PretendedH100& h100) {
  if (h100.dies && run.request.instance.id == "calibration/follow_l2") die_by(SIGSEGV);
  constexpr int kSamples = 12;
  const TimingOptions& timing = run.request.timing;
  // What the L2 still holds need not be read again.
  const double seconds =
      pretended_seconds(run.request.instance, h100.is_one) * (timing.cold ? 1 : 0.8);
  const auto seconds_of = [&](int i) { return seconds * (1 + 0.01 * (i % 3 - 1)); };
  RunResult result;
  for (int i = 0; i < timing.first_looks; ++i) {
    write_message(ProgressMessage{run.request_id, seconds_of(i)});
  }
  for (int i = 0; i < kSamples; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (requests.is_cancelled(run.request_id)) {
      const Error error{ErrorCode::kCancelled, "it was cancelled while it was measured", "", {}};
      write_message(AnswerMessage{run.request_id, error});
      return;
    }
    result.kernel.samples.push_back(seconds_of(i));
    write_message(ProgressMessage{run.request_id, seconds_of(i)});
  }
  result.kernel.count = kSamples;
  result.kernel.median_seconds = seconds;
  result.kernel.p5_seconds = 0.99 * seconds;
  result.kernel.p95_seconds = 1.01 * seconds;
  result.max_error = 0;
  result.cold = timing.cold;
  if (h100.shared) result.conditions.other_programs = 1;
  const ProblemCost cost = problem_cost(run.request.instance);
  result.flop = cost.flop;
  result.bytes = cost.bytes;
  if (timing.reference && run.request.instance.problem) {
    const double best =
        h100.is_one && cost.flop <= 0 ? cost.bytes / 2.754e12 : std::max(cost.flop, 1e6) / 50e12;
    result.reference = TimeSummary{kSamples, best, best, best, 0, {}};
    result.reference_name =
        run.request.instance.multiplies() ? "cuBLAS SGEMM, FP32" : "device copy";
  }
  if (run.request.has_phase_stamps) result.phase_stamps = pretended_stamps(run.request.instance);
  write_message(AnswerMessage{run.request_id, result});
}

}  // namespace

int fake_worker_main(std::string_view start, int device) {
  if (start == "silent") sleep_for_ever();
  if (start == "exit") {
    std::fputs("bash: tilescope: command not found\n", stderr);
    return 7;
  }
  if (start == "text") {
    while (true) write_text("usage: something else altogether\n");
  }
  if (start == "old_version") say_hello(kProtocolVersion + 1);
  if (start == "no_device") {
    write_text(kStreamPreamble);
    write_message(HelloMessage{
        kProtocolVersion, Error{ErrorCode::kMachine, "libcuda.so.1 is not installed", "", {}}});
  }
  if (start == "greeting") write_text("Welcome to host!\n\x89tilesco");
  if (start == "good" || start == "measures" || start == "forbids_counters" ||
      start == "greeting" || start == "die_idle") {
    say_hello();
  }
  const PretendedH100 h100{.is_one = start.starts_with("measures_h100"),
                           .shared = start == "measures_h100_shared",
                           .dies = start == "measures_h100_dying"};
  if (h100.is_one) say_hello(kProtocolVersion, 90, kH100);
  if (start == "measures_sm_80") say_hello(kProtocolVersion, 80);
  if (start == "measures_two") {
    say_hello(kProtocolVersion, 90, "Fake GPU", "GPU-" + std::to_string(device), 2);
  }
  if (start == "same_gpu") say_hello(kProtocolVersion, 90, "Fake GPU", "GPU-one");
  if (start == "die_idle") die_by(SIGKILL);
  const bool forbids = start == "forbids_counters";
  const bool measures = start.starts_with("measures") || forbids;
  int readings = 0;
  RequestQueue requests;
  while (true) {
    const RunMessage run = requests.next();
    if (measures && !run.request.counters.empty()) {
      write_message(AnswerMessage{run.request_id, forbids ? Result<RunResult>(counters_forbidden())
                                                          : counted(run.request, ++readings)});
    } else if (measures) {
      measure(requests, run, h100);
    } else {
      serve(requests, run);
    }
  }
}

std::vector<std::string> fake_worker_command(const std::string& start) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "--fake-worker", start};
}

}  // namespace tilescope
