#include "kernel/launch/project_text.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/file.h"
#include "kernel/source/device_source.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/near_sources.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostText = 256 << 10;

class Headers {
 public:
  explicit Headers(const fs::path& folder) : project_(header_folders(folder)) {
    places_.push_back(folder.empty() ? "." : folder);
    for (const std::string& given : given_header_folders()) places_.emplace_back(given);
  }

  // Before the text itself, what it includes.
  void add(const std::string& name, const std::string& text) {
    const DeviceSource source(name, text);
    for (const DeviceSource::Include& include : source.includes()) {
      if (include.angle || include.foreign) continue;
      const auto path = find(fs::path(name).parent_path(), include.target);
      if (!path || std::ranges::find(read_, *path) != read_.end()) continue;
      read_.push_back(*path);
      if (const auto header = read_file(*path, kMostText - std::min(kMostText, text_.size()))) {
        add(path->string(), *header);
        text_ += *header + "\n";
        files_.push_back({path->string(), *header});
      }
    }
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }
  // One by one, in the order in which they are done.
  [[nodiscard]] const std::vector<KernelFile>& files() const { return files_; }

 private:
  [[nodiscard]] std::optional<fs::path> find(const fs::path& beside, const fs::path& target) const {
    std::vector<fs::path> places{beside};
    places.insert(places.end(), places_.begin(), places_.end());
    places.insert(places.end(), project_.begin(), project_.end());
    for (const fs::path& place : places) {
      std::error_code failed;
      fs::path path = (place / target).lexically_normal();
      if (fs::is_regular_file(path, failed)) return path;
    }
    return std::nullopt;
  }

  std::vector<fs::path> places_;
  std::vector<fs::path> project_;
  std::vector<fs::path> read_;
  std::string text_;
  std::vector<KernelFile> files_;
};

}  // namespace

KernelFile with_project_text(const KernelFile& file) {
  std::error_code failed;
  if (!is_cuda_source(file.path) || !fs::is_regular_file(file.path, failed)) return file;
  const fs::path folder = fs::path(file.path).parent_path();
  Headers headers(folder);
  const auto includer = includer_of(file.path);
  if (includer) headers.add(includer->path, includer->beginning);
  headers.add(file.path, file.source);
  return {file.path, (includer ? includer->beginning + "\n" : std::string()) +
                         std::move(headers).text() + file.source};
}

std::optional<KernelFile> included_kernels(const KernelFile& file) {
  std::error_code failed;
  const bool is_file = is_cuda_source(file.path) && fs::is_regular_file(file.path, failed);
  if (!is_file || !find_kernels(file.source).empty()) return std::nullopt;
  Headers headers(fs::path(file.path).parent_path());
  headers.add(file.path, file.source);
  const KernelFile* found = nullptr;
  for (const KernelFile& header : headers.files()) {
    const std::vector<std::string> kernels = find_kernels(header.source);
    if (kernels.empty() || !is_kernel_file(header.path)) continue;
    const bool is_named = std::ranges::any_of(kernels, [&](const std::string& kernel) {
      return file.source.find(kernel.substr(kernel.rfind(':') + 1)) != std::string::npos;
    });
    if (is_named) return header;
    if (found == nullptr) found = &header;
  }
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

}  // namespace tilescope
