#include "scene/divergence/divergence_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "scene/divergence/divergence_words.h"
#include "scene/model/prepared.h"
#include "scene/view/empty_view.h"
#include "scene/view/hovered_line.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

// The selected warp, or the last one of a smaller block.
std::uint32_t selected_warp(const ViewContext& context, const LaneModel& model) {
  const auto warps = static_cast<std::uint32_t>(model.block.warps.size());
  return std::min(context.selection.warp, warps - 1);
}

}  // namespace

std::optional<WarpInSight> warp_in_sight(const ViewContext& context) {
  const KernelStudy& study = *context.study;
  const LaneModel& model = *context.prepared->lanes;
  WarpInSight sight;
  sight.warp = selected_warp(context, model);
  sight.lanes = &model.block.warps[sight.warp];
  const auto size = static_cast<std::uint32_t>(sight.lanes->events.size());
  if (size == 0) return std::nullopt;
  sight.now = sight.lanes->index_at(context.selection.event);
  const std::int64_t window = context.settings.lane_window;
  if (window <= 0 || window >= size) {
    sight.end = size;
    sight.columns = model.columns[sight.warp];
    return sight;
  }
  // It moves on by halves, so that the picture stands still while time runs through its middle.
  const auto width = static_cast<std::uint32_t>(window);
  const std::uint32_t half = std::max(width / 2, 1u);
  const std::uint32_t start = sight.now / half * half;
  sight.begin = std::min(start - std::min(start, width / 4), size - width);
  sight.end = sight.begin + width;
  sight.columns = lane_columns(*study.program, *study.trace, *sight.lanes, sight.begin, sight.end,
                               LaneModel::kMostColumns);
  return sight;
}

std::string path_name(std::int16_t path) {
  if (path < 0) return {};
  if (path < 26) return std::string(1, static_cast<char>('A' + path));
  return path < 52 ? std::string(1, static_cast<char>('a' + path - 26)) : std::string("…");
}

Paint path_paint(std::int16_t path) {
  static constexpr std::array kRoles = {ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                        ColourRole::kFourth};
  if (path < 0) return {ColourRole::kDim, 0.75f};
  return kRoles[static_cast<std::size_t>(path) % kRoles.size()];
}

std::string share_text(double share) {
  if (share == 0) return "0 %";
  if (share < 0.0005) return "< 0.1 %";
  return format(100 * share, Unit::kPercent);
}

Sentence divergence_sentence(const ViewContext& context) {
  const auto prepared = prepared_of(context);
  const LaneModel& model = *prepared->lanes;
  DivergenceFacts facts;
  facts.warp = selected_warp(context, model);
  const WarpLanes& warp = model.block.warps[facts.warp];
  facts.lanes = std::popcount(warp.existing);
  facts.slots = warp.slots;
  if (!warp.branches.empty()) {
    facts.branch = warp.branches.front();
    facts.worst = warp.divergences[facts.branch.worst];
    facts.line = context.study->program->instructions()[facts.branch.instruction].outermost.line;
  }
  facts.threads = context.study->launch.block.count();
  facts.warps = model.block.warps.size();
  facts.diverging = model.block.diverging_warps();
  facts.block_lost = model.block.slots.lost_share();
  return divergence_sentence(facts);
}

void look_at_worst_warp(const KernelStudy& study, const PreparedStudy& prepared,
                        Selection& selection) {
  const std::vector<WarpLanes>& warps = prepared.lanes->block.warps;
  const auto worst = std::ranges::max_element(
      warps, {}, [](const WarpLanes& warp) { return warp.slots.lost_share(); });
  if (worst == warps.end() || worst->events.empty() || worst->slots.lost() == 0) return;
  selection.warp = static_cast<std::uint32_t>(worst - warps.begin());
  if (worst->branches.empty()) {
    selection.event = worst->events[worst->events.size() / 2];
    return;
  }
  const Divergence& divergence = worst->divergences[worst->branches.front().worst];
  selection.event = worst->events[(divergence.begin + divergence.end) / 2];
  selection.line = study.program->instructions()[divergence.branch].outermost.line;
}

