#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "scene/prepared.h"
#include "scene/tiling/element_frame.h"
#include "scene/tiling/move_arrangement.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostAccesses = 96;  // of the selected warp, the latest

// What the selected warp touched of this part so far, access by access, in its lanes' colours.
void draw_touches(Pen& pen, const ElementFrame& frame, const MovePart& part,
                  const ViewContext& context, const TilingMoment& moment) {
  const auto& warps = context.prepared->warps;
  if (moment.warp >= warps.size()) return;
  const bool shared = part.shared != nullptr;
  const std::vector<std::uint32_t>& events =
      shared ? warps[moment.warp].shared : warps[moment.warp].global;
  const auto end = std::upper_bound(events.begin(), events.end(), moment.event);
  const auto count = std::min<std::ptrdiff_t>(end - events.begin(), kMostAccesses);
  struct Touch {
    ElementBox box;  // as drawn
    int lane;
  };
  std::vector<Touch> touches;
  // Elements have numbers where those fit: all or none, as lanes that show only the short ones
  // would look empty.
  const ElementBox extent = part.extent();
  const float widest = pen.width("30", pen.style(11, ColourRole::kText, Weight::kMedium));
  const bool numbered = frame.place({extent.row, extent.col, 1, 1}).h >= pen.px(14);
  std::vector<std::size_t> latest(numbered ? extent.rows * extent.cols : 0);  // touch, by element
  const auto element = [&](const ElementBox& box, std::uint64_t col) -> std::size_t& {
    return latest[(box.row - extent.row) * extent.cols + box.col + col - extent.col];
  };
  for (auto it = end - count; it != end; ++it) {
    const WarpAccess access = access_to(part, *context.study->trace, *it);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const auto box = touched(part, access, lane);
      if (!box) continue;
      const ElementBox drawn = part.drawn(*box);
      const std::uint64_t within = std::min(drawn.cols, extent.col + extent.cols - drawn.col);
      for (std::uint64_t c = 0; numbered && c < within; ++c) element(drawn, c) = touches.size();
      touches.push_back({drawn, static_cast<int>(lane)});
    }
  }
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const auto& [box, lane] = touches[i];
    Rect rect = frame.place(box);
    rect.w = std::min(rect.w, frame.box.right() - rect.x);
    if (rect.w > 4 && rect.h > 4) rect = rect.inset(0.5f);
    const Paint paint = lane == moment.lane ? Paint(ColourRole::kSelection) : Paint::lane(lane);
    pen.canvas.fill_rect(rect, paint);
    if (!numbered || rect.w < widest) continue;
    const std::uint64_t within = std::min(box.cols, extent.col + extent.cols - box.col);
    bool covered = false;  // by what came later
    for (std::uint64_t c = 0; c < within; ++c) covered = covered || element(box, c) != i;
    if (covered) continue;
    pen.text(rect.center().x, rect.center().y, std::to_string(lane),
             pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter));
  }
}

std::string title_of(const MovePart& part) {
  if (part.shared != nullptr) {
    return part.shared->declaration.empty() ? part.shared->name : part.shared->declaration;
  }
  const MatrixView& view = part.matrix->view;
  if (!view.folded) return fmt::format("{} {} × {}", view.name, part.box.rows, part.box.cols);
  const std::uint64_t first = part.box.col;
  return part.box.cols == 1 ? fmt::format("{}[{}]", view.name, first)
                            : fmt::format("{}[{}…{}]", view.name, first, first + part.box.cols - 1);
}

void draw_arrow(Pen& pen, Point from, float length, bool down) {
  const float head = pen.px(4);
  const Point tip = down ? Point{from.x, from.y + length} : Point{from.x + length, from.y};
  pen.canvas.line(from, tip, ColourRole::kDim, 1.5f);
  const std::array<Point, 3> arrow = {
      Point{tip.x - head, tip.y - head}, tip,
      down ? Point{tip.x + head, tip.y - head} : Point{tip.x - head, tip.y + head}};
  pen.canvas.polyline(arrow, ColourRole::kDim, 1.5f);
}

