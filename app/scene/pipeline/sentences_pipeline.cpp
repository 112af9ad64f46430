#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantity.h"
#include "scene/pipeline/pipeline_words.h"

namespace tilescope {
namespace {

constexpr double kWorthNaming = 0.05;  // of the warps' time

std::string cycles(std::uint32_t count) { return counted(count, "cycle"); }

std::string what_flows(const PipelineFacts& facts) {
  const char* use = facts.multiplies ? "multiply" : "use";  // a verb
  if (facts.tiles == 0) {
    const bool waits =
        facts.stalled[static_cast<std::size_t>(Stall::kLongScoreboard)] >= kWorthNaming;
    return fmt::format(
        "No tile is kept in shared memory: each warp {} the values that it loaded itself. ",
        waits ? "waits for" : "works on");
  }
  if (facts.tiles == 1) {
    return fmt::format("One tile passes through shared memory: {} to bring it, {} to {} it. ",
                       cycles(facts.copy_cycles), cycles(facts.use_cycles), use);
  }
  const char* part = facts.is_async ? "stage" : "buffer";
  if (facts.buffers <= 1) {
    return fmt::format(
        "One {} of shared memory: tile after tile, {} to bring it, then {} to {} it. ", part,
        cycles(facts.copy_cycles), cycles(facts.use_cycles), use);
  }
  const std::string flight = facts.in_flight < 1.05 ? std::string("one copy")
                                                    : fmt::format("{:.1f} copies", facts.in_flight);
  const std::string start = fmt::format("{} {}s keep {} in flight. ", facts.buffers, part, flight);
  const std::uint32_t beside = facts.use_cycles * (facts.buffers - 1);
  const bool hides = facts.stalled[static_cast<std::size_t>(Stall::kLongScoreboard)] < kWorthNaming;
  // Their time ends with the last use: what they wait for the next copy is in it.
  const char* effect = hides                        ? " and hide it"
                       : beside < facts.copy_cycles ? " and cannot hide it"
                                                    : ", their waiting for it included";
  if (facts.buffers == 2) {
    return start + fmt::format("A copy takes {}; {} beside it take {}{}. ",
                               cycles(facts.copy_cycles),
                               facts.multiplies ? "the products" : "the uses",
                               cycles(facts.use_cycles), effect);
  }
  return start + fmt::format("A copy takes {}; the {} {} beside it take {}{}. ",
                             cycles(facts.copy_cycles), facts.buffers - 1,
                             facts.multiplies ? "products" : "uses", cycles(beside), effect);
}

std::string waits_for(Stall stall, const ShortLatencyUnits& units) {
  switch (stall) {
    case Stall::kLongScoreboard:
      return "wait for global memory";
    case Stall::kShortScoreboard:
      return "wait for " + units.words();
    case Stall::kBarrier:
      return "wait for each other";
    case Stall::kMioThrottle:
      return fmt::format("find the queue to {} full", units.words(true));
    case Stall::kLgThrottle:
      return "find the queue to global memory full";
    case Stall::kMathPipeThrottle:
      return "find their arithmetic unit taken";
    case Stall::kBranchResolving:
      return "wait for branches";
    case Stall::kNone:
    case Stall::kWait:
    case Stall::kNotSelected:
      break;
  }
  return "wait for results of their own arithmetic";
}

Stall worst(const PipelineFacts& facts) {
  Stall found = Stall::kNone;
  for (const Stall stall : {Stall::kLongScoreboard, Stall::kShortScoreboard, Stall::kBarrier,
                            Stall::kWait, Stall::kMathPipeThrottle, Stall::kMioThrottle,
                            Stall::kLgThrottle, Stall::kBranchResolving}) {
    if (facts.stalled[static_cast<std::size_t>(stall)] >
        facts.stalled[static_cast<std::size_t>(found)]) {
      found = stall;
    }
  }
  return found;
}

}  // namespace

Sentence pipeline_sentence(const PipelineFacts& facts) {
  const Stall stall = worst(facts);
  const double share = facts.stalled[static_cast<std::size_t>(stall)];
  std::string waits = "Hardly any warp waits.";
  if (stall != Stall::kNone && share >= kWorthNaming) {
    waits =
        fmt::format("The warps {} {} of their time ({}).", waits_for(stall, facts.short_latency),
                    about_percent_words(share), name_of(stall));
  }
  // What holds the kernel is the time model's to say, here as in every other view.
  if (!facts.held_by.empty()) waits += " " + facts.held_by + ".";
  return {{what_flows(facts), false}, {waits, true}};
}

}  // namespace tilescope
