// The kernel's text with what each of its lines costs: executed, sectors, wavefronts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/quantity.h"
#include "scene/pages/counted_lines.h"

namespace tilescope {
namespace {

constexpr float kNumberWidth = 40;  // px of the line's number
constexpr float kCountWidth = 84;   // px of a figure
constexpr float kBarWidth = 64;     // px of the dearest line's bar

struct Column {
  std::string_view title;
  std::uint64_t CountedLine::*cost;
  std::uint64_t CountedLine::*ideal;  // nullptr: there is none
};
constexpr std::array kColumns{
    Column{"executed", &CountedLine::executed, nullptr},
    Column{"sectors", &CountedLine::sectors, &CountedLine::sectors_ideal},
    Column{"wavefronts", &CountedLine::wavefronts, &CountedLine::wavefronts_ideal},
};

// Columns of which no line has anything are left out.
std::vector<Column> columns_of(const std::vector<CountedLine>& lines) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    if (std::ranges::any_of(lines, [&](const CountedLine& line) { return line.*column.cost > 0; }))
      columns.push_back(column);
  }
  return columns;
}

// A line of the text, or so many of them that nothing comes from, in one row.
struct Row {
  std::size_t line = 0;  // index
  std::size_t folded = 0;
};

// Long stretches that cost nothing (a file's head, the ways that these parameters do not take) are
// folded, but for the lines around those that do.
std::vector<Row> rows_of(const std::vector<CountedLine>& lines, std::uint32_t marked) {
  constexpr std::size_t kAround = 3;
  constexpr std::size_t kLeastFolded = 4;
  std::vector<bool> kept(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].executed == 0 && i + 1 != marked) continue;
    const std::size_t first = i - std::min(i, kAround);
    const std::size_t last = std::min(i + kAround, lines.size() - 1);
    for (std::size_t near = first; near <= last; ++near) kept[near] = true;
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i;
    while (end < lines.size() && !kept[end]) ++end;
    if (end - i >= kLeastFolded) {
      rows.push_back({i, end - i});
      i = end;
    } else {
      for (end = std::max(end, i + 1); i < end; ++i) rows.push_back({i, 0});
    }
  }
  return rows;
}

float width_of(const Column& column) {
  return kCountWidth + (column.ideal != nullptr ? kBarWidth : 0);
}

// Teal is the least that the same bytes could cost, orange what is more.
void draw_cell(Pen& pen, float right, float y, const Column& column, const CountedLine& line,
               std::uint64_t most) {
  const std::uint64_t cost = line.*column.cost;
  if (cost == 0) return;
  const std::uint64_t ideal = column.ideal != nullptr ? line.*column.ideal : cost;
  const bool excess = cost > ideal;
  const float figure = right - (column.ideal != nullptr ? pen.px(kBarWidth) : 0);
  pen.text(figure, y, short_count(cost),
           pen.style(11, excess ? ColourRole::kExcess : ColourRole::kText,
                     excess ? Weight::kSemibold : Weight::kRegular, Align::kRight));
  if (column.ideal == nullptr) return;
  const auto length = [&](std::uint64_t count) {
    return pen.px(kBarWidth - 10) *
           static_cast<float>(static_cast<double>(count) / static_cast<double>(most));
  };
  const float x = figure + pen.px(8);
  const float needed = length(std::min(cost, ideal));
  pen.canvas.fill_rect({x, y - pen.px(4), needed, pen.px(8)}, ColourRole::kIdeal, 0);
  if (excess) {
    pen.canvas.fill_rect({x + needed, y - pen.px(4), length(cost) - needed, pen.px(8)},
                         ColourRole::kExcess, 0);
  }
}

void draw_text(Pen& pen, float x, float y, const std::string& line, float room) {
  const auto style = [&](ColourRole role) {
    return pen.style(11.5f, role, Weight::kRegular, Align::kLeft, Font::kMono);
  };
  const std::string shown = pen.fitted(line, style(ColourRole::kText), room);
  const std::size_t comment = std::min(shown.find("//"), shown.size());
  const std::string code = shown.substr(0, comment);
  if (code.find_first_not_of(' ') != std::string::npos) {
    const std::size_t first = code.find_first_not_of(' ');
    const float indent = pen.width(code.substr(0, first), style(ColourRole::kText));
    pen.text(x + indent, y, code.substr(first), style(ColourRole::kText));
  }
  if (comment < shown.size()) {
    pen.text(x + pen.width(code, style(ColourRole::kText)), y, shown.substr(comment),
             style(ColourRole::kDim));
  }
}

