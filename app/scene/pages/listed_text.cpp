#include "scene/pages/listed_text.h"

#include <algorithm>
#include <numeric>

namespace tilescope {
namespace {

ListedText source_of(const PageRequest& request) {
  const KernelStudy& study = *request.context.study;
  ListedText text{study.instance.is_ptx() ? "PTX" : "CUDA", source_lines(study), {}, {}};
  text.costs = counted_lines(request, text.lines.size());
  text.origins.resize(text.lines.size());
  std::iota(text.origins.begin(), text.origins.end(), 1U);
  return text;
}

ListedText text_of(std::string_view title, const std::string& letters, const Program& program,
                   const LaunchCounters& counters) {
  ListedText text{title, lines_of_text(letters, 4), {}, {}};
  text.costs.resize(text.lines.size());
  text.origins.resize(text.lines.size());
  const auto& instructions = program.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t line = instructions[i].ptx_line;
    if (line == 0 || line > text.lines.size()) continue;
    text.origins[line - 1] = instructions[i].outermost.line;
    text.costs[line - 1].add(counters, i);
  }
  return text;
}

}  // namespace

std::vector<ListedText> listed_texts(const PageRequest& request) {
  const KernelStudy& study = *request.context.study;
  std::vector<ListedText> texts{source_of(request)};
  if (!request.side_by_side) return texts;
  if (texts.front().title != "PTX" && study.compiled != nullptr) {
    texts.push_back(text_of("PTX", study.compiled->ptx, *study.program, *study.counters));
  }
  if (study.issued != nullptr && study.issued_counters != nullptr) {
    texts.push_back(
        text_of("SASS", study.issued->machine_code(), *study.issued, *study.issued_counters));
  }
  return texts;
}

std::vector<ListedRow> rows_of(const ListedText& text, std::uint32_t marked) {
  constexpr std::size_t kAround = 3;
  constexpr std::size_t kLeastFolded = 4;
  const std::size_t lines = text.lines.size();
  std::vector<bool> kept(lines, false);
  for (std::size_t i = 0; i < lines; ++i) {
    const bool is_marked = marked != 0 && text.origins[i] == marked;
    if (text.costs[i].executed == 0 && !is_marked) continue;
    const std::size_t first = i - std::min(i, kAround);
    const std::size_t last = std::min(i + kAround, lines - 1);
    for (std::size_t near = first; near <= last; ++near) kept[near] = true;
  }
  std::vector<ListedRow> rows;
  for (std::size_t i = 0; i < lines;) {
    std::size_t end = i;
    while (end < lines && !kept[end]) ++end;
    if (end - i >= kLeastFolded) {
      rows.push_back({i, end - i});
      i = end;
    } else {
      for (end = std::max(end, i + 1); i < end; ++i) rows.push_back({i, 0});
    }
  }
  return rows;
}

std::size_t first_row_of(const ListedText& text, const std::vector<ListedRow>& rows,
                         std::uint32_t marked, std::size_t fitting) {
  if (rows.size() <= fitting || marked == 0) return 0;
  const auto found = std::ranges::find_if(rows, [&](const ListedRow& row) {
    return row.folded == 0 && text.origins[row.line] == marked;
  });
  const auto at = static_cast<std::size_t>(found - rows.begin());
  if (found == rows.end() || at + 1 < fitting) return 0;
  return std::min(at - fitting / 3, rows.size() - fitting);
}

}  // namespace tilescope
