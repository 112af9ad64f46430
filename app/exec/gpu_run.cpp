#include "exec/gpu_run.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include "core/cuda_folders.h"
#include "core/paths.h"
#include "core/shared_library.h"
#include "exec/launcher.h"
#include "exec/program_process.h"

namespace tilescope {
namespace {

constexpr double kNanosecond = 1e-9;

// "_Z5scalePf" as "scale(float*)"; what is no such name stays as it is.
std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : name;
}

// A line of runtime/recorder/launch_recorder.cpp.
struct RecordedLine {
  std::string name;
  std::string shape;  // all but the times, as it stands there: launches of one shape are a group
  MeasuredLaunches launch;
  std::uint64_t begin = 0;  // ns
  std::uint64_t end = 0;
};
bool parse(const std::string& line, RecordedLine* recorded) {
  const std::size_t name_end = line.find('\t');
  const std::size_t times = line.rfind('\t');
  if (name_end == std::string::npos || times == name_end) return false;
  recorded->name = line.substr(0, name_end);
  recorded->shape = line.substr(0, times);
  MeasuredLaunches& launch = recorded->launch;
  unsigned long long shared[2];
  unsigned long long span[2];
  const int read =
      std::sscanf(line.c_str() + name_end, "\t%u %u %u\t%u %u %u\t%llu %llu\t%u\t%llu %llu",
                  &launch.grid.x, &launch.grid.y, &launch.grid.z, &launch.block.x, &launch.block.y,
                  &launch.block.z, &shared[0], &shared[1], &launch.registers, &span[0], &span[1]);
  if (read != 11) return false;
  launch.static_shared_bytes = shared[0];
  launch.dynamic_shared_bytes = shared[1];
  recorded->begin = span[0];
  recorded->end = span[1];
  return true;
}

void read_launches(const std::filesystem::path& file, GpuRun* run) {
  std::vector<RecordedLine> lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# ")) run->why_not = line.substr(2);
    if (RecordedLine recorded; parse(line, &recorded)) lines.push_back(std::move(recorded));
  }
  std::ranges::stable_sort(lines, {}, &RecordedLine::begin);
  std::map<std::string, std::size_t> index;
  for (const RecordedLine& line : lines) {
    const auto [at, is_new] = index.emplace(line.shape, run->groups.size());
    ++run->launches;
    if (is_new) {
      run->groups.push_back(line.launch);
      run->groups.back().kernel = readable(line.name);
      run->groups.back().symbol = line.name;
      run->groups.back().first = run->launches;
    }
    MeasuredLaunches& group = run->groups[at->second];
    const double seconds = static_cast<double>(line.end - line.begin) * kNanosecond;
    group.least_seconds = group.count == 0 ? seconds : std::min(group.least_seconds, seconds);
    group.most_seconds = std::max(group.most_seconds, seconds);
    group.total_seconds += seconds;
    ++group.count;
  }
}

}  // namespace

const MeasuredLaunches* find_measured(const GpuRun& run, const LaunchGroup& group) {
  const auto same = std::ranges::find_if(run.groups, [&](const MeasuredLaunches& measured) {
    return measured.symbol == group.kernel->symbol && measured.grid == group.launch.grid &&
           measured.block == group.launch.block &&
           measured.dynamic_shared_bytes == group.launch.dynamic_shared_bytes;
  });
  return same == run.groups.end() ? nullptr : &*same;
}

bool machine_has_gpu() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidiactl", ignored) ||
         std::filesystem::exists("/dev/dxg", ignored);  // WSL2
}

Result<GpuRun> run_on_gpu(const GpuRunOptions& options) {
  const std::filesystem::path recorder = runtime_directory() / "libtilescope_recorder.so";
  const std::filesystem::path launches =
      temporary_directory() / fmt::format("tilescope-launches-{}", ::getpid());
  std::error_code ignored;
  std::filesystem::remove(launches, ignored);
  ProgramProcess process{options.program, options.arguments,
                         environment_without({"CUDA_INJECTION64_PATH", "LD_LIBRARY_PATH",
                                              "TILESCOPE_CUPTI", "TILESCOPE_LAUNCHES"})};
  process.environment.push_back("CUDA_INJECTION64_PATH=" + recorder.string());
  if (const auto cupti =
          SharedLibrary::open({"libcupti.so.13", "libcupti.so.12"}, cupti_library_folders()))
    process.environment.push_back("TILESCOPE_CUPTI=" + cupti->file().string());
  // Of a program that is linked with the shared runtime library.
  std::string libraries;
  if (const char* known = std::getenv("LD_LIBRARY_PATH")) libraries = known;
  for (const std::filesystem::path& folder : cuda_library_folders())
    libraries += (libraries.empty() ? "" : ":") + folder.string();
  process.environment.push_back("LD_LIBRARY_PATH=" + libraries);
  process.environment.push_back("TILESCOPE_LAUNCHES=" + launches.string());
  if (options.output >= 0) process.descriptors.emplace_back(options.output, STDOUT_FILENO);
  const auto began = std::chrono::steady_clock::now();
  const auto started = start(process);
  if (!started) return started.error();
  const ProgramEnd end = end_of(*started);
  GpuRun run;
  run.exit_status = end.exit_status;
  run.how = end.how;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  read_launches(launches, &run);
  std::filesystem::remove(launches, ignored);
  return run;
}

}  // namespace tilescope