void draw_divergence(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto sight = warp_in_sight(context);
  if (!sight) {
    draw_empty(pen, area, "The trace has no instruction of this warp",
               "Select another warp or block; divergence/switch is an example.");
    return;
  }
  const bool with_ways = area.h >= pen.px(380) && offers_ways(context, *sight);
  const float ways = with_ways ? pen.px(84) : 0;
  const Rect upper{area.x, area.y, area.w, area.h - ways};
  const bool with_column = area.w >= pen.px(560);
  const float column = with_column ? std::clamp(area.w * 0.3f, pen.px(210), pen.px(330)) : 0;
  const float gap = with_column ? pen.px(28) : 0;
  const float left = upper.w - column - gap;
  const std::size_t warps = context.prepared->lanes->block.warps.size();
  const float room = upper.h - pen.px(210);  // what the lanes can spare
  float strips = 0;
  if (warps > 1 && room > pen.px(36)) {
    strips = std::min(warp_strips_height(pen, {upper.x, upper.y, left, upper.h}, warps), room);
  }
  const float between = strips > 0 ? pen.px(14) : 0;
  draw_lane_picture(pen, {upper.x, upper.y, left, upper.h - strips - between}, context, *sight);
  if (strips > 0) {
    draw_warp_strips(pen, {upper.x, upper.bottom() - strips, left, strips}, context, *sight);
  }
  if (with_column) {
    const Rect side{upper.right() - column, upper.y, column, upper.h};
    const float used = draw_lane_loss(pen, side, context, *sight) + pen.px(20);
    if (side.h - used > pen.px(60)) {
      draw_lane_lines(pen, {side.x, side.y + used, side.w, side.h - used}, context);
    }
  }
  if (!with_ways) return;
  const float top = upper.bottom() + pen.px(10);
  pen.rule(area.x, area.right(), top);
  draw_ways(pen, {area.x, top + pen.px(12), area.w, area.bottom() - top - pen.px(12)}, context,
            *sight);
}

namespace {

struct LossCause {
  std::uint64_t slots = 0;
  const char* words;
  const char* meaning;
};

std::vector<LossCause> causes_of(const LaneSlots& slots) {
  std::vector<LossCause> causes = {
      {slots.waiting, "wait for other paths", "other lanes of their warp took another path"},
      {slots.predicated, "predicate is false", "their predicate is false"},
      {slots.done, "have finished", "they have finished"},
      {slots.absent, "have no thread", "the block has fewer threads than lanes"}};
  std::erase_if(causes, [](const LossCause& cause) { return cause.slots == 0; });
  std::ranges::stable_sort(causes, std::ranges::greater{}, &LossCause::slots);
  return causes;
}

// A bar of `share` of the room, its figure above.
void draw_bar(Pen& pen, const Rect& row, std::string_view label, const std::string& figure,
              double share, Paint paint) {
  const TextStyle strong = pen.style(12, ColourRole::kStrong, Weight::kSemibold, Align::kRight);
  const float y = row.y + pen.px(8);
  const float figure_width = pen.width(figure, strong);
  pen.text(row.right(), y, figure, strong);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  pen.text(row.x, y, pen.fitted(label, dim, row.w - figure_width - pen.px(8)), dim);
  const Rect bar{row.x, row.y + pen.px(18), row.w, pen.px(7)};
  pen.canvas.fill_rect(bar, ColourRole::kRaised, 2);
  pen.canvas.fill_rect({bar.x, bar.y, std::max(bar.w * static_cast<float>(share), 2.0f), bar.h},
                       paint, 2);
}

constexpr float kReadableLetters = 24;  // of a source line, beside its figures

// Rows of the table: figures at the right, the source where there is room.
struct Table {
  float line = 0;
  float source = 0;
  float lanes = 0;  // right end
  float share = 0;  // right end
};

}  // namespace

