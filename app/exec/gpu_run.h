#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/result.h"

namespace tilescope {

struct LaunchGroup;

// The launches of one kernel with the same grid, block and shared memory, as a GPU executed them.
struct MeasuredLaunches {
  std::string kernel;  // as it is declared: "void scale<4>(float*, int)"
  std::string symbol;  // mangled
  Dim3 grid;
  Dim3 block;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint32_t registers = 0;  // per thread
  std::uint64_t first = 0;      // number of the first, from 1 in the program
  std::uint64_t count = 0;
  double total_seconds = 0;  // of all, measured by CUPTI
  double least_seconds = 0;  // of one
  double most_seconds = 0;
};

struct GpuRun {
  int exit_status = 0;
  std::string how;  // "exited with status 1"
  double seconds = 0;
  std::uint64_t launches = 0;
  std::vector<MeasuredLaunches> groups;  // in the order of their first launches
  std::string why_not;                   // launches were not recorded: a sentence; else empty
};

struct GpuRunOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  int output = -1;  // a file descriptor for what it prints; -1: tilescope's own
};

// The group of these launches; nullptr: the program made none.
[[nodiscard]] const MeasuredLaunches* find_measured(const GpuRun& run, const LaunchGroup& group);

// Runs any program that uses CUDA on this machine's GPU, as it is, to its end. Fails (kMachine)
// where it cannot be started.
[[nodiscard]] Result<GpuRun> run_on_gpu(const GpuRunOptions& options);

// Whether the machine has a GPU that programs can use, as far as its devices say.
[[nodiscard]] bool machine_has_gpu();

}  // namespace tilescope