std::uint32_t marked_line(const ViewContext& context) {
  if (context.selection.line != 0) return context.selection.line;
  const KernelStudy& study = *context.study;
  if (!study.traced() || context.selection.event >= study.trace->events.size()) return 0;
  return study.program->instructions()[study.trace->events[context.selection.event].instruction]
      .outermost.line;
}

}  // namespace

float height_of_source(const PageRequest& request) {
  const std::size_t lines = source_lines(*request.context.study).size();
  const auto rows = rows_of(counted_lines(request, lines), marked_line(request.context));
  return kPageHead + kSourceRow * static_cast<float>(rows.size());
}

void draw_source_page(Pen& pen, const Rect& area, const PageRequest& request) {
  const std::vector<std::string> text = source_lines(*request.context.study);
  const std::vector<CountedLine> lines = counted_lines(request, text.size());
  const std::vector<Column> columns = columns_of(lines);
  draw_extent(pen, area, counts_of(request));
  float counts = 0;
  for (const Column& column : columns) counts += pen.px(width_of(column));
  const float head = area.y + pen.px(kPageHead - 16);
  const float code = area.x + pen.px(kNumberWidth);
  const TextStyle title = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(code - pen.px(10), head, "line", title);
  float right = area.right() - counts;
  for (const Column& column : columns) {
    right += pen.px(width_of(column));
    pen.text(right - (column.ideal != nullptr ? pen.px(kBarWidth) : 0), head, column.title, title);
  }
  pen.rule(area.x, area.right(), head + pen.px(9));
  const float top = area.y + pen.px(kPageHead);
  const float row = pen.px(kSourceRow);
  const auto fitting =
      static_cast<std::size_t>(std::max(0.0f, (area.bottom() - top) / row + 0.01f));
  const std::uint32_t marked = marked_line(request.context);
  const std::vector<Row> rows = rows_of(lines, marked);
  const std::size_t shown = rows.size() <= fitting ? rows.size() : fitting > 0 ? fitting - 1 : 0;
  std::vector<std::uint64_t> most;
  most.reserve(columns.size());
  for (const Column& column : columns) {
    most.push_back(std::ranges::max(lines, {}, column.cost).*column.cost);
  }
  const TextStyle aside = pen.style(11, ColourRole::kDim);
  for (std::size_t r = 0; r < shown; ++r) {
    const float y = top + row * (static_cast<float>(r) + 0.5f);
    const std::size_t i = rows[r].line;
    if (rows[r].folded > 0) {
      pen.text(code, y, "… " + counted(rows[r].folded, "line") + " that nothing comes from", aside);
      continue;
    }
    if (i + 1 == marked) {
      pen.canvas.fill_rect({area.x, y - row / 2, area.w, row}, ColourRole::kRaised, 3);
    }
    pen.text(code - pen.px(10), y, std::to_string(i + 1), title);
    draw_text(pen, code, y, text[i], area.right() - counts - code);
    float edge = area.right() - counts;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      edge += pen.px(width_of(columns[c]));
      draw_cell(pen, edge, y, columns[c], lines[i], most[c]);
    }
  }
  if (shown < rows.size()) {
    const std::size_t left = text.size() - rows[shown].line;
    pen.text(code, top + row * (static_cast<float>(shown) + 0.5f),
             "and " + counted(left, "more line"), aside);
  }
}

void add_source_numbers(NumberList& list, const PageRequest& request) {
  const std::vector<CountedLine> lines =
      counted_lines(request, source_lines(*request.context.study).size());
  const PageCounts counts = counts_of(request);
  list.part("lines", counts.counters->whole_grid ? Source::kEmulated : Source::kModelled);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CountedLine& line = lines[i];
    if (line.executed == 0) continue;
    list.item(fmt::format("line {}", i + 1), static_cast<std::uint32_t>(i + 1));
    list.add("executed", line.executed);
    if (line.sectors > 0) {
      list.add("sectors", line.sectors);
      list.add("ideal sectors", line.sectors_ideal);
    }
    if (line.wavefronts > 0) {
      list.add("wavefronts", line.wavefronts);
      list.add("ideal wavefronts", line.wavefronts_ideal);
    }
  }
}

}  // namespace tilescope
