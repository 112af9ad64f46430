#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// What somebody else published of the idea that a kernel shows: a step of a ladder in
// assets/published/. Another GPU, and not our code.
struct PublishedFigure {
  std::string kernel;                              // catalogue id
  std::map<std::string, std::int64_t> parameters;  // those that the step is about
  std::map<std::string, std::int64_t> extents;
  std::string gpu;       // "NVIDIA GeForce RTX 3080"
  std::string document;  // "documents 000 and 003 (openmlsys)"
  double value = 0;
  std::string unit;  // "GFLOP/s", "GB/s" or "ms"

  // Whether it is about a launch with these.
  [[nodiscard]] bool fits(const std::map<std::string, std::int64_t>& launch_parameters,
                          const std::map<std::string, std::int64_t>& launch_extents) const;
};

// The steps that have a value; a step's own extents stand for those of its ladder. kUsage with the
// file and what is wrong in it.
[[nodiscard]] Result<std::vector<PublishedFigure>> load_published(
    const std::filesystem::path& file);

}  // namespace tilescope
