#include "kernel/disassemble.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/paths.h"
#include "core/shared_library.h"
#include "kernel/compile_cache.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

#ifdef TILESCOPE_NVDISASM_HINT
constexpr const char* kBuildHint = TILESCOPE_NVDISASM_HINT;
#else
constexpr const char* kBuildHint = "";
#endif
constexpr std::chrono::seconds kPatience{60};

Error machine_error(std::string message, std::string remedy = {}) {
  return {ErrorCode::kMachine, std::move(message), std::move(remedy), {}};
}

// A file that is gone again at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> contents) {
    std::string name = (temporary_directory() / "tilescope-XXXXXX").string();
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) return;
    path_ = name;
    std::size_t written = 0;
    while (written < contents.size()) {
      const ssize_t some =
          ::write(descriptor, contents.data() + written, contents.size() - written);
      if (some <= 0) break;
      written += static_cast<std::size_t>(some);
    }
    whole_ = written == contents.size();
    ::close(descriptor);
  }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool whole_ = false;
};

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

// Runs nvdisasm over a file.
Result<std::string> run(const fs::path& program, const std::string& file,
                        const std::stop_token& stop) {
  OutputPipe output;
  if (!output.is_open()) return machine_error("no pipe could be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.writer(), STDERR_FILENO);
  std::string name = program.string();
  std::string option = "-gi";
  std::string input = file;
  std::array<char*, 4> arguments{name.data(), option.data(), input.data(), nullptr};
  pid_t child = -1;
  const int failed =
      ::posix_spawn(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  output.close_writer();
  if (failed != 0) return machine_error(fmt::format("{} cannot be started", name));
  std::string text;
  const bool whole = output.read_all(&text, stop);
  if (!whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", "", {}};
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return machine_error(fmt::format("{} could not read the compiled kernel: {}", name,
                                     text.substr(0, text.find('\n'))),
                         "Take an nvdisasm at least as new as the compiler");
  }
  return text;
}

// The sections that say what the code does; those for debuggers are ten times as long.
std::string code_and_data(std::string_view text) {
  std::string kept;
  bool keep = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (const std::size_t at = line.find(".section\t"); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + std::string_view(".section\t").size());
      keep = name.starts_with(".text") || name.starts_with(".nv.info") ||
             name.starts_with(".nv.constant") || name.starts_with(".nv.global") ||
             name.starts_with(".nv.shared");
    }
    if (keep) kept += line;
  }
  return kept;
}

bool is_program(const fs::path& path) {
  return !path.empty() && ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
}

}  // namespace

Result<fs::path> disassembler() {
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("TILESCOPE_NVDISASM"); chosen != nullptr) {
    places.emplace_back(chosen);
  }
  places.emplace_back(kBuildHint);
  for (const fs::path& folder : cuda_library_folders()) {
    places.push_back(folder.parent_path() / "bin" / "nvdisasm");
  }
  places.emplace_back("/usr/local/cuda/bin/nvdisasm");
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      places.push_back(fs::path(rest.substr(0, colon)) / "nvdisasm");
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  for (const fs::path& place : places) {
    if (is_program(place)) return place;
  }
  return machine_error("nvdisasm was not found: instructions are counted as written, not as issued",
                       "Install CUDA's nvdisasm, or name it in TILESCOPE_NVDISASM");
}

Result<std::string> disassemble(std::span<const std::byte> cubin, const std::stop_token& stop) {
  CacheKey key;
  key.add("nvdisasm -gi");
  key.add({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
  const std::string digest = key.digest();
  const CompileCache cache(cache_directory() / "compiled");
  if (const auto found = cache.find(digest)) return found->listing;
  const auto program = disassembler();
  if (!program) return program.error();
  const TemporaryFile file(cubin);
  if (!file.whole()) {
    return machine_error("the temporary folder cannot be written", "Set TMPDIR to one that can");
  }
  auto text = run(*program, file.path(), stop);
  if (!text) return text;
  CompiledModule kept;
  kept.listing = code_and_data(*text);
  cache.store(digest, kept);
  return kept.listing;
}

}  // namespace tilescope
