#include "scene/divergence/divergence_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/quantity.h"
#include "scene/divergence/divergence_scene.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

// "4,480 warp instructions do the work of 700: 84.4 % of the lane slots are lost."
SentenceRun bill(const DivergenceFacts& facts) {
  const LaneSlots& slots = facts.slots;
  const std::string lost = share_text(slots.lost_share());
  if (slots.ideal_instructions() == slots.instructions) {
    return {fmt::format("{} of its lane slots are lost.", lost), true};
  }
  return {
      fmt::format("{} warp instructions do the work of {}: {} of the lane slots are lost.",
                  format_count(slots.instructions), format_count(slots.ideal_instructions()), lost),
      true};
}

std::string at_line(const DivergenceFacts& facts) {
  return facts.line == 0 ? std::string("At a branch") : fmt::format("At line {}", facts.line);
}

std::string loop_sentence(const DivergenceFacts& facts) {
  const Divergence& worst = facts.worst;
  const std::string where =
      facts.line == 0 ? std::string() : fmt::format(" at line {}", facts.line);
  const std::string times = facts.branch.times == 1
                                ? std::string()
                                : fmt::format(", {} times", format_count(facts.branch.times));
  if (worst.most_turns == 0) {
    return fmt::format(
        "The lanes of warp {} leave the loop{} at different times{}; the warp continues until the "
        "last lane is done. ",
        facts.warp, where, times);
  }
  return fmt::format(
      "The loop{} runs {} to {} iterations in the lanes of warp {}{}; the warp continues until the "
      "last lane is done. ",
      where, format_count(worst.fewest_turns), format_count(worst.most_turns), facts.warp, times);
}

std::string ways_sentence(const DivergenceFacts& facts) {
  const Divergence& worst = facts.worst;
  const bool once = facts.branch.times == 1;
  const std::string times =
      once ? std::string() : fmt::format(", {} times", format_count(facts.branch.times));
  if (worst.paths < 2) {
    return fmt::format("{} some lanes of warp {} take a different path while the others wait{}. ",
                       at_line(facts), facts.warp, times);
  }
  return fmt::format("{} the lanes of warp {} take {} paths, one after another{}. ", at_line(facts),
                     facts.warp, worst.groups, times);
}

std::string other_loss(const DivergenceFacts& facts) {
  const LaneSlots& slots = facts.slots;
  const std::uint64_t most = std::max({slots.predicated, slots.done, slots.absent});
  if (most == slots.absent) {
    return fmt::format("The block has {}, so warp {} has {} of 32 lanes. ",
                       counted(facts.threads, "thread"), facts.warp, facts.lanes);
  }
  if (most == slots.done) {
    return fmt::format("Some lanes of warp {} have finished while the others continue. ",
                       facts.warp);
  }
  return fmt::format("Warp {} does not diverge, but predicates disable some lanes. ", facts.warp);
}

}  // namespace

Sentence divergence_sentence(const DivergenceFacts& facts) {
  const LaneSlots& slots = facts.slots;
  if (slots.instructions == 0) {
    return {{fmt::format("The trace has no instruction of warp {}.", facts.warp), false}};
  }
  // Where lanes part but more is lost otherwise, that comes first.
  const bool parts = facts.branch.times > 0 &&
                     slots.waiting >= std::max({slots.predicated, slots.done, slots.absent});
  if (parts) {
    return {{facts.worst.is_loop ? loop_sentence(facts) : ways_sentence(facts), false},
            bill(facts)};
  }
  if (slots.lost() > 0) return {{other_loss(facts), false}, bill(facts)};
  if (facts.diverging > 0) {
    return {
        {fmt::format("Warp {} does not diverge in its {} instructions. ", facts.warp,
                     format_count(slots.instructions)),
         false},
        {fmt::format("{} of the block's {} warps diverge: {} of the block's lane slots are lost.",
                     facts.diverging, facts.warps, share_text(facts.block_lost)),
         true}};
  }
  return {{fmt::format("Warp {} executes {} instructions, each with all 32 lanes. ", facts.warp,
                       format_count(slots.instructions)),
           false},
          {"No divergence: no lane slot is lost.", true}};
}

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

namespace {

constexpr std::array kDivergenceSettings{
    view_setting<&ViewSettings::lane_window>("lane_window", 0, std::int64_t{1} << 40)};

}  // namespace

ViewDescriptor divergence_view() {
  return {
      .title = "Divergence",
      .purpose = "Which lanes of a warp are active, and which wait",
      .least = {240, 200},
      .in_panes = true,
      .settings = kDivergenceSettings,
      .select = look_at_worst_warp,
      .sentence = divergence_sentence,
      .draw = draw_inside<draw_divergence>,
      .add_numbers = add_divergence_numbers,
      .parts = divergence_parts(),
  };
}

}  // namespace tilescope
