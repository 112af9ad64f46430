#include "scene/coalescing/global_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "scene/coalescing/coalescing_scene.h"
#include "scene/model/prepared.h"
#include "scene/view/hardware_note.h"
#include "scene/view/hovered_line.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

constexpr std::size_t kFigures = 6;
constexpr std::array<std::string_view, kFigures> kHeads = {"requests", "sectors",     "ideal",
                                                           "excess",   "per request", "efficiency"};
constexpr std::size_t kExcessFigure = 3;

struct Row {
  const GlobalLine* line = nullptr;  // nullptr: a total
  std::string_view total;            // its name
  AccessCounters counters;
  std::array<std::string, kFigures> figures;
};

double efficiency(const AccessCounters& counters) {
  if (counters.sectors == 0) return 100;
  return 100.0 * static_cast<double>(counters.sectors_ideal) /
         static_cast<double>(counters.sectors);
}

std::string efficiency_words(const AccessCounters& counters) {
  return percent_words(efficiency(counters) / 100);
}

Row row_of(const AccessCounters& c) {
  const double per_request =
      c.requests == 0 ? 0 : static_cast<double>(c.sectors) / static_cast<double>(c.requests);
  Row row;
  row.counters = c;
  row.figures = {format_count(c.requests),
                 format_count(c.sectors),
                 format_count(c.sectors_ideal),
                 format_count(c.sectors - std::min(c.sectors, c.sectors_ideal)),
                 fmt::format("{:.1f}", per_request),
                 efficiency_words(c)};
  return row;
}

std::vector<Row> rows_of(const std::vector<GlobalLine>& lines) {
  std::vector<Row> rows;
  for (const GlobalLine& line : lines) {
    rows.push_back(row_of(line.counters));
    rows.back().line = &line;
  }
  return rows;
}

std::vector<Row> totals_of(const std::vector<GlobalTotal>& totals) {
  std::vector<Row> rows;
  for (const GlobalTotal& total : totals) {
    rows.push_back(row_of(total.counters));
    rows.back().total = total.name;
  }
  return rows;
}

// "all loads 100 %, all stores 12.5 %"
std::string totals_in_words(const std::vector<GlobalTotal>& totals) {
  std::string words;
  for (const GlobalTotal& total : totals) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", total.name,
                         efficiency_words(total.counters));
  }
  return words;
}

struct Columns {
  std::array<float, kFigures> right{};  // 0: not shown
  float line = 0;
  float kind = 0;
  float source = 0;
  float source_room = 0;
};

// Figures from the right as they need; what does not fit is left out, the least telling first.
Columns place_columns(const Pen& pen, const Rect& area, const std::vector<Row>& rows) {
  const TextStyle head = pen.style(11, ColourRole::kDim);
  const TextStyle body = pen.style(12, ColourRole::kText, Weight::kMedium);
  std::array<float, kFigures> width{};
  for (std::size_t i = 0; i < kFigures; ++i) {
    width[i] = pen.width(kHeads[i], head);
    for (const Row& row : rows) width[i] = std::max(width[i], pen.width(row.figures[i], body));
    width[i] += pen.px(18);
  }
  Columns columns;
  columns.line = area.x + pen.px(8);
  columns.kind =
      columns.line + std::max(pen.width("line", head), pen.width("000", body)) + pen.px(10);
  float kind_width = 0;
  for (const Row& row : rows) {
    if (row.line == nullptr) continue;
    kind_width = std::max(kind_width, pen.width(noun_of(row.line->access), body));
  }
  columns.source = columns.kind + kind_width + pen.px(12);
  constexpr std::array<std::size_t, kFigures> kImportance = {5, 4, 1, 3, 2, 0};
  std::array<bool, kFigures> shown{};
  float room = area.right() - pen.px(8) - columns.source;
  for (const std::size_t i : kImportance) {
    if (width[i] > room) break;
    shown[i] = true;
    room -= width[i];
  }
  float right = area.right() - pen.px(8);
  for (std::size_t i = kFigures; i-- > 0;) {
    if (!shown[i]) continue;
    columns.right[i] = right;
    right -= width[i];
  }
  columns.source_room = room;
  return columns;
}