float draw_lane_loss(Pen& pen, const Rect& area, const ViewContext& context,
                     const WarpInSight& sight) {
  const LaneSlots& slots = sight.lanes->slots;
  const BlockLanes& block = context.prepared->lanes->block;
  float y = area.y + pen.px(9);
  pen.source_mark({area.right() - pen.px(5), y}, Source::kEmulated, ColourRole::kDim);
  pen.heading(area.x, y, "LOST LANE SLOTS", fmt::format("of warp {}", sight.warp),
              area.right() - pen.px(16));
  pen.hit({area.right() - pen.px(14), y - pen.px(9), pen.px(14), pen.px(18)}, HitKind::kNone, 0,
          context.study->trace->truncated
              ? std::string("Emulated: counted over the traced part of the block.")
              : std::string("Emulated: counted while the CPU executed the block."));
  y += pen.px(25);
  const bool loses = slots.lost() > 0;
  const TextStyle big =
      pen.style(22, loses ? ColourRole::kExcess : ColourRole::kIdeal, Weight::kSemibold);
  const std::string share = share_text(slots.lost_share());
  pen.text(area.x, y, share, big);
  const TextStyle side = pen.style(12, ColourRole::kDim);
  const float x = area.x + pen.width(share, big) + pen.px(12);
  const std::string of_block = share_text(block.slots.lost_share());
  pen.first_that_fits(
      x, y + pen.px(3),
      {fmt::format("{} of the whole block's slots", of_block), fmt::format("block: {}", of_block)},
      side, area.right() - x);
  y += pen.px(20);

  for (const LossCause& cause : causes_of(slots)) {
    if (y + pen.px(18) > area.bottom()) break;
    const double part = static_cast<double>(cause.slots) / static_cast<double>(slots.total());
    const TextStyle figure = pen.style(12, ColourRole::kText, Weight::kMedium, Align::kRight);
    const std::string percent = share_text(part);
    pen.text(area.right(), y + pen.px(8), percent, figure);
    const TextStyle words = pen.style(12, ColourRole::kText);
    pen.text(area.x, y + pen.px(8),
             pen.fitted(cause.words, words, area.w - pen.width(percent, figure) - pen.px(8)),
             words);
    pen.hit({area.x, y, area.w, pen.px(18)}, HitKind::kNone, 0,
            fmt::format("{} of {} lane slots of warp {} did nothing because {}.",
                        format_count(cause.slots), format_count(slots.total()), sight.warp,
                        cause.meaning));
    y += pen.px(18);
  }
  y += pen.px(8);
  const float row = pen.px(31);
  if (y + 2 * row > area.bottom()) return y - area.y;
  draw_bar(pen, {area.x, y, area.w, row}, "actual warp instructions",
           format_count(slots.instructions), 1, loses ? ColourRole::kExcess : ColourRole::kIdeal);
  y += row;
  const double ideal = static_cast<double>(slots.ideal_instructions()) /
                       static_cast<double>(std::max<std::uint64_t>(slots.instructions, 1));
  draw_bar(pen, {area.x, y, area.w, row}, "ideal: 32 lanes active in each",
           format_count(slots.ideal_instructions()), ideal, ColourRole::kIdeal);
  pen.hit({area.x, y - row, area.w, 2 * row}, HitKind::kNone, 0,
          fmt::format("Warp {} executes {} instructions. With all 32 lanes active in each, the "
                      "same work would take {}.",
                      sight.warp, format_count(slots.instructions),
                      format_count(slots.ideal_instructions())));
  return y + row - area.y;
}

