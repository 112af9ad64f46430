#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/file.h"
#include "core/result.h"
#include "exec/arena.h"
#include "exec/call_sites.h"
#include "exec/host_problems.h"
#include "exec/launcher.h"
#include "exec/memory_calls.h"
#include "exec/program_module.h"

namespace tilescope {

struct ProgramResult;

struct ProgramOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  DeviceModel device;
  LauncherOptions launcher;
  int output = -1;         // a file descriptor for what it prints; -1: tilescope's own
  bool is_silent = false;  // what it prints, to stderr too, is ProgramResult::last_output
  // A launch has been executed: progress, or to show it at once. May be empty.
  std::function<void(const Launcher::Outcome&)> on_launch;
  // The program asks what its launches did since it said that it would: the answer's text. They
  // are in the final result, too. Empty: there is no answer.
  std::function<std::string(const ProgramResult& since)> on_report;
};

// How a program ended, and what its launches did.
struct ProgramResult {
  int exit_status = 0;      // of the program; 128 + signal, as a shell says it
  std::string how;          // "exited with status 1", "was ended by signal 11 (Segmentation fault)"
  std::string last_output;  // of a silent program: the end of what it printed, at most 4 KiB
  bool used_cuda = false;
  double seconds = 0;
  std::vector<std::unique_ptr<LaunchGroup>> groups;
  std::uint64_t launches = 0;
  std::vector<RecordedLaunch> records;
  std::optional<Error> record_error;
  std::vector<HostProblem> problems;
  std::vector<AllocationOrigin> allocations;  // the first kMostOrigins
  CallSites sites;
  // What the groups refer to.
  std::vector<std::unique_ptr<ProgramModule>> modules;
};

// Runs the program to its end, with the stand-in for CUDA's runtime library: what it prints goes
// where tilescope's output goes. Errors: kMachine where it cannot be started, kUsage where it has
// no shared runtime (exec/host_program.h says so first).
[[nodiscard]] Result<ProgramResult> run_program(const ProgramOptions& options);

// The same for a program that runs already, which has made the socket and the memory
// (runtime/protocol.h): until it closes the socket.
[[nodiscard]] Result<ProgramResult> serve_program(const ProgramOptions& options,
                                                  FileDescriptor socket, FileDescriptor memory);

}  // namespace tilescope
