#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scene/divergence/divergence_scene.h"

namespace tilescope {
namespace {

constexpr const char* kParameter = "WAYS";
constexpr std::array<std::int64_t, 6> kWays = {1, 2, 4, 8, 16, 32};

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

std::vector<WayLoss> ways_of(const ViewContext& context, const WarpInSight& sight) {
  const Pieces pieces = pieces_of(context, sight);
  const std::int64_t now = context.study->instance.parameters.at(kParameter);
  const LaneSlots& slots = sight.lanes->slots;
  std::vector<WayLoss> losses;
  for (const std::int64_t ways : kWays) {
    if (ways == now) {
      losses.push_back({ways, true, static_cast<double>(slots.instructions), slots.lost_share()});
    } else {
      losses.push_back({ways, false, pieces.together + static_cast<double>(ways) * pieces.way,
                        lost_with(pieces, ways)});
    }
  }
  return losses;
}

void draw_ways(Pen& pen, const Rect& area, const ViewContext& context, const WarpInSight& sight) {
  const std::vector<WayLoss> losses = ways_of(context, sight);
  const float y = area.y + pen.px(4);
  pen.source_mark({area.right() - pen.px(5), y}, Source::kModelled, ColourRole::kDim);
  pen.heading(
      area.x, y, "WHAT IF",
      fmt::format("modelled: this warp's instructions outside the ways, and one way's as often as "
                  "there are ways{}",
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
        present ? fmt::format("{} {} is what runs: {} of the warp's lane slots are lost.",
                              kParameter, ways, share_text(lost))
                : fmt::format(
                      "Modelled: with {} the warp takes about {} instructions and loses "
                      "{} of its lane slots. Click to set {}.",
                      counted(ways, "way"), format_count(static_cast<std::uint64_t>(instructions)),
                      share_text(lost), kParameter);
    pen.canvas.hit(box, std::move(hit));
  }
}

}  // namespace tilescope
