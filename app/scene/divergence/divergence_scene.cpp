#include "scene/divergence/divergence_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "scene/divergence/divergence_words.h"
#include "scene/drawing/empty_view.h"
#include "scene/prepared.h"
#include "scene/view.h"

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

void draw_divergence(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto sight = warp_in_sight(context);
  if (!sight) {
    draw_empty(pen, area, "No instruction of this warp is in the trace",
               "Pick another warp, or a block that runs: divergence/switch shows what lanes do.");
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

}  // namespace tilescope
