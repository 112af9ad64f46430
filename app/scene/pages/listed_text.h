#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scene/pages/counted_lines.h"

namespace tilescope {

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
