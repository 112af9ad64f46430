#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

// Lines of a text that stand together, counted from 1, both ends among them.
struct LineRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  [[nodiscard]] bool has(std::uint32_t line) const { return first <= line && line <= last; }
};

// The places of a text that come from the kernel's line `line`, from top to bottom. `origins`: the
// kernel's line that each line of the text comes from, by line - 1; 0: none, which parts no place
// in two, as labels and directives come from nowhere.
[[nodiscard]] std::vector<LineRun> runs_of(std::span<const std::uint32_t> origins,
                                           std::uint32_t line);
// Index of the place nearest to the lines `seen`, the upper one of two that are as near.
// Precondition: runs is not empty.
[[nodiscard]] std::size_t nearest_run(std::span<const LineRun> runs, LineRun seen);

}  // namespace tilescope
