#include <fmt/format.h>

#include <bit>

#include "scene/divergence/divergence_scene.h"
#include "scene/divergence/divergence_words.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"

namespace tilescope {
namespace {

void add_slots(NumberList& list, const LaneSlots& slots) {
  list.add("warp instructions", slots.instructions);
  list.add("ideal warp instructions", slots.ideal_instructions());
  list.add("lane slots", slots.total());
  list.add("working", slots.working);
  list.add("lost", slots.lost());
  list.add("lost share", 100 * slots.lost_share(), "%");
  list.add("lost to another path", slots.waiting);
  list.add("lost to a false predicate", slots.predicated);
  list.add("lost with only to return", slots.done);
  list.add("lost without a thread", slots.absent);
}

void add_columns(NumberList& list, const WarpInSight& sight) {
  for (const LaneColumn& column : sight.columns) {
    list.item(fmt::format("instructions {} to {}", column.begin + 1, column.end));
    const double count = column.end - column.begin;
    list.add("working lanes", static_cast<double>(column.slots.working) / count);
    list.add("waiting lanes", static_cast<double>(column.slots.waiting) / count);
    list.add("predicated lanes", static_cast<double>(column.slots.predicated) / count);
  }
}

void add_branches(NumberList& list, const ViewContext& context, const WarpLanes& warp) {
  const auto& instructions = context.study->program->instructions();
  for (const DivergentBranch& branch : warp.branches) {
    const std::uint32_t line = instructions[branch.instruction].outermost.line;
    const Divergence& worst = warp.divergences[branch.worst];
    list.item(fmt::format("branch on line {}", line), line);
    list.add("times its lanes part", branch.times);
    list.add("lane slots lost to waiting", branch.waiting);
    list.add("lanes that part", std::popcount(worst.lanes));
    list.add("groups", worst.groups);
    list.add("instructions until together again", worst.end - worst.begin);
    if (worst.most_turns == 0) continue;
    list.add("fewest turns", worst.fewest_turns);
    list.add("most turns", worst.most_turns);
  }
}

void add_lines(NumberList& list, const BlockLanes& block) {
  for (const LineLanes& line : block.lines) {
    if (line.slots.lost() == 0 || line.line.line == 0) continue;
    list.item(fmt::format("line {}", line.line.line), line.line.line);
    list.add("warp instructions", line.slots.instructions);
    list.add("lost", line.slots.lost());
    list.add("lost share", 100 * line.slots.lost_share(), "%");
    list.add("lanes at work", 32 * (1 - line.slots.lost_share()));
    list.add("times lanes part", line.parted);
  }
}

}  // namespace

void add_divergence_numbers(NumberList& list, const ViewContext& context) {
  const auto sight = warp_in_sight(context);
  if (!sight) return;
  const BlockLanes& block = context.prepared->lanes->block;
  list.part("warp");
  list.item(fmt::format("warp {}", sight->warp));
  add_slots(list, sight->lanes->slots);
  list.part("block");
  list.add("warps", block.warps.size());
  list.add("diverging warps", block.diverging_warps());
  add_slots(list, block.slots);
  list.part("lanes over time");
  add_columns(list, *sight);
  list.part("branches");
  add_branches(list, context, *sight->lanes);
  list.part("warps of the block");
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    list.item(fmt::format("warp {}", i));
    list.add("warp instructions", block.warps[i].slots.instructions);
    list.add("lost share", 100 * block.warps[i].slots.lost_share(), "%");
    list.add("times its lanes part", block.warps[i].divergences.size());
  }
  list.part("lines");
  add_lines(list, block);
  if (!offers_ways(context, *sight)) return;
  list.part("what if", Source::kModelled);
  for (const WayLoss& way : ways_of(context, *sight)) {
    list.item(fmt::format("WAYS {}", way.ways));
    list.source(way.present ? Source::kEmulated : Source::kModelled);
    list.add("warp instructions", way.instructions);
    list.add("lost share", 100 * way.lost, "%");
  }
}

}  // namespace tilescope
