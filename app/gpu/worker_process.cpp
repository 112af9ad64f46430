#include "gpu/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

extern char** environ;

namespace tilescope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostErrorText = 4096;
constexpr milliseconds kPatienceAfterKill{300};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::kMachine,
                 fmt::format("cannot make a pipe: {}", std::generic_category().message(errno)),
                 "",
                 {}};
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void make_nonblocking(const FileDescriptor& file) {
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

// The child gets the ends of the pipes as 0, 1 and 2, a group of its own, and signals as a program
// expects them: the calling thread may block some.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& argv) {
  if (argv.empty()) return Error{ErrorCode::kUsage, "the worker's command is empty", "", {}};
  auto to_child = open_pipe();
  auto from_child = open_pipe();
  auto errors = open_pipe();
  for (const auto* pipe : {&to_child, &from_child, &errors}) {
    if (!*pipe) return pipe->error();
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  const SpawnSettings settings(to_child->read_end.get(), from_child->write_end.get(),
                               errors->write_end.get());
  WorkerProcess worker;
  const int failure = ::posix_spawnp(&worker.process_, argv[0].c_str(), settings.actions(),
                                     settings.attributes(), arguments.data(), environ);
  if (failure != 0) {
    worker.process_ = -1;
    return Error{ErrorCode::kMachine,
                 fmt::format("the worker \"{}\" cannot be started: {}", argv[0],
                             std::generic_category().message(failure)),
                 "Check the worker's command in the settings",
                 {}};
  }
  worker.input_ = std::move(to_child->write_end);
  worker.output_ = std::move(from_child->read_end);
  worker.error_output_ = std::move(errors->read_end);
  make_nonblocking(worker.input_);
  make_nonblocking(worker.output_);
  make_nonblocking(worker.error_output_);
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      status_(other.status_),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_output_(std::move(other.error_output_)),
      errors_(std::move(other.errors_)) {}

WorkerProcess::~WorkerProcess() {
  if (process_ < 0) return;
  kill();
  if (wait(kPatienceAfterKill)) return;
  // A driver can hold a killed process for seconds while it tears a context down.
  std::thread([process = process_] { ::waitpid(process, nullptr, 0); }).detach();
}

std::optional<std::size_t> WorkerProcess::write_some(std::span<const std::byte> bytes) {
  while (true) {
    const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

bool WorkerProcess::read_output(std::vector<std::byte>* bytes) {
  std::array<std::byte, 65536> chunk{};
  while (true) {
    const ssize_t got = ::read(output_.get(), chunk.data(), chunk.size());
    if (got > 0) {
      bytes->insert(bytes->end(), chunk.begin(), chunk.begin() + got);
      return true;
    }
    if (got == 0) return false;
    if (errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

bool WorkerProcess::read_errors() {
  std::array<char, 4096> chunk{};
  const ssize_t got = ::read(error_output_.get(), chunk.data(), chunk.size());
  if (got > 0) {
    errors_.append(chunk.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kMostErrorText) errors_.erase(0, errors_.size() - kMostErrorText);
    return true;
  }
  return got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

void WorkerProcess::kill() {
  if (process_ >= 0) ::kill(-process_, SIGKILL);
}

bool WorkerProcess::wait(milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  while (process_ >= 0) {
    siginfo_t ended{};
    const int failed =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if ((failed == 0 && ended.si_pid == process_) || (failed != 0 && errno != EINTR)) {
      kill();  // what it may have started; before it is reaped, so that the number is still its own
      ::waitpid(process_, &status_, 0);
      process_ = -1;
      return true;
    }
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

std::string WorkerProcess::end(milliseconds patience) {
  if (wait(patience)) return describe_status(status_);
  kill();
  (void)wait(kPatienceAfterKill);
  return "had to be stopped";
}

}  // namespace tilescope
