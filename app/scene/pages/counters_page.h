#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "scene/drawing/pen.h"
#include "scene/pages/page.h"

namespace tilescope {

// The counts that a page shows and the program that they are of.
struct PageCounts {
  const Program* program = nullptr;
  const LaunchCounters* counters = nullptr;
  bool issued = false;
};
[[nodiscard]] PageCounts counts_of(const PageRequest& request);

// What a line of the source costs, summed over its instructions.
struct CountedLine {
  std::uint64_t executed = 0;  // warp instructions
  std::uint64_t sectors = 0;
  std::uint64_t sectors_ideal = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t wavefronts_ideal = 0;

  void add(const LaunchCounters& counters, std::size_t instruction);  // one that is not counted: 0
};
// By line - 1 of the kernel's own text, which has `lines` of them.
[[nodiscard]] std::vector<CountedLine> counted_lines(const PageRequest& request, std::size_t lines);

// A text line by line, without tabs, which go on to each `tab` letters, and without empty lines at
// its end; the kernel's own.
[[nodiscard]] std::vector<std::string> lines_of_text(std::string_view text, std::size_t tab);
[[nodiscard]] std::vector<std::string> source_lines(const KernelStudy& study);

// The lines that access memory.
[[nodiscard]] std::vector<LineCounters> accessing_lines(const Program& program,
                                                        const LaunchCounters& counters);
// How the hardware's counter compares with the emulated one: "=", "≈", "≥", "≠", and its colour.
[[nodiscard]] std::string_view sign_of(CheckedCounter::Verdict verdict);
[[nodiscard]] ColourRole tone_of(CheckedCounter::Verdict verdict);
// What the hardware read: "1,024", or "≥ 1,024" where its readings differ.
[[nodiscard]] std::string read_words(const CheckedCounter& counter);
// "1.05" of what is more than no cost; empty where the ideal is 0.
[[nodiscard]] std::string ratio_words(std::uint64_t cost, std::uint64_t ideal);
// "load global", "cp.async global"
[[nodiscard]] std::string access_words(const LineCounters& line);
// "1.05 G" for what would not fit a column.
[[nodiscard]] std::string short_count(std::uint64_t count);
// "as issued, all 256 blocks", "as written, 12 of 256 blocks, scaled"
[[nodiscard]] std::string extent_words(const PageCounts& counts);
// Those words with their mark, at the right of a page's first row.
void draw_extent(Pen& pen, const Rect& area, const PageCounts& counts);

inline constexpr float kPageHead = 44;    // px above the rows
inline constexpr float kSourceRow = 16;   // px
inline constexpr float kCounterRow = 20;  // px

float height_of_source(const PageRequest& request);
void draw_source_page(Pen& pen, const Rect& area, const PageRequest& request);
void add_source_numbers(NumberList& list, const PageRequest& request);

float height_of_counters(const PageRequest& request);
void draw_counters_page(Pen& pen, const Rect& area, const PageRequest& request);
void add_counter_numbers(NumberList& list, const PageRequest& request);

}  // namespace tilescope