void draw_lane_lines(Pen& pen, const Rect& area, const ViewContext& context) {
  const BlockLanes& block = context.prepared->lanes->block;
  pen.heading(area.x, area.y + pen.px(6), "LINES", "of the block; bars: share of all lost",
              area.right());
  const float pitch = pen.px(20);
  const float head = area.y + pen.px(26);
  const float first = head + pen.px(10);
  std::vector<LineLanes> rows;
  for (const LineLanes& line : block.lines) {
    if (line.slots.lost() > 0 && line.line.line != 0) rows.push_back(line);
  }
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const TextStyle dim_right = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  if (rows.empty()) {
    pen.text(area.x, head, pen.fitted("No line has inactive lanes.", pen.style(12), area.w),
             pen.style(12));
    return;
  }
  auto fitting = static_cast<std::size_t>(std::max((area.bottom() - first) / pitch, 0.0f));
  if (rows.size() > fitting && fitting > 1) --fitting;  // for how many more there are
  const std::size_t shown = std::min(fitting, rows.size());
  const TextStyle mono =
      pen.style(12, ColourRole::kText, Weight::kRegular, Align::kLeft, Font::kMono);
  const TextStyle figure = pen.style(12, ColourRole::kText, Weight::kMedium, Align::kRight);
  Table table;
  table.line = area.x + pen.px(6);
  std::uint32_t last_line = 0;
  for (const LineLanes& row : rows) last_line = std::max(last_line, row.line.line);
  const float number = pen.width(std::to_string(last_line), mono);
  table.source = table.line + std::max(number, pen.width("line", dim)) + pen.px(8);
  table.share = area.right() - pen.px(6);
  table.lanes = table.share - pen.width("100.0 %", figure) - pen.px(14);
  const float lanes_width = pen.width("32.0", figure) + pen.px(10);
  // The lanes say again what is lost: where a line of the source would be cut, its letters matter
  // more.
  const bool has_lanes =
      table.lanes - lanes_width - table.source >= kReadableLetters * pen.width("0", mono);
  const float source_end = has_lanes ? table.lanes - lanes_width : table.lanes;
  pen.text(table.line, head, "line", dim);
  pen.text(table.share, head, "lost", dim_right);
  if (has_lanes) pen.text(table.lanes, head, "lanes", dim_right);
  for (std::size_t i = 0; i < shown; ++i) {
    const LineLanes& row = rows[i];
    const Rect box{area.x, first + pitch * static_cast<float>(i), area.w, pitch};
    if (row.line.line == context.selection.line) {
      pen.canvas.fill_rect(box, ColourRole::kRaised, 4);
    } else if (is_lit(context, row.line.line)) {
      pen.canvas.fill_rect(box, ColourRole::kHover, 4);
    }
    // How much of all that is lost.
    const double of_all =
        static_cast<double>(row.slots.lost()) / static_cast<double>(block.slots.lost());
    const Rect track{box.x, box.bottom() - pen.px(3), box.w, pen.px(2)};
    pen.canvas.fill_rect(track, ColourRole::kRaised, 1);
    pen.canvas.fill_rect(
        {track.x, track.y, std::max(track.w * static_cast<float>(of_all), 1.0f), track.h},
        Paint(ColourRole::kExcess, 0.8f), 1);
    const float y = box.center().y - pen.px(1);
    const double lanes = 32 * (1 - row.slots.lost_share());
    const std::string average = fmt::format("{:.1f}", lanes);
    pen.text(table.line, y, std::to_string(row.line.line), mono);
    pen.text(table.share, y, share_text(row.slots.lost_share()), figure);
    if (has_lanes) pen.text(table.lanes, y, average, figure);
    const std::string code = source_text(*context.prepared, row.line);
    const float room = source_end - table.source;
    if (room > pen.px(50)) {
      pen.text(table.source, y, pen.fitted(code, mono, room), mono);
    }
    pen.hit(box, HitKind::kLine, row.line.line,
            fmt::format(
                "{}Line {}: {} warp instructions with {} active lanes on average; {} of the "
                "block's lost lane slots are lost here{}.",
                code.empty() ? code : code + "\n", row.line.line,
                format_count(row.slots.instructions), average, share_text(of_all),
                row.parted == 0 ? std::string()
                                : ", and the warp diverges here " + counted(row.parted, "time")));
  }
  const float y = first + pitch * static_cast<float>(shown) + pitch / 2;
  if (shown < rows.size() && y + pen.px(6) <= area.bottom()) {
    const std::size_t more = rows.size() - shown;
    pen.text(table.share, y, counted(more, "more line"), dim_right);
  }
}

