#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scene/divergence/divergence_scene.h"
#include "scene/hovered_line.h"
#include "scene/prepared.h"

namespace tilescope {
namespace {

struct LossCause {
  std::uint64_t slots = 0;
  const char* words;
  const char* meaning;
};

std::vector<LossCause> causes_of(const LaneSlots& slots) {
  std::vector<LossCause> causes = {
      {slots.waiting, "wait for lanes on another path",
       "other lanes of their warp went another way"},
      {slots.predicated, "predicate is false", "their predicate switched them off"},
      {slots.done, "have only to return", "nothing was left for them but to return"},
      {slots.absent, "have no thread", "the block has no thread for them"}};
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

// Rows of the table: figures at the right, the source where there is room.
struct Table {
  float line = 0;
  float source = 0;
  float lanes = 0;  // right end; 0: not shown
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
              ? std::string("Emulated: counted over the part of the block that the trace holds.")
              : std::string("Emulated: counted while the block was executed on the CPU."));
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
  draw_bar(pen, {area.x, y, area.w, row}, "actual, warp instructions",
           format_count(slots.instructions), 1, loses ? ColourRole::kExcess : ColourRole::kIdeal);
  y += row;
  const double ideal = static_cast<double>(slots.ideal_instructions()) /
                       static_cast<double>(std::max<std::uint64_t>(slots.instructions, 1));
  draw_bar(pen, {area.x, y, area.w, row}, "ideal, 32 lanes in each",
           format_count(slots.ideal_instructions()), ideal, ColourRole::kIdeal);
  pen.hit({area.x, y - row, area.w, 2 * row}, HitKind::kNone, 0,
          fmt::format("Warp {} executes {} instructions. With all 32 lanes at work in each, the "
                      "same work takes {}.",
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
    pen.text(area.x, head, pen.fitted("No line loses a lane slot.", pen.style(12), area.w),
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
  table.source = table.line + pen.width("0000", mono) + pen.px(6);
  table.share = area.right() - pen.px(6);
  table.lanes = table.share - pen.width("100.0 %", figure) - pen.px(14);
  pen.text(table.line, head, "line", dim);
  pen.text(table.share, head, "lost", dim_right);
  pen.text(table.lanes, head, "lanes", dim_right);
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
    pen.text(table.lanes, y, average, figure);
    const float room = table.lanes - pen.width("32.0", figure) - pen.px(10) - table.source;
    if (room > pen.px(50)) {
      pen.text(table.source, y, pen.fitted(source_text(*context.prepared, row.line), mono, room),
               mono);
    }
    pen.hit(box, HitKind::kLine, row.line.line,
            fmt::format("Line {}: {} warp instructions with {} lanes at work on average; {} of the "
                        "block's lost lane slots are lost here{}.",
                        row.line.line, format_count(row.slots.instructions), average,
                        share_text(of_all),
                        row.parted == 0 ? std::string()
                                        : ", and lanes part here " + counted(row.parted, "time")));
  }
  const float y = first + pitch * static_cast<float>(shown) + pitch / 2;
  if (shown < rows.size() && y + pen.px(6) <= area.bottom()) {
    const std::size_t more = rows.size() - shown;
    pen.text(table.share, y, counted(more, "more line"), dim_right);
  }
}

}  // namespace tilescope
