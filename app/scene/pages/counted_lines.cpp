#include "scene/pages/counted_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/quantity.h"

namespace tilescope {

PageCounts counts_of(const PageRequest& request) {
  const KernelStudy& study = *request.context.study;
  const bool issued = request.as_issued && study.issued && study.issued_counters;
  return {issued ? study.issued.get() : study.program.get(),
          issued ? study.issued_counters.get() : study.counters.get(), issued};
}

std::vector<CountedLine> counted_lines(const PageRequest& request, std::size_t lines) {
  const PageCounts counts = counts_of(request);
  std::vector<CountedLine> all(lines);
  const auto& instructions = counts.program->instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t line = instructions[i].outermost.line;
    if (line == 0 || line > lines) continue;
    all[line - 1].add(*counts.counters, i);
  }
  return all;
}

void CountedLine::add(const LaunchCounters& counters, std::size_t instruction) {
  if (instruction >= std::min(counters.by_instruction.size(), counters.executed.warps.size())) {
    return;
  }
  const AccessCounters& memory = counters.by_instruction[instruction];
  executed += counters.executed.warps[instruction];
  sectors += memory.sectors;
  sectors_ideal += memory.sectors_ideal;
  wavefronts += memory.wavefronts;
  wavefronts_ideal += memory.wavefronts_ideal;
}

std::vector<std::string> source_lines(const KernelStudy& study) {
  return lines_of_text(study.instance.source, 8);
}

std::vector<std::string> lines_of_text(std::string_view text, std::size_t tab) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back().append(tab - lines.back().size() % tab, ' ');
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  while (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string access_words(const LineCounters& line) {
  const char* place = line.space == MemorySpace::kShared  ? " shared"
                      : line.space == MemorySpace::kLocal ? " local"
                                                          : " global";
  switch (line.access) {
    case AccessKind::kLoad:
      return std::string("load") + place;
    case AccessKind::kStore:
      return std::string("store") + place;
    case AccessKind::kAtomic:
      return std::string("atomic") + place;
    case AccessKind::kAsyncCopy:
      return std::string("cp.async") + place;
    case AccessKind::kLdmatrix:
      return "ldmatrix shared";
    case AccessKind::kStmatrix:
      return "stmatrix shared";
    case AccessKind::kNone:
      break;
  }
  return place + 1;
}

std::string short_count(std::uint64_t count) {
  if (count < 100'000'000) return format_count(count);
  const auto value = static_cast<double>(count);
  const auto [scaled, suffix] = value < 1e9    ? std::pair(value / 1e6, " M")
                                : value < 1e12 ? std::pair(value / 1e9, " G")
                                               : std::pair(value / 1e12, " T");
  return format(scaled, Unit::kNone) + suffix;
}

std::string extent_words(const PageCounts& counts) {
  const std::string all = format_count(counts.counters->blocks_represented);
  const std::string how = counts.issued ? "as issued, " : "as written, ";
  if (counts.counters->blocks_represented == 1) return how + "its one block";
  if (counts.counters->whole_grid) return how + "all " + all + " blocks";
  return fmt::format("{}{} of {} blocks, scaled", how,
                     format_count(counts.counters->blocks_counted), all);
}

void draw_extent(Pen& pen, const Rect& area, const PageCounts& counts) {
  const std::string words = extent_words(counts);
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float y = area.y + pen.px(10);
  pen.text(area.right(), y, words, style);
  pen.source_mark({area.right() - pen.width(words, style) - pen.px(10), y},
                  counts.counters->whole_grid ? Source::kEmulated : Source::kModelled,
                  ColourRole::kDim);
}

}  // namespace tilescope
