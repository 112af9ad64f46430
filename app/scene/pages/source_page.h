#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/pages/counters_page.h"

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

// One of a kernel's texts with what each of its lines costs.
struct ListedText {
  std::string_view title;          // "CUDA"
  std::vector<std::string> lines;  // without tabs
  std::vector<CountedLine> costs;  // by line - 1
  std::vector<std::uint32_t>
      origins;  // the source's line that each comes from, by line - 1; 0: none
};

// The source, and where the request has them side by side the PTX and the machine code that are
// known of it. A PTX file is its own source.
[[nodiscard]] std::vector<ListedText> listed_texts(const PageRequest& request);

// A line of a text, or so many of them that nothing comes from, in one row.
struct ListedRow {
  std::size_t line = 0;  // index
  std::size_t folded = 0;
};
// Long stretches that cost nothing (a file's head, the ways that these parameters do not take) are
// folded, but for the lines around those that do, or come from the source's line `marked`.
[[nodiscard]] std::vector<ListedRow> rows_of(const ListedText& text, std::uint32_t marked);

// The first of the rows to show where `fitting` of them have room: from the top, or what comes from
// the source's line `marked` a third below it.
[[nodiscard]] std::size_t first_row_of(const ListedText& text, const std::vector<ListedRow>& rows,
                                       std::uint32_t marked, std::size_t fitting);

}  // namespace tilescope