namespace {

constexpr float kRow = 17;  // px at scale 1
constexpr float kHead = 20;
constexpr float kLeast = 150;  // width of a warp's cell
constexpr int kLevels = 8;

struct Grid {
  std::size_t columns = 1;
  std::size_t rows = 1;
};

// Down, then to the right; as many columns as there is width for, as few as the warps need.
Grid grid_of(const Pen& pen, const Rect& area, std::size_t warps) {
  const auto most = std::max<std::size_t>(static_cast<std::size_t>(area.w / pen.px(kLeast)), 1);
  Grid grid;
  grid.columns = std::clamp<std::size_t>((warps + 3) / 4, 1, most);
  grid.rows = (warps + grid.columns - 1) / grid.columns;
  return grid;
}

// The warp's whole time, darker where more of its lanes do nothing; as long as its share of the
// longest warp's instructions.
void draw_strip(Pen& pen, const Rect& box, const std::vector<LaneColumn>& columns,
                std::size_t longest) {
  if (columns.empty()) return;
  const float per_instruction = box.w / static_cast<float>(longest);
  const auto x_of = [&](std::uint32_t index) {
    return box.x + static_cast<float>(index) * per_instruction;
  };
  pen.canvas.fill_rect({box.x, box.y, x_of(columns.back().end) - box.x, box.h},
                       Paint(ColourRole::kDim, 0.45f), 1);
  const auto level_of = [](const LaneColumn& column) {
    return static_cast<int>(std::ceil(column.slots.lost_share() * kLevels - 0.01));
  };
  for (std::size_t first = 0; first < columns.size();) {
    const int level = level_of(columns[first]);
    std::size_t last = first + 1;
    while (last < columns.size() && level_of(columns[last]) == level) ++last;
    if (level > 0) {
      const float x = x_of(columns[first].begin);
      pen.canvas.fill_rect({x, box.y, x_of(columns[last - 1].end) - x, box.h},
                           Paint(ColourRole::kExcess, static_cast<float>(level) / kLevels));
    }
    first = last;
  }
}

}  // namespace

float warp_strips_height(const Pen& pen, const Rect& area, std::size_t warps) {
  return pen.px(kHead + kRow * static_cast<float>(grid_of(pen, area, warps).rows));
}

void draw_warp_strips(Pen& pen, const Rect& area, const ViewContext& context,
                      const WarpInSight& sight) {
  const LaneModel& model = *context.prepared->lanes;
  const std::vector<WarpLanes>& warps = model.block.warps;
  Grid grid = grid_of(pen, area, warps.size());
  const auto fitting = static_cast<std::size_t>((area.h - pen.px(kHead) + 1) / pen.px(kRow));
  if (fitting == 0) return;
  const std::size_t shown_rows = std::min(grid.rows, fitting);
  // Where not all fit, those around the selected one.
  const std::size_t shown = std::min(shown_rows * grid.columns, warps.size());
  const std::size_t first = std::min<std::size_t>(
      sight.warp - std::min<std::size_t>(sight.warp, shown / 2), warps.size() - shown);
  const std::string which =
      shown == warps.size()
          ? fmt::format("{} of {} diverge; orange: inactive lanes{}", model.block.diverging_warps(),
                        warps.size(), pen.hint("; click to select"))
          : fmt::format("{} to {} of {}; {} diverge", first, first + shown - 1, warps.size(),
                        model.block.diverging_warps());
  pen.heading(area.x, area.y + pen.px(6), "WARPS OF THE BLOCK", which, area.right());
  std::size_t longest = 1;
  for (const WarpLanes& warp : warps) longest = std::max(longest, warp.events.size());
  const float gap = pen.px(14);
  const float width =
      (area.w - gap * static_cast<float>(grid.columns - 1)) / static_cast<float>(grid.columns);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const TextStyle strong = pen.style(11, ColourRole::kStrong, Weight::kSemibold);
  const float label = pen.width(fmt::format("warp {}", warps.size() - 1), strong) + pen.px(8);
  const float figure =
      pen.width("< 0.1 %", pen.style(11, ColourRole::kText, Weight::kMedium)) + pen.px(6);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t w = first + i;
    const WarpLanes& warp = warps[w];
    const Rect cell{area.x + (width + gap) * static_cast<float>(i / shown_rows),
                    area.y + pen.px(kHead) + pen.px(kRow) * static_cast<float>(i % shown_rows),
                    width, pen.px(kRow)};
    const bool selected = w == sight.warp;
    const float y = cell.center().y;
    pen.text(cell.x, y, fmt::format("warp {}", w), selected ? strong : dim);
    const Rect strip{cell.x + label, y - pen.px(4), cell.w - label - figure, pen.px(8)};
    draw_strip(pen, strip, model.columns[w], longest);
    if (selected) pen.outline(strip.inset(-2), ColourRole::kSelection, 1, 2);
    const double lost = warp.slots.lost_share();
    pen.text(cell.right(), y, share_text(lost),
             pen.style(11, lost > 0 ? ColourRole::kText : ColourRole::kDim, Weight::kMedium,
                       Align::kRight));
    const std::string parts = warp.divergences.empty()
                                  ? std::string("no divergence")
                                  : "it diverges " + counted(warp.divergences.size(), "time");
    pen.hit(cell, HitKind::kWarp, static_cast<std::int64_t>(w),
            fmt::format("Warp {}: {} instructions, {}; {} of its lane slots are lost.", w,
                        format_count(warp.slots.instructions), parts, share_text(lost)));
  }
}

