#include "kernel/compile/cuda_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/paths.h"
#include "core/shared_library.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};
constexpr rlimit kMostMemory{rlim_t{8} << 30, rlim_t{8} << 30};  // bytes

Error machine_error(std::string message, std::string remedy = {}) {
  return {ErrorCode::kMachine, std::move(message), std::move(remedy), {}};
}

// What a child process writes, until it closes its end.
class OutputPipe {
 public:
  OutputPipe() { open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~OutputPipe() {
    if (open_) ::close(ends_[0]);
    close_writer();
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() {
    if (open_ && ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  // False when it takes too long or is cancelled.
  [[nodiscard]] bool read_all(std::string* text, const std::stop_token& stop) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::array<char, 65536> buffer;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
      pollfd wanted{ends_[0], POLLIN, 0};
      if (::poll(&wanted, 1, 50) <= 0) continue;
      const ssize_t some = ::read(ends_[0], buffer.data(), buffer.size());
      if (some == 0) return true;
      if (some < 0 && errno != EINTR) return false;
      if (some > 0) text->append(buffer.data(), static_cast<std::size_t>(some));
    }
    return false;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool open_ = false;
};

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
}

// -1: it cannot be started.
pid_t start(const fs::path& program, const std::vector<std::string>& arguments, int output) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  ::prlimit(child, RLIMIT_AS, &kMostMemory, nullptr);
  return child;
}

}  // namespace

Result<fs::path> find_tool(const CudaTool& tool) {
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv(tool.variable); chosen != nullptr) {
    places.emplace_back(chosen);
  }
  places.emplace_back(tool.hint);
  for (const fs::path& folder : cuda_library_folders()) {
    places.push_back(folder.parent_path() / "bin" / tool.name);
  }
  places.push_back(fs::path("/usr/local/cuda/bin") / tool.name);
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      places.push_back(fs::path(rest.substr(0, colon)) / tool.name);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  for (const fs::path& place : places) {
    if (is_program(place)) return place;
  }
  return machine_error(
      fmt::format("{} was not found: instructions are counted as written, not as issued",
                  tool.name),
      fmt::format("Install CUDA's {}, or name it in {}", tool.name, tool.variable));
}

std::string tool_identity(const fs::path& program) {
  std::error_code ignored;
  const auto written = fs::last_write_time(program, ignored);
  return fmt::format("{} {} {}", program.string(), fs::file_size(program, ignored),
                     written.time_since_epoch().count());
}

Result<ToolRun> run_tool(const fs::path& program, const std::vector<std::string>& arguments,
                         const std::stop_token& stop) {
  OutputPipe output;
  if (!output.is_open()) return machine_error("no pipe could be made");
  const pid_t child = start(program, arguments, output.writer());
  output.close_writer();
  if (child < 0) return machine_error(fmt::format("{} cannot be started", program.string()));
  ToolRun run;
  const bool whole = output.read_all(&run.output, stop);
  if (!whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", "", {}};
  if (!whole) {
    return machine_error(
        fmt::format("{} was ended: it took over {} s", program.string(), kPatience.count()));
  }
  run.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

TemporaryFile::TemporaryFile(std::span<const std::byte> contents) {
  std::string name = (temporary_directory() / "tilescope-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return;
  path_ = name;
  std::size_t written = 0;
  while (written < contents.size()) {
    const ssize_t some = ::write(descriptor, contents.data() + written, contents.size() - written);
    if (some <= 0) break;
    written += static_cast<std::size_t>(some);
  }
  whole_ = written == contents.size();
  ::close(descriptor);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status TemporaryFile::written() const {
  if (whole_) return ok_status();
  return machine_error("the temporary folder cannot be written", "Set TMPDIR to one that can");
}

std::vector<std::byte> TemporaryFile::contents() const {
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace tilescope
