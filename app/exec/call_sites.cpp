#include "exec/call_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernel/compile/cuda_tool.h"

namespace tilescope {

void CallSites::read_map(int process) {
  mapped_.clear();
  std::ifstream map(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(map, line);) {
    std::istringstream words(line);
    Mapped mapped;
    std::string range;
    std::string rights;
    std::string offset;
    std::string device;
    std::string node;
    words >> range >> rights >> offset >> device >> node >> std::ws;
    std::getline(words, mapped.file);  // which may hold blanks
    const std::size_t dash = range.find('-');
    if (dash == std::string::npos || !mapped.file.starts_with('/')) continue;
    mapped.begin = std::stoull(range.substr(0, dash), nullptr, 16);
    mapped.end = std::stoull(range.substr(dash + 1), nullptr, 16);
    mapped.offset = std::stoull(offset, nullptr, 16);
    mapped_.push_back(std::move(mapped));
  }
}

std::string CallSites::of(std::uint64_t address) const {
  if (address == 0) return "";
  const auto [known, is_new] = known_.try_emplace(address);
  if (!is_new) return known->second;
  const std::uint64_t at = address - 1;  // the call stands before the address that it returns to
  const auto found = std::ranges::find_if(
      mapped_, [&](const Mapped& mapped) { return at >= mapped.begin && at < mapped.end; });
  if (found == mapped_.end()) return "";
  // Offsets in the file are addresses of the program but for how segments are aligned: the first
  // mapping of the file is what those of a position-independent program count from.
  const auto first = std::ranges::find_if(
      mapped_, [&](const Mapped& mapped) { return mapped.file == found->file; });
  const std::uint64_t base = first->begin == 0x400000 ? 0 : first->begin;
  static const auto tool = find_tool({"addr2line", "TILESCOPE_ADDR2LINE", ""});
  if (!tool) return "";
  // Innermost first; what CUDA's own headers inline (cudaMalloc<float>) is not the program's place.
  const auto run = run_tool(*tool, {"-i", "-e", found->file, fmt::format("{:#x}", at - base)}, {});
  if (!run || !run->succeeded) return "";
  std::istringstream lines(run->output);
  std::string line;
  while (std::getline(lines, line)) {
    line.erase(std::min(line.find(" (discriminator"), line.size()));
    if (line.starts_with("??") || line.ends_with(":?") || line.ends_with(":0")) return "";
    const std::size_t slash = line.rfind('/');
    if (slash != std::string::npos) line.erase(0, slash + 1);
    if (!line.starts_with("cuda_runtime") && !line.starts_with("device_functions")) break;
  }
  known->second = line;
  return line;
}

}  // namespace tilescope
