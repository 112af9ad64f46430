#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// A command-line tool of the CUDA toolkit. It runs as a process of its own: a file that brings it
// down brings nothing else down.
struct CudaTool {
  const char* name;      // "ptxas"
  const char* variable;  // of the environment, which may name another: "TILESCOPE_PTXAS"
  const char* hint;      // the build's own; may be empty
};

// The one that the variable names, else the build's, else the first of cuda_places(), else what
// $PATH finds, else that of Triton's Python package. kMachine when there is none.
[[nodiscard]] Result<std::filesystem::path> find_tool(const CudaTool& tool);
// All of them, in that order; the variable's alone where it names one.
[[nodiscard]] std::vector<std::filesystem::path> find_tools(const CudaTool& tool);

// Of a tool, for what is kept of its work: another one in its place makes another.
[[nodiscard]] std::string tool_identity(const std::filesystem::path& program);

struct ToolRun {
  bool succeeded = false;  // exit status 0
  std::string output;      // standard output and error, as they came
};

inline constexpr std::chrono::seconds kToolPatience{60};

// Runs a tool to its end, without a shell, in at most 8 GiB of memory. Errors: kMachine when it
// cannot be started or takes longer than `patience`; kCancelled. Thread-safe.
[[nodiscard]] Result<ToolRun> run_tool(const std::filesystem::path& program,
                                       const std::vector<std::string>& arguments,
                                       const std::stop_token& stop,
                                       std::chrono::seconds patience = kToolPatience);

// A file in the temporary folder that is gone again at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> contents);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // kMachine when it could not be written.
  [[nodiscard]] Status written() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::byte> contents() const;  // empty when it cannot be read

 private:
  std::string path_;
  bool whole_ = false;
};

}  // namespace tilescope
