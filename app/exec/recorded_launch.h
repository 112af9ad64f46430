#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "exec/device_heap.h"
#include "exec/program_module.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {

// A launch of a program as it can be made again by itself: kernel, extents, and arguments whose
// buffers hold, in files, what they held before the launch.
struct RecordedLaunch {
  std::uint64_t number = 0;  // of the launch in the program
  std::string name;          // "sgemm"
  std::string variant;       // what tells it from others of its name; may be empty
  std::string source;        // the CUDA file that the kernel is in; empty: it is not known or gone
  std::string ptx;           // a file with the kernel's PTX
  std::string symbol;        // of the kernel in it
  LaunchForm form;           // of the source, or, with `symbol`, of the PTX
  std::uint64_t bytes = 0;   // of its buffers
  std::vector<std::string> left_out;  // what it cannot have: a sentence each
};

// Which launch, and where the files of its buffers go.
struct RecordRequest {
  std::uint64_t number = 0;
  std::filesystem::path folder;  // is made
  const ProgramModule* module = nullptr;
  const ProgramKernel* kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t shared_bytes = 0;
  std::span<const std::byte> parameters;
  std::uint64_t most_bytes = 0;  // of its buffers
};
inline constexpr std::uint64_t kMostRecordedBytes = std::uint64_t{2} << 30;
// kMachine: a file cannot be written, or the buffers are larger than RecordRequest::most_bytes
// together.
[[nodiscard]] Result<RecordedLaunch> record_launch(const RecordRequest& request, DeviceHeap& heap);

}  // namespace tilescope
