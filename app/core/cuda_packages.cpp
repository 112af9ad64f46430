#include "core/cuda_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <regex>
#include <system_error>

#include "core/file.h"
#include "core/sha256.h"
#include "core/zip_archive.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestWheel = std::uintmax_t{1} << 30;

Error wheel_error(std::string message, std::string remedy) {
  return {ErrorCode::kMachine, std::move(message), std::move(remedy), {}};
}

// The package's wheel in a folder: NAME-VERSION-TAGS.whl, '_' for '-' in the name.
std::optional<fs::path> find_wheel(const CudaPackage& package, const fs::path& wheels) {
  std::string name = package.name;
  std::ranges::replace(name, '-', '_');
  const std::string beginning = fmt::format("{}-{}-", name, package.version);
  std::error_code failure;
  for (fs::directory_iterator entry(wheels, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& file = entry->path();
    if (file.filename().string().starts_with(beginning) && file.extension() == ".whl") return file;
  }
  return std::nullopt;
}

}  // namespace

Status unpack_package(const CudaPackage& package, const fs::path& wheels, const fs::path& folder) {
  const auto file = find_wheel(package, wheels);
  if (!file) {
    return wheel_error(
        fmt::format("{} has no wheel of {} {}", wheels.string(), package.name, package.version),
        "Fill it by tilescope fetch --into FOLDER on a machine with a network");
  }
  const auto wheel = read_file(*file, kLargestWheel);
  if (!wheel) return wheel_error(file->string() + " cannot be read", "Copy it again");
  if (sha256(*wheel) != package.sha256) {
    return wheel_error(file->string() + " is not what was published: its SHA-256 is another",
                       "Copy it again, or download it again");
  }
  return unpack_zip(*wheel, folder);
}

Result<std::vector<CudaPackage>> cuda_packages(const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) {
    return Error{ErrorCode::kMachine,
                 fmt::format("{} cannot be read", file.string()),
                 "Install Tilescope again",
                 {}};
  }
  const std::regex form(R"((([\w-]+)==(\S+) --hash=sha256:([0-9a-f]{64}))  # (\d+) MB: (.+))");
  std::vector<CudaPackage> packages;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) {
      return Error{
          ErrorCode::kMachine,
          fmt::format("{}:{}: this is no package with its hash and size", file.string(), number),
          "Install Tilescope again",
          {}};
    }
    packages.push_back({parts[2], parts[3], parts[4], parts[1], std::stoi(parts[5]), parts[6]});
  }
  return packages;
}

}  // namespace tilescope