namespace {

constexpr const char* kParameter = "WAYS";

// The pieces of the warp's time that a number of ways is made of: what all lanes do together, and
// one way by itself.
struct Pieces {
  double together = 0;  // warp instructions
  double way = 0;       // of one way, the mean of those walked
  double working = 0;   // lane slots, however many ways there are
};

// Of a warp whose lanes part: what lies inside its dearest divergence, by the groups that walk it.
// Of one whose lanes do not: its loops.
Pieces pieces_of(const ViewContext& context, const WarpInSight& sight) {
  const WarpLanes& warp = *sight.lanes;
  Pieces pieces;
  pieces.working = static_cast<double>(warp.slots.working);
  double apart = 0;
  double groups = 1;
  if (!warp.branches.empty()) {
    const Divergence& divergence = warp.divergences[warp.branches.front().worst];
    apart = divergence.end - divergence.begin;
    groups = divergence.groups;
  } else {
    const auto& instructions = context.study->program->instructions();
    for (const std::uint32_t event : warp.events) {
      apart += instructions[context.study->trace->events[event].instruction].loop != 0 ? 1 : 0;
    }
  }
  pieces.way = apart / groups;
  pieces.together = static_cast<double>(warp.slots.instructions) - apart;
  return pieces;
}

double lost_with(const Pieces& pieces, std::int64_t ways) {
  const double instructions = pieces.together + static_cast<double>(ways) * pieces.way;
  return std::clamp(1 - pieces.working / (32 * instructions), 0.0, 1.0);
}

void draw_way(Pen& pen, const Rect& box, std::int64_t ways, bool current, double lost) {
  pen.canvas.fill_rect(box, current ? ColourRole::kHover : ColourRole::kRaised, 6);
  const Paint tone = lost < 0.05   ? Paint(ColourRole::kIdeal)
                     : lost < 0.55 ? Paint(ColourRole::kSecond)
                                   : Paint(ColourRole::kExcess);
  if (current) pen.outline(box, tone, 1.5f, 6);
  const float x = box.x + pen.px(9);
  const float bar_width = pen.px(6);
  const float room = box.w - pen.px(21) - bar_width;
  const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const std::string name = ways == 1 ? fmt::format("{} 1", kParameter) : std::to_string(ways);
  pen.first_that_fits(x, box.y + pen.px(13), {name, std::to_string(ways)}, strong, room);
  pen.first_that_fits(x, box.y + pen.px(31), {share_text(lost) + " lost", share_text(lost)},
                      pen.style(11, tone, Weight::kMedium), room);
  const float height = std::max((box.h - pen.px(14)) * static_cast<float>(lost), 2.0f);
  pen.canvas.fill_rect(
      {box.right() - bar_width - pen.px(7), box.bottom() - pen.px(7) - height, bar_width, height},
      tone, 1.5f);
}

}  // namespace

bool offers_ways(const ViewContext& context, const WarpInSight& sight) {
  return context.study->instance.parameters.contains(kParameter) &&
         pieces_of(context, sight).way > 0;
}