void draw_part(Pen& pen, const ElementFrame& frame, const MovePart& part, float title_room,
               const ViewContext& context, const TilingMoment& moment) {
  const ColourRole colour = part.shared != nullptr ? ColourRole::kSecond : part.matrix->view.colour;
  pen.canvas.fill_rect(frame.box, Paint(colour, 0.14f));
  if (part.line != 0 && part.box.cols % part.line != 0) {  // the last line ends early
    const std::uint64_t last = part.box.cols % part.line;
    pen.canvas.hatch_rect(frame.place({part.rows() - 1, last, 1, part.line - last}),
                          ColourRole::kDim, 4);
  }
  if (part.line == 0 && part.shared != nullptr &&
      part.shared->used_words < part.shared->pitch_words) {
    const Rect pad = frame.place({0, part.shared->used_words, part.box.rows,
                                  part.shared->pitch_words - part.shared->used_words});
    pen.canvas.hatch_rect(pad, ColourRole::kDim, 4);
  }
  draw_touches(pen, frame, part, context, moment);
  pen.outline(frame.box, Paint(colour, 0.9f), 1.5f);
  const TextStyle style = pen.style(12, colour, Weight::kSemibold);
  pen.text(frame.box.x, frame.box.y - pen.px(10), pen.fitted(title_of(part), style, title_room),
           style);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  std::string words = part.shared != nullptr ? "shared memory" : part.written ? "stored" : "read";
  const std::string lines =
      part.line == 0 ? words : fmt::format("{}, {} elements a row here", words, part.line);
  pen.first_that_fits(frame.box.x, frame.box.bottom() + pen.px(11), {lines, words}, dim,
                      title_room);
  pen.hit(
      frame.box, HitKind::kNone, 0,
      part.shared != nullptr
          ? fmt::format("{} in shared memory; bright: what warp {} has touched so far.",
                        title_of(part), moment.warp)
          : fmt::format("The block {} this part of {}; bright: what warp {} has touched so far.",
                        part.written ? "stores" : "reads", part.matrix->view.name, moment.warp));
}

}  // namespace

BlockPicture draw_moves(Pen& pen, const Rect& area, const ViewContext& context,
                        const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  std::vector<MovePart> parts = move_parts(model, *context.prepared);
  BlockPicture picture;
  if (parts.empty()) return picture;
  for (MovePart& part : parts) break_row(part, context, moment.warp);
  float titles = 0;  // no part is narrower than what stands above it, up to some width
  for (const MovePart& part : parts) {
    titles = std::max(
        titles, pen.width(title_of(part), pen.style(12, ColourRole::kText, Weight::kSemibold)));
  }
  const MoveRoom room{.area = area,
                      .label = pen.px(20),
                      .gap = pen.px(30),
                      .least = pen.px(24),
                      .least_wide = std::min(titles, pen.px(90)),
                      .most = pen.px(24)};
  const MoveArrangement arrangement = best_arrangement(parts, room);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MovePart& part = parts[i];
    const Rect& box = arrangement.boxes[i];
    const ElementFrame frame{box, part.extent()};
    const bool beside = i + 1 < parts.size() && !arrangement.is_below(i + 1);
    const float title_room =
        (beside ? arrangement.boxes[i + 1].x - pen.px(8) : area.right()) - box.x;
    draw_part(pen, frame, part, title_room, context, moment);
    const bool follows = part.shared != nullptr || part.written;  // no arrow between two inputs
    if (arrangement.is_below(i) && follows) {
      draw_arrow(pen, {box.x + box.w / 2, box.y - room.label - room.gap + pen.px(2)},
                 room.gap - pen.px(6), true);
    } else if (i > 0 && follows) {
      const float h = std::min(box.h, arrangement.boxes[i - 1].h);
      draw_arrow(pen, {box.x - room.gap + pen.px(6), box.y + h / 2}, room.gap - pen.px(12), false);
    }
    if (const auto place = moment.travel ? travels_in(part, context, moment) : std::nullopt) {
      (part.shared != nullptr ? picture.shared : picture.global) = frame.place(*place);
    }
    if (i == 0) picture.from_grid = box;
    const bool output =
        part.written && model.output && &model.matrices[*model.output] == part.matrix;
    if (output && !moment.lane_rects.empty())
      picture.thread = frame.place(part.drawn(part.placed(moment.lane_rects[0].box)));
  }
  return picture;
}

}  // namespace tilescope
