#include "kernel/compile/cuda_tool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/child_process.h"
#include "core/cuda_folders.h"
#include "core/paths.h"
#include "core/search_path.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatienceAtEnd{1};  // for a tool that closed its output to exit
constexpr rlimit kMostMemory{rlim_t{8} << 30, rlim_t{8} << 30};  // bytes

Error machine_error(std::string message, std::string remedy = {}) {
  return {ErrorCode::kMachine, std::move(message), std::move(remedy), {}};
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
}

// A tool whose parent is killed goes on by itself: no longer than this.
void limit(pid_t tool, std::chrono::seconds patience) {
  const auto seconds = static_cast<rlim_t>(patience.count());
  const rlimit most_processor_time{seconds, seconds};
  ::prlimit(tool, RLIMIT_AS, &kMostMemory, nullptr);
  ::prlimit(tool, RLIMIT_CPU, &most_processor_time, nullptr);
}

// False when it takes too long or is cancelled.
bool read_all(ChildProcess& tool, std::chrono::seconds patience, std::vector<std::byte>* text,
              const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    pollfd wanted{tool.output(), POLLIN, 0};
    if (::poll(&wanted, 1, 50) > 0 && !tool.read_output(text)) return true;
  }
  return false;
}

}  // namespace

std::vector<fs::path> find_tools(const CudaTool& tool) {
  if (const char* chosen = std::getenv(tool.variable); chosen != nullptr && is_program(chosen)) {
    return {chosen};
  }
  std::vector<fs::path> places = {tool.hint};
  for (const CudaPlace& place : cuda_places()) {
    for (const fs::path& root : place.roots) places.push_back(root / "bin" / tool.name);
  }
  for (const fs::path& folder : folders_of_list(std::getenv("PATH"))) {
    places.push_back(folder / tool.name);
  }
  for (const fs::path& folder : site_packages_folders()) {
    const fs::path triton = folder / "triton/backends/nvidia/bin";
    places.push_back(triton / tool.name);
    places.push_back(triton / fmt::format("{}-blackwell", tool.name));  // a newer one of the two
  }
  std::vector<fs::path> found;
  for (fs::path& place : places) {
    if (is_program(place) && std::ranges::find(found, place) == found.end()) {
      found.push_back(std::move(place));
    }
  }
  return found;
}

Result<fs::path> find_tool(const CudaTool& tool) {
  const std::vector<fs::path> found = find_tools(tool);
  if (!found.empty()) return found.front();
  return machine_error(
      fmt::format("{} was not found: instructions are counted as written, not as issued",
                  tool.name),
      fmt::format("tilescope fetch downloads it. Or install the CUDA toolkit, or name {} in {}",
                  tool.name, tool.variable));
}

std::string tool_identity(const fs::path& program) {
  std::error_code ignored;
  const auto written = fs::last_write_time(program, ignored);
  return fmt::format("{} {} {}", program.string(), fs::file_size(program, ignored),
                     written.time_since_epoch().count());
}

Result<ToolRun> run_tool(const fs::path& program, const std::vector<std::string>& arguments,
                         const std::stop_token& stop, std::chrono::seconds patience) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto tool = ChildProcess::start(words, {.file = {}, .joins_output = true});
  if (!tool) return tool.error();
  limit(tool->id(), patience);
  tool->close_input();
  std::vector<std::byte> text;
  const bool whole = read_all(*tool, patience, &text, stop);
  const ChildEnd end = tool->end(whole ? kPatienceAtEnd : std::chrono::milliseconds(0));
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled", "", {}};
  if (!whole) {
    return machine_error(
        fmt::format("{} was ended: it took over {} s", program.string(), patience.count()));
  }
  return ToolRun{end.succeeded, {reinterpret_cast<const char*>(text.data()), text.size()}};
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