namespace {

// Those that the kernel's parameter may have, or powers of two.
std::vector<std::int64_t> values_of_ways(const ViewContext& context) {
  const CatalogueEntry* entry = context.entry;
  if (entry != nullptr && entry->id == context.study->instance.id) {
    const auto ways = std::ranges::find(entry->parameters, kParameter, &ParameterSpec::name);
    if (ways != entry->parameters.end()) return ways->values;
  }
  return {1, 2, 4, 8, 16, 32};
}

// Of a warp whose GROUP neighbouring lanes take the same way.
std::int64_t paths_of(const ParameterSet& parameters, std::int64_t ways) {
  const auto group = parameters.find("GROUP");
  if (group == parameters.end() || group->second < 1) return ways;
  return std::min(ways, (kWarpSize + group->second - 1) / group->second);
}

}  // namespace

std::vector<WayLoss> ways_of(const ViewContext& context, const WarpInSight& sight) {
  const Pieces pieces = pieces_of(context, sight);
  const std::int64_t now = context.study->instance.parameters.at(kParameter);
  const LaneSlots& slots = sight.lanes->slots;
  std::vector<WayLoss> losses;
  for (const std::int64_t ways : values_of_ways(context)) {
    if (ways == now) {
      losses.push_back({ways, true, static_cast<double>(slots.instructions), slots.lost_share()});
    } else {
      const std::int64_t paths = paths_of(context.study->instance.parameters, ways);
      losses.push_back({ways, false, pieces.together + static_cast<double>(paths) * pieces.way,
                        lost_with(pieces, paths)});
    }
  }
  return losses;
}

void draw_ways(Pen& pen, const Rect& area, const ViewContext& context, const WarpInSight& sight) {
  const std::vector<WayLoss> losses = ways_of(context, sight);
  const float y = area.y + pen.px(4);
  pen.source_mark({area.right() - pen.px(5), y}, Source::kModelled, ColourRole::kDim);
  pen.heading(area.x, y, "WHAT IF",
              fmt::format("modelled: instructions outside the paths + number of paths × one path{}",
                          pen.hint("; click to set")),
              area.right() - pen.px(16));
  const float top = area.y + pen.px(16);
  const float gap = pen.px(8);
  const auto count = static_cast<float>(losses.size());
  const float width = (area.w - gap * (count - 1)) / count;
  const float height = std::min(area.bottom() - top, pen.px(44));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const Rect box{area.x + (width + gap) * static_cast<float>(i), top, width, height};
    const auto& [ways, present, instructions, lost] = losses[i];
    draw_way(pen, box, ways, present, lost);
    Hit hit{.kind = HitKind::kParameter, .value = ways, .name = kParameter};
    hit.tooltip =
        present ? fmt::format("{} = {} (current): {} of the warp's lane slots are lost.",
                              kParameter, ways, share_text(lost))
                : fmt::format(
                      "Modelled: with {} the warp takes about {} instructions and loses "
                      "{} of its lane slots. Click to set {}.",
                      counted(ways, "path"), format_count(static_cast<std::uint64_t>(instructions)),
                      share_text(lost), kParameter);
    pen.canvas.hit(box, std::move(hit));
  }
}

namespace {

using DrawSight = void (*)(Pen& pen, const Rect& area, const ViewContext& context,
                           const WarpInSight& sight);
template <DrawSight kDraw>
void draw_divergence_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  const auto sight = warp_in_sight(context);
  if (!sight) {
    draw_divergence(canvas, area, context);  // says so
    return;
  }
  Pen pen(canvas, context);
  kDraw(pen, area, context, *sight);
}

void draw_loss_alone(Pen& pen, const Rect& area, const ViewContext& context,
                     const WarpInSight& sight) {
  draw_lane_loss(pen, area, context, sight);
}

}  // namespace

std::span<const ViewPart> divergence_parts() {
  static constexpr std::array kParts{ViewPart{"lanes",
                                              "which lanes work at which instruction",
                                              {240, 190},
                                              draw_divergence_part<draw_lane_picture>},
                                     ViewPart{"loss",
                                              "what the idle lanes wait for",
                                              {200, 120},
                                              draw_divergence_part<draw_loss_alone>}};
  return kParts;
}

}  // namespace tilescope