constexpr float kHeadingShare = 0.5f;  // of its row, where the origin has the rest

enum class RowState : std::uint8_t { kPlain, kLit, kCurrent };  // lit: its line is hovered

void draw_row(Pen& pen, const Rect& box, const Columns& columns, const Row& row,
              const std::string& source, RowState state, const ViewContext& context) {
  const bool current = state == RowState::kCurrent;
  if (state != RowState::kPlain) {
    pen.canvas.fill_rect(box, current ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  const float y = box.center().y;
  const TextStyle mono =
      pen.style(12, ColourRole::kText, Weight::kRegular, Align::kLeft, Font::kMono);
  const TextStyle plain = pen.style(12, ColourRole::kText);
  if (row.line != nullptr) {
    pen.text(columns.line, y, std::to_string(row.line->line), mono);
    pen.text(columns.kind, y, noun_of(row.line->access), plain);
  } else {
    pen.text(columns.line, y, row.total, pen.style(12, ColourRole::kDim));
  }
  if (row.line != nullptr && columns.source_room > pen.px(70)) {
    pen.text(columns.source, y, pen.fitted(source, mono, columns.source_room), mono);
  }
  const bool waste = efficiency(row.counters) < 99.95;
  const ColourRole tone = context.final ? ColourRole::kText : ColourRole::kDim;
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (columns.right[i] == 0) continue;
    const bool tinted = waste && i >= kExcessFigure;
    const Paint paint = tinted ? Paint(ColourRole::kExcess) : Paint(tone);
    pen.text(columns.right[i], y, row.figures[i],
             pen.style(12, paint, current ? Weight::kSemibold : Weight::kMedium, Align::kRight));
  }
  const AccessCounters& c = row.counters;
  if (row.line == nullptr) {
    pen.hit(
        box, HitKind::kNone, 0,
        fmt::format("In total {}: {} warp requests move {} sectors of 32 B; {} would be enough.",
                    row.total, format_count(c.requests), format_count(c.sectors),
                    format_count(c.sectors_ideal)));
    return;
  }
  pen.hit(box, HitKind::kLine, row.line->line,
          fmt::format("Line {}: {} warp requests move {} sectors of 32 B; {} would be enough.",
                      row.line->line, format_count(c.requests), format_count(c.sectors),
                      format_count(c.sectors_ideal)));
}

void draw_origin(Pen& pen, float x, float y, float edge, const ViewContext& context) {
  const LaunchCounters& counters = *context.study->counters;
  const TextStyle style = pen.style(11, ColourRole::kDim);
  static constexpr std::array<std::string_view, 2> kGlobalCounters{"requests_pipe_lsu_mem_global",
                                                                   "sectors_pipe_lsu_mem_global"};
  const float right =
      draw_hardware_note(pen, x + pen.px(150), edge, y, context, kGlobalCounters) - pen.px(12);
  const float text_x = x + pen.px(14);
  const std::string blocks = format_count(counters.blocks_counted);
  const std::string all = format_count(counters.blocks_represented);
  std::vector<std::string> words;
  if (counters.whole_grid) {
    words = {counters.blocks_represented == 1 ? std::string("emulated, one block (all)")
                                              : fmt::format("emulated, all {} blocks", all),
             "emulated"};
  } else {
    words = {fmt::format("emulated, {} of {} blocks, scaled to all", blocks, all),
             fmt::format("{} of {} blocks, scaled", blocks, all), "sample"};
  }
  pen.source_mark({x + pen.px(4), y}, Source::kEmulated, ColourRole::kDim);
  pen.first_that_fits(text_x, y, words, style, right - text_x);
}

}  // namespace

