#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tilescope {

// A person's program as a process of its own, on the same terminal. A name without a folder is
// looked up in $PATH.
struct ProgramProcess {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=VALUE"
  // Descriptors that it gets besides: ours, and the number that it knows.
  std::vector<std::pair<int, int>> descriptors{};
};
// Fails (kMachine) where it cannot be started. Until end_of() it ends with us: where SIGTERM ends
// this process, the program gets it too, and SIGKILL a second later. One at a time.
[[nodiscard]] Result<pid_t> start(const ProgramProcess& process);

// This process's environment without these variables.
[[nodiscard]] std::vector<std::string> environment_without(
    const std::vector<std::string_view>& names);

// "cannot make a socket: Too many open files"
[[nodiscard]] Error system_error(std::string_view what);

struct ProgramEnd {
  int exit_status = 0;  // 128 + signal, as a shell says it
  std::string how;      // "exited with status 1", "was ended by signal 11 (Segmentation fault)"
};
// Waits for it.
[[nodiscard]] ProgramEnd end_of(pid_t process);

}  // namespace tilescope
