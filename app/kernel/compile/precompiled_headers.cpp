#include "kernel/compile/precompiled_headers.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/text.h"
#include "kernel/compile/compile_cache.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostFiles = 2;
constexpr std::size_t kMostBeginnings = 32;
// NVRTC's heap for them (nvrtcGetPCHHeapSize()), which a file can be as large as. Where the disk is
// full before, NVRTC crashes.
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{256} << 20;

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

// A folder of its own, which is gone at the end with what is in it.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code failure;
    std::string name =
        (std::filesystem::temp_directory_path(failure) / "tilescope-XXXXXX").string();
    if (!failure && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code failure;
    if (!path_.empty()) std::filesystem::remove_all(path_, failure);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // empty: there is none
  [[nodiscard]] bool has_room(std::uintmax_t bytes) const {
    std::error_code failure;
    const auto space = std::filesystem::space(path_, failure);
    return !failure && space.available >= bytes;
  }

 private:
  std::filesystem::path path_;
};

std::optional<std::string> digest_of(const NvrtcLibrary::Input& input) {
  const std::string_view directives = leading_directives(input.source);
  // NVRTC does not notice that a file has changed.
  if (!input.is_closed || directives.find("#include") == std::string_view::npos)
    return std::nullopt;
  CacheKey key;
  key.add(directives);
  for (const std::string& option : input.options) key.add(option);
  for (const auto& [name, text] : input.headers) {
    key.add(name);
    key.add(text);
  }
  return key.digest();
}

NvrtcLibrary::Input with_option(NvrtcLibrary::Input input, const std::string& option) {
  // NVRTC wants these before all others.
  input.options.insert(input.options.begin(), {option, "--pch-messages=false"});
  return input;
}

// NVRTC could not read or write the file, or found that it serves for something else.
bool speaks_of_file(const Result<NvrtcLibrary::Output>& output) {
  return !output || output->log.find("precompiled header") != std::string::npos ||
         output->log.find("error while deleting file") != std::string::npos;
}

bool is_cancelled(const Result<NvrtcLibrary::Output>& output) {
  return !output && output.error().code == ErrorCode::kCancelled;
}

}  // namespace

std::string_view leading_directives(std::string_view source) {
  std::size_t end = 0;
  while (end < source.size()) {
    const std::size_t at = source.find_first_not_of(" \t\r\n", end);
    if (at == std::string_view::npos) return source;
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("/*")) {
      const std::size_t close = source.find("*/", at + 2);
      if (close == std::string_view::npos) return source.substr(0, end);
      end = close + 2;
    } else if (rest.starts_with("//") || rest.starts_with('#')) {
      end = end_of_line(source, at);
      while (end < source.size() && trimmed(source.substr(at, end - at - 1)).ends_with('\\')) {
        end = end_of_line(source, end);
      }
    } else {
      return source.substr(0, end);
    }
  }
  return source;
}

PrecompiledHeaders::Beginning& PrecompiledHeaders::beginning_of(const std::string& digest) {
  const auto found = std::ranges::find(beginnings_, digest, &Beginning::digest);
  if (found == beginnings_.end()) {
    beginnings_.emplace_front().digest = digest;
    if (beginnings_.size() > kMostBeginnings) beginnings_.pop_back();
  } else {
    beginnings_.splice(beginnings_.begin(), beginnings_, found);
  }
  return beginnings_.front();
}

void PrecompiledHeaders::close_oldest_files() {
  std::size_t open = 0;
  for (Beginning& each : beginnings_) {
    if (each.file.is_open() && ++open > kMostFiles) each.file.reset();
  }
}

// The name is taken off the file at once: nothing is left of it, however this process ends.
Result<NvrtcLibrary::Output> PrecompiledHeaders::make(const NvrtcLibrary::Input& input,
                                                      Beginning& beginning,
                                                      const std::stop_token& stop) {
  const PrivateFolder folder;
  is_possible_ = !folder.path().empty() && folder.has_room(kMostFileBytes);
  if (!is_possible_) return library_.compile(input, stop);
  const std::string file = (folder.path() / "headers").string();
  auto output = library_.compile(with_option(input, "--create-pch=" + file), stop);
  if (is_cancelled(output)) return output;
  if (speaks_of_file(output)) {
    is_possible_ = false;
    return library_.compile(input, stop);
  }
  beginning.file = FileDescriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (beginning.file.is_open()) ++made_;
  close_oldest_files();
  return output;
}

Result<NvrtcLibrary::Output> PrecompiledHeaders::compile(const NvrtcLibrary::Input& input,
                                                         const std::stop_token& stop) {
  const auto digest = library_.facts().precompiles_headers() ? digest_of(input) : std::nullopt;
  if (!digest) return library_.compile(input, stop);
  Beginning& beginning = beginning_of(*digest);
  if (beginning.file.is_open()) {
    const std::string file = "/proc/self/fd/" + std::to_string(beginning.file.get());
    auto output = library_.compile(with_option(input, "--use-pch=" + file), stop);
    if (is_cancelled(output) || !speaks_of_file(output)) return output;
    beginning.file.reset();
    beginning.is_refused = true;
    return library_.compile(input, stop);
  }
  if (beginning.is_slow && !beginning.is_refused && is_possible_)
    return make(input, beginning, stop);
  const auto began = std::chrono::steady_clock::now();
  auto output = library_.compile(input, stop);
  beginning.is_slow = std::chrono::steady_clock::now() - began > slow_;
  return output;
}

}  // namespace tilescope
