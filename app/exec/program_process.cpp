#include "exec/program_process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <system_error>

extern char** environ;

namespace tilescope {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The program that runs, for end_program(); -1: none.
volatile std::sig_atomic_t running = -1;

// Whoever ends us ends the program too, which may not want to: asked first, then killed.
void end_program(int number) {
  const auto program = static_cast<pid_t>(running);
  constexpr int kTurns = 100;
  constexpr timespec kTurn{0, 10'000'000};
  bool runs = program > 0 && ::kill(program, SIGTERM) == 0;
  for (int i = 0; i < kTurns && runs; ++i) {
    ::nanosleep(&kTurn, nullptr);
    runs = ::waitpid(program, nullptr, WNOHANG) == 0;
  }
  if (runs) ::kill(program, SIGKILL);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

Error system_error(std::string_view what) {
  return Error{ErrorCode::kMachine,
               fmt::format("{}: {}", what, std::generic_category().message(errno)),
               "",
               {}};
}

std::vector<std::string> environment_without(const std::vector<std::string_view>& names) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::find(names, name) == names.end()) all.emplace_back(text);
  }
  return all;
}

Result<pid_t> start(const ProgramProcess& process) {
  std::vector<std::string> words{process.program.string()};
  words.insert(words.end(), process.arguments.begin(), process.arguments.end());
  std::vector<std::string> variables = process.environment;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [ours, theirs] : process.descriptors)
    posix_spawn_file_actions_adddup2(&actions, ours, theirs);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, number);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t started = -1;
  const int failure = ::posix_spawnp(&started, process.program.c_str(), &actions, &attributes,
                                     pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure == 0) {
    running = started;
    if (::signal(SIGTERM, end_program) == SIG_IGN) ::signal(SIGTERM, SIG_IGN);
    return started;
  }
  errno = failure;
  return system_error(fmt::format("cannot start {}", process.program.string()));
}

ProgramEnd end_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  running = -1;
  if (!WIFSIGNALED(status))
    return {WEXITSTATUS(status), fmt::format("exited with status {}", WEXITSTATUS(status))};
  const int number = WTERMSIG(status);
  return {128 + number, fmt::format("was ended by signal {} ({})", number, ::strsignal(number))};
}

}  // namespace tilescope
