#include "core/cuda_packages.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>

namespace tilescope {

Result<std::vector<CudaPackage>> cuda_packages(const std::filesystem::path& file) {
  std::ifstream lines(file);
  if (!lines) {
    return Error{ErrorCode::kMachine,
                 fmt::format("{} cannot be read", file.string()),
                 "Install Tilescope again",
                 {}};
  }
  const std::regex form(R"((([\w-]+)==\S+ --hash=sha256:[0-9a-f]{64})  # (\d+) MB: (.+))");
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
    packages.push_back({parts[2], parts[1], std::stoi(parts[3]), parts[4]});
  }
  return packages;
}

}  // namespace tilescope