void draw_global_table(Pen& pen, const Rect& area, const ViewContext& context,
                       std::uint32_t current_line) {
  const auto prepared = prepared_of(context);
  const std::vector<GlobalTotal> totals = global_totals(prepared->global_lines);
  const std::vector<Row> rows = rows_of(prepared->global_lines);
  const float head_y = area.y + pen.px(26);
  const float first = head_y + pen.px(12);
  const float pitch = pen.px(22);
  const float origin = pen.px(20);
  if (rows.empty() || area.bottom() - first < pitch) return;
  const auto room = static_cast<std::size_t>((area.bottom() - first) / pitch);
  const auto above = static_cast<std::size_t>(
      std::max((area.bottom() - first - origin) / pitch, 0.0f));  // an origin below the rows
  // Where a row has to make way for it, it stands in the heading.
  const bool in_heading = above < std::min(rows.size(), room);
  const std::size_t fitting = in_heading ? room : above;
  const std::size_t shown = std::min(rows.size(), fitting);
  // The totals as rows of their own where they fit, else their efficiency in the heading.
  std::vector<Row> all = rows;
  if (shown + totals.size() <= fitting) {
    for (Row& total : totals_of(totals)) all.push_back(std::move(total));
  }
  const bool totals_below = all.size() > rows.size();
  pen.heading(area.x, area.y + pen.px(4), "GLOBAL MEMORY INSTRUCTIONS",
              totals_below || totals.empty() ? "worst line first" : totals_in_words(totals),
              in_heading ? area.x + area.w * kHeadingShare - pen.px(16) : area.right());

  const Columns columns = place_columns(pen, area, all);
  const TextStyle head = pen.style(11, ColourRole::kDim);
  const TextStyle head_right = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(columns.line, head_y, "line", head);
  const std::string more =
      shown < rows.size() ? counted(rows.size() - shown, "more line") : std::string();
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (columns.right[i] != 0) pen.text(columns.right[i], head_y, kHeads[i], head_right);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const Rect box{area.x, first + pitch * static_cast<float>(i), area.w, pitch};
    draw_row(pen, box, columns, rows[i],
             source_text(*prepared, {rows[i].line->file, rows[i].line->line}),
             rows[i].line->line == current_line    ? RowState::kCurrent
             : is_lit(context, rows[i].line->line) ? RowState::kLit
                                                   : RowState::kPlain,
             context);
  }
  const std::size_t below = totals_below ? totals.size() : 0;
  for (std::size_t i = 0; i < below; ++i) {
    const Rect box{area.x, first + pitch * static_cast<float>(shown + i), area.w, pitch};
    draw_row(pen, box, columns, all[rows.size() + i], "", RowState::kPlain, context);
  }
  if (below > 0) pen.rule(area.x, area.right(), first + pitch * static_cast<float>(shown));
  float right = area.right();
  const float y = in_heading ? area.y + pen.px(4)
                             : first + pitch * static_cast<float>(shown + below) + origin / 2;
  if (!more.empty()) {
    pen.text(area.right() - pen.px(8), y, more, head_right);
    right -= pen.width(more, head_right) + pen.px(20);
  }
  if (!context.study->counters) return;
  const float left = in_heading ? area.x + area.w * kHeadingShare : area.x + pen.px(8);
  draw_origin(pen, left, y, right, context);
}

namespace {

std::string_view total_name(AccessKind access) {
  switch (access) {
    case AccessKind::kStore:
    case AccessKind::kStmatrix:
      return "all stores";
    case AccessKind::kAtomic:
      return "all atomics";
    default:
      return "all loads";
  }
}

}  // namespace

std::vector<GlobalTotal> global_totals(const std::vector<GlobalLine>& lines) {
  std::vector<GlobalTotal> totals;
  if (lines.size() < 2) return totals;
  for (const std::string_view name : {"all loads", "all stores", "all atomics"}) {
    GlobalTotal total{name, {}};
    for (const GlobalLine& line : lines) {
      if (total_name(line.access) == name) total.counters += line.counters;
    }
    if (total.counters.requests > 0) totals.push_back(total);
  }
  if (totals.size() < 2) return totals;
  GlobalTotal all{"all", {}};
  for (const GlobalTotal& total : totals) all.counters += total.counters;
  totals.push_back(all);
  return totals;
}

}  // namespace tilescope
