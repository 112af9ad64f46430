#include "core/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
constexpr std::chrono::microseconds kLongestPause{2000};

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
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#endif
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

ChildEnd describe(int status) {
  ChildEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.how = fmt::format("was ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  } else {
    end.how = fmt::format("exited with status {}", WEXITSTATUS(status));
    end.succeeded = WEXITSTATUS(status) == 0;
  }
  return end;
}

// A write to a pipe that nobody reads raises SIGPIPE, which ends the program, in this thread. It is
// held back and taken again, so that only EPIPE is left.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    if (!was_pending_) {
      const timespec at_once{};
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& argv,
                                         const ChildOptions& options) {
  if (argv.empty()) return Error{ErrorCode::kUsage, "the command to start is empty", "", {}};
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

  const int error_end = (options.joins_output ? from_child : errors)->write_end.get();
  const SpawnSettings settings(to_child->read_end.get(), from_child->write_end.get(), error_end);
  const std::string& file = options.file.empty() ? argv[0] : options.file;
  ChildProcess child;
  const int failure = ::posix_spawnp(&child.process_, file.c_str(), settings.actions(),
                                     settings.attributes(), arguments.data(), environ);
  if (failure != 0) {
    child.process_ = -1;
    return Error{ErrorCode::kMachine,
                 fmt::format("\"{}\" cannot be started: {}", argv[0],
                             std::generic_category().message(failure)),
                 "",
                 {}};
  }
  child.input_ = std::move(to_child->write_end);
  child.output_ = std::move(from_child->read_end);
  if (!options.joins_output) child.error_output_ = std::move(errors->read_end);
  for (const FileDescriptor* file_end : {&child.input_, &child.output_, &child.error_output_}) {
    if (file_end->is_open()) make_nonblocking(*file_end);
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      status_(other.status_),
      most_memory_(other.most_memory_),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_output_(std::move(other.error_output_)),
      errors_(std::move(other.errors_)) {}

ChildProcess::~ChildProcess() {
  if (process_ < 0) return;
  kill();
  if (wait(kPatienceAfterKill)) return;
  // A driver can hold a killed process for seconds while it tears a context down.
  std::thread([process = process_] { ::waitpid(process, nullptr, 0); }).detach();
}

std::optional<std::size_t> ChildProcess::write_some(std::span<const std::byte> bytes) {
  const NoBrokenPipe guard;
  while (true) {
    const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

bool ChildProcess::read_output(std::vector<std::byte>* bytes) {
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

bool ChildProcess::read_errors() {
  if (!error_output_.is_open()) return false;
  std::array<char, 4096> chunk{};
  const ssize_t got = ::read(error_output_.get(), chunk.data(), chunk.size());
  if (got > 0) {
    errors_.append(chunk.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kMostErrorText) errors_.erase(0, errors_.size() - kMostErrorText);
    return true;
  }
  const bool open = got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
  if (!open) error_output_.reset();
  return open;
}

void ChildProcess::read_last_errors() {
  do {
    pollfd more{error_output_.get(), POLLIN, 0};
    if (!error_output_.is_open() || ::poll(&more, 1, 0) <= 0) return;
  } while (read_errors());
}

void ChildProcess::interrupt() {
  if (process_ >= 0) ::kill(-process_, SIGINT);
}

void ChildProcess::terminate() {
  close_input();
  if (process_ >= 0) ::kill(-process_, SIGTERM);
}

void ChildProcess::kill() {
  if (process_ >= 0) ::kill(-process_, SIGKILL);
}

bool ChildProcess::wait(milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  std::chrono::microseconds pause(50);
  while (process_ >= 0) {
    siginfo_t ended{};
    const int failed =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if ((failed == 0 && ended.si_pid == process_) || (failed != 0 && errno != EINTR)) {
      kill();  // what it may have started; before it is reaped, so that the number is still its own
      rusage used{};
      ::wait4(process_, &status_, 0, &used);
      most_memory_ = static_cast<std::size_t>(used.ru_maxrss) << 10;
      process_ = -1;
      return true;
    }
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  return true;
}

ChildEnd ChildProcess::end(milliseconds patience) {
  if (wait(patience)) {
    ChildEnd end = describe(status_);
    end.most_memory = most_memory_;
    return end;
  }
  kill();
  (void)wait(kPatienceAfterKill);
  return {.how = "had to be stopped"};
}

std::string last_line_of(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return text.substr(0, 300);
}

}  // namespace tilescope
