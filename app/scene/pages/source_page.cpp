#include "scene/pages/source_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/quantity.h"

// The kernel's text with what each of its lines costs: executed, sectors, wavefronts; alone, or
// with its PTX and machine code beside it.

namespace tilescope {
namespace {

constexpr float kNumberWidth = 40;  // px of the line's number
constexpr float kCountWidth = 84;   // px of a figure
constexpr float kBarWidth = 64;     // px of the dearest line's bar
constexpr float kLeastText = 380;   // px of a line of one text beside others, some 55 letters
constexpr float kGap = 24;          // px between them

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

// px of it; beside other texts there is no room for bars.
float bar_of(const Column& column, bool beside) {
  return column.ideal != nullptr && !beside ? kBarWidth : 0;
}

// Teal is the least that the same bytes could cost, orange what is more.
void draw_cell(Pen& pen, float right, float y, const Column& column, const CountedLine& line,
               float bar, std::uint64_t most) {
  const std::uint64_t cost = line.*column.cost;
  if (cost == 0) return;
  const std::uint64_t ideal = column.ideal != nullptr ? line.*column.ideal : cost;
  const bool excess = cost > ideal;
  const float figure = right - pen.px(bar);
  pen.text(figure, y, short_count(cost),
           pen.style(11, excess ? ColourRole::kExcess : ColourRole::kText,
                     excess ? Weight::kSemibold : Weight::kRegular, Align::kRight));
  if (bar == 0) return;
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

// What stands at the right of a text: the figures that have room, at least one, of those that any
// line has.
std::vector<Column> columns_for(const Pen& pen, const ListedText& text, float width, bool beside) {
  std::vector<Column> columns = columns_of(text.costs);
  if (!beside) return columns;
  const float room = (width - pen.px(kNumberWidth + kLeastText)) / pen.px(kCountWidth);
  const auto most = static_cast<std::ptrdiff_t>(std::max(1.0f, room));
  const std::ptrdiff_t over = std::ssize(columns) - most;
  if (over > 0) columns.erase(columns.begin(), columns.begin() + over);
  return columns;
}

// A text on its part of the page.
class ListedPage {
 public:
  ListedPage(Pen& pen, const Rect& area, const ListedText& text, std::uint32_t marked, bool beside)
      : pen_(pen),
        area_(area),
        text_(text),
        marked_(marked),
        beside_(beside),
        columns_(columns_for(pen, text, area.w, beside)),
        code_(area.x + pen.px(kNumberWidth)) {
    for (const Column& column : columns_) {
      counts_ += pen.px(kCountWidth + bar_of(column, beside));
      most_.push_back(std::ranges::max(text.costs, {}, column.cost).*column.cost);
    }
  }

  void draw() const {
    draw_head();
    const std::vector<ListedRow> rows = rows_of(text_, marked_);
    const float row = pen_.px(kSourceRow);
    const float top = area_.y + pen_.px(kPageHead);
    const auto fitting =
        static_cast<std::size_t>(std::max(0.0f, (area_.bottom() - top) / row + 0.01f));
    if (fitting == 0) return;
    const std::size_t first = beside_ ? first_row_of(text_, rows, marked_, fitting) : 0;
    const bool ends = first + fitting >= rows.size();
    const std::size_t shown = ends ? rows.size() - first : fitting - 1;
    for (std::size_t r = 0; r < shown; ++r) {
      const float y = top + row * (static_cast<float>(r) + 0.5f);
      if (r == 0 && first > 0) {
        say(y, "… " + counted(rows[first + 1].line, "line") + " above");
      } else {
        draw_row(y, rows[first + r]);
      }
    }
    if (ends) return;
    const std::size_t left = text_.lines.size() - rows[first + shown].line;
    say(top + row * (static_cast<float>(shown) + 0.5f), "and " + counted(left, "more line"));
  }

 private:
  [[nodiscard]] TextStyle title() const {
    return pen_.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  }
  void say(float y, const std::string& words) const {
    pen_.text(code_, y, pen_.fitted(words, pen_.style(11, ColourRole::kDim), area_.right() - code_),
              pen_.style(11, ColourRole::kDim));
  }
  void draw_head() const {
    const float y = area_.y + pen_.px(kPageHead - 16);
    pen_.text(code_ - pen_.px(10), y, "line", title());
    if (beside_) {
      const TextStyle style = pen_.style(12, ColourRole::kStrong, Weight::kSemibold);
      pen_.text(code_, y, text_.title, style);
      const std::size_t places = runs_of(text_.origins, marked_).size();
      const float x = code_ + pen_.width(text_.title, style) + pen_.px(10);
      const float left =
          area_.right() - counts_ + pen_.px(kCountWidth - 60);  // of the figures' titles
      if (places > 1) {
        pen_.text_if_fits(x, y, fmt::format("line {}: the first of {} places", marked_, places),
                          pen_.style(11, ColourRole::kDim), left - x);
      }
    }
    float right = area_.right() - counts_;
    for (const Column& column : columns_) {
      right += pen_.px(kCountWidth + bar_of(column, beside_));
      pen_.text(right - pen_.px(bar_of(column, beside_)), y, column.title, title());
    }
    pen_.rule(area_.x, area_.right(), y + pen_.px(9));
  }
  void draw_row(float y, const ListedRow& row) const {
    const std::size_t i = row.line;
    const float height = pen_.px(kSourceRow);
    if (row.folded > 0) {
      say(y, "… " + counted(row.folded, "line") + " without instructions");
      return;
    }
    if (marked_ != 0 && text_.origins[i] == marked_) {
      pen_.canvas.fill_rect({area_.x, y - height / 2, area_.w, height}, ColourRole::kRaised, 3);
    }
    pen_.text(code_ - pen_.px(10), y, std::to_string(i + 1), title());
    draw_text(pen_, code_, y, text_.lines[i], area_.right() - counts_ - code_);
    float edge = area_.right() - counts_;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const float bar = bar_of(columns_[c], beside_);
      edge += pen_.px(kCountWidth + bar);
      draw_cell(pen_, edge, y, columns_[c], text_.costs[i], bar, most_[c]);
    }
  }

  Pen& pen_;
  Rect area_;
  const ListedText& text_;
  std::uint32_t marked_;
  bool beside_;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> most_;  // of a line, by column
  float code_;                       // where the text begins
  float counts_ = 0;                 // px of all columns
};

void add_line_numbers(NumberList& list, const ListedText& text, const std::string& item) {
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    const CountedLine& line = text.costs[i];
    if (line.executed == 0) continue;
    list.item(fmt::format("{} {}", item, i + 1), text.origins[i]);
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

}  // namespace

float height_of_source(const PageRequest& request) {
  const auto rows = rows_of(listed_texts(request).front(), marked_line(request.context));
  return kPageHead + kSourceRow * static_cast<float>(rows.size());
}

void draw_source_page(Pen& pen, const Rect& area, const PageRequest& request) {
  const std::vector<ListedText> texts = listed_texts(request);
  draw_extent(pen, area, counts_of(request));
  const float gap = pen.px(kGap);
  const auto count = static_cast<float>(texts.size());
  const float width = (area.w - gap * (count - 1)) / count;
  float x = area.x;
  for (const ListedText& text : texts) {
    ListedPage(pen, {x, area.y, width, area.h}, text, marked_line(request.context),
               texts.size() > 1)
        .draw();
    x += width + gap;
  }
}

void add_source_numbers(NumberList& list, const PageRequest& request) {
  const PageCounts counts = counts_of(request);
  const Source source = counts.counters->whole_grid ? Source::kEmulated : Source::kModelled;
  for (const ListedText& text : listed_texts(request)) {
    const bool is_first = text.title == "CUDA" || !request.side_by_side;
    list.part(is_first ? "lines" : fmt::format("{} lines", text.title), source);
    add_line_numbers(list, text, is_first ? "line" : fmt::format("{} line", text.title));
  }
}

std::vector<LineRun> runs_of(std::span<const std::uint32_t> origins, std::uint32_t line) {
  std::vector<LineRun> runs;
  if (line == 0) return runs;
  bool goes_on = false;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto own = static_cast<std::uint32_t>(i) + 1;
    if (origins[i] == 0) continue;
    if (origins[i] != line) {
      goes_on = false;
    } else if (std::exchange(goes_on, true)) {
      runs.back().last = own;
    } else {
      runs.push_back({own, own});
    }
  }
  return runs;
}

std::size_t nearest_run(std::span<const LineRun> runs, LineRun seen) {
  const auto distance = [&](const LineRun& run) {
    if (run.last < seen.first) return seen.first - run.last;
    return run.first > seen.last ? run.first - seen.last : 0U;
  };
  return static_cast<std::size_t>(std::ranges::min_element(runs, {}, distance) - runs.begin());
}

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
