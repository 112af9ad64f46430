#include "scene/banks/banks_words.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <utility>

#include "core/quantity.h"
#include "scene/banks/banks_scene.h"
#include "scene/model/prepared.h"
#include "scene/view/default_selection.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

std::string subject(const BankFacts& facts) {
  const bool writes = facts.kind == AccessKind::kStore || facts.kind == AccessKind::kAsyncCopy ||
                      facts.kind == AccessKind::kStmatrix;
  const std::string_view verb = facts.kind == AccessKind::kAtomic ? "updates"
                                : writes                          ? "writes"
                                                                  : "reads";
  return facts.line == 0 ? fmt::format("This instruction {}", verb)
                         : fmt::format("Line {} {}", facts.line, verb);
}

std::string wavefronts(int count) { return counted(count, "wavefront"); }

std::string words(const BankFacts& facts, int count) {
  if (facts.bytes_per_lane <= 4) return counted(count, "word");
  return fmt::format("{} × {} B", count, facts.bytes_per_lane);
}

std::string of_array(const BankFacts& facts) {
  return facts.array.empty() ? std::string() : fmt::format(" of {}", facts.array);
}

// "16-byte chunk c of row r is stored at c XOR (r mod 8)": with the rows that the map shows.
std::string swizzle_words(const BankFacts& facts) {
  if (facts.swizzle_bytes == 0) return {};
  const unsigned chunks = facts.swizzle_bytes / 16;
  const std::string row =
      chunks == 8 ? "r mod 8" : fmt::format("r div {} mod {}", 128 / facts.swizzle_bytes, chunks);
  return fmt::format(
      " Its rows are in a {}-byte swizzle: 16-byte chunk c of row r is stored at c XOR ({}).",
      facts.swizzle_bytes, row);
}

std::string apart(const BankFacts& facts, std::int64_t distance) {
  const std::string far =
      distance % 4 == 0 ? fmt::format("{} words", distance / 4) : fmt::format("{} B", distance);
  return fmt::format("{}{}, {} apart", words(facts, facts.shape.distinct), of_array(facts), far);
}

// "a column of tile", "words 2 apart", "32 words side by side" ...
std::string what(const BankFacts& facts) {
  const AccessShape& shape = facts.shape;
  if (facts.walks_column && shape.distinct > 1) {
    return fmt::format("a column{}", facts.array.empty() ? " of the array" : of_array(facts));
  }
  switch (shape.pattern) {
    case LanePattern::kContiguous:
      return fmt::format("{}{} at contiguous addresses", words(facts, shape.distinct),
                         of_array(facts));
    case LanePattern::kStrided:
      return apart(facts, std::llabs(shape.stride_bytes));
    case LanePattern::kApart:
      return apart(facts, shape.run_distance_bytes) +
             (shape.lanes_each > 0 ? fmt::format(", each for {} lanes", shape.lanes_each)
                                   : fmt::format(", for {} lanes", shape.lanes));
    case LanePattern::kRuns:
      if (shape.run_length > 0 && shape.distinct == shape.lanes) {
        return fmt::format("{} runs of {}{}", shape.runs, words(facts, shape.run_length),
                           of_array(facts));
      }
      [[fallthrough]];
    case LanePattern::kShared:
      return fmt::format("{}{} for {} lanes", words(facts, shape.distinct), of_array(facts),
                         shape.lanes);
    default:
      if (facts.reads_one_chunk) {
        return fmt::format("{}{}, chunk {} of each row", words(facts, shape.distinct),
                           of_array(facts), *facts.reads_one_chunk);
      }
      return fmt::format("{}{} at scattered addresses", words(facts, shape.distinct),
                         of_array(facts));
  }
}

// Passes that the width alone asks for.
std::string passes(const BankFacts& facts) {
  const int passes_needed = facts.cost.ideal_wavefronts;
  if (facts.bytes_per_lane <= 4 || passes_needed <= 1) return {};
  const int full = facts.bytes_per_lane / 4;
  if (passes_needed < full) {
    return fmt::format(
        "At {} B per lane, with lanes that share addresses, the warp needs at least {} "
        "wavefronts. ",
        facts.bytes_per_lane, passes_needed);
  }
  return fmt::format("At {} B per lane the warp needs at least {} wavefronts. ",
                     facts.bytes_per_lane, passes_needed);
}

// What the tensor cores read past the lanes.
std::string operand_words(const BankFacts& facts) {
  if (facts.operands.empty()) return {};
  const std::string how = facts.operand_swizzle == 0
                              ? std::string()
                              : fmt::format(" in a {}-byte swizzle", facts.operand_swizzle);
  return fmt::format(" wgmma reads {}{} by descriptors, without wavefronts of lanes.",
                     facts.operands, how);
}

Sentence conflicted(const BankFacts& facts) {
  const WavefrontCost& cost = facts.cost;
  const std::string conflict = cost.ideal_wavefronts == 1
                                   ? fmt::format("a {}-way bank conflict, ", cost.wavefronts)
                                   : std::string("bank conflicts, ");
  const std::string bill = fmt::format("{}{} instead of {}.", conflict, wavefronts(cost.wavefronts),
                                       cost.ideal_wavefronts);
  const std::string start =
      fmt::format("{} {}.{} ", subject(facts), what(facts), swizzle_words(facts));
  if (facts.walks_column && facts.pitch_words > 0) {
    const std::string pitch = fmt::format("Rows are {} words apart, so ", facts.pitch_words);
    if (facts.banks_used == 1) {
      return {{start, false},
              {fmt::format("{}all {} lanes use bank {}: {}", pitch, facts.shape.lanes,
                           facts.busiest_bank, bill),
               true}};
    }
    return {
        {start + passes(facts), false},
        {fmt::format("{}the lanes use {} of 32 banks: {}", pitch, facts.banks_used, bill), true}};
  }
  if (facts.banks_used == 1) {
    return {
        {start + passes(facts), false},
        {fmt::format("All {} lanes use bank {}: {}", facts.shape.lanes, facts.busiest_bank, bill),
         true}};
  }
  return {{start + passes(facts), false},
          {fmt::format("{} lanes use bank {}; {} of 32 banks are used: {}", facts.busiest_lanes,
                       facts.busiest_bank, facts.banks_used, bill),
           true}};
}

// Past the L1 no write of what was read makes a wavefront.
Sentence copied_past_l1(const BankFacts& facts) {
  const std::string start = fmt::format("{} {}. ", subject(facts), what(facts));
  if (facts.cost.wavefronts == 0) {
    return {{start, false}, {"A copy that bypasses L1 needs no wavefront.", true}};
  }
  return {
      {start, false},
      {fmt::format("A copy that bypasses L1 needs no wavefront; only the zero fill of {} takes {}.",
                   counted(facts.copy->zero_lanes, "lane"), wavefronts(facts.cost.wavefronts)),
       true}};
}

Sentence copied_from_lines(const BankFacts& facts) {
  return {{fmt::format("{} {}, copied from {} of 128 B. ", subject(facts), what(facts),
                       counted(facts.copy->source_lines, "line")),
           false},
          {fmt::format("No bank conflict, but the words of each line are written separately: {} "
                       "instead of {}.",
                       wavefronts(facts.cost.wavefronts), facts.cost.ideal_wavefronts),
           true}};
}

Sentence access_sentence(const BankFacts& facts) {
  const AccessShape& shape = facts.shape;
  if (shape.lanes == 0) {
    return {{subject(facts) + " nothing: no lane of this warp is active here.", false}};
  }
  if (facts.copy && facts.copy->past_l1) return copied_past_l1(facts);
  if (facts.cost.conflicts() > 0) {
    return facts.copy && !facts.lanes_meet ? copied_from_lines(facts) : conflicted(facts);
  }
  if (shape.pattern == LanePattern::kSingle) {
    return {{fmt::format("{} {} for one lane. ", subject(facts), words(facts, 1)), false},
            {wavefronts(facts.cost.wavefronts) + ", the same as for a whole warp.", true}};
  }
  if (shape.pattern == LanePattern::kBroadcast) {
    return {
        {fmt::format("{} one word{} for {} lanes. ", subject(facts), of_array(facts), shape.lanes),
         false},
        {fmt::format("Broadcast: {} serve{} them all.", wavefronts(facts.cost.wavefronts),
                     facts.cost.wavefronts == 1 ? "s" : ""),
         true}};
  }
  const std::string start =
      fmt::format("{} {}.{} ", subject(facts), what(facts), swizzle_words(facts));
  const std::string how =
      facts.walks_column && facts.pitch_words > 0 && facts.pitch_words % 32 != 0
          ? fmt::format(
                "Rows are {} words apart, so each lane uses a different bank: no conflict, ",
                facts.pitch_words)
      : shape.distinct < shape.lanes ? std::string("Lanes that use the same word share it: ")
                                     : std::string("No bank conflict: ");
  return {{start + passes(facts), false},
          {how + (facts.cost.wavefronts == 1
                      ? std::string("1 wavefront.")
                      : fmt::format("{}, the minimum.", wavefronts(facts.cost.wavefronts))),
           true}};
}

}  // namespace

Sentence banks_sentence(const BankFacts& facts) {
  Sentence sentence = access_sentence(facts);
  if (std::string words = operand_words(facts); !words.empty())
    sentence.push_back({std::move(words), false});
  return sentence;
}

namespace {

void add_wavefronts(NumberList& list, const SharedRequest& request) {
  for (std::size_t i = 0; i < request.wavefronts.size(); ++i) {
    const Wavefront& wavefront = request.wavefronts[i];
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      list.item(fmt::format("wavefront {} bank {}", i, bank), request.instruction->outermost.line);
      list.add("word of shared memory", wavefront.word[bank]);
      list.add("lanes served", std::popcount(wavefront.lanes[bank]));
      list.add("first lane", std::countr_zero(wavefront.lanes[bank]));
    }
  }
}

void add_layouts(NumberList& list, const LayoutStrip& strip) {
  for (const LayoutAlternative& layout : strip.layouts) {
    if (layout.count != LayoutAlternative::Count::kKnown) continue;
    list.item(layout.name);
    list.source(layout.source);
    list.add("wavefronts", layout.wavefronts);
    if (layout.worst) list.add("wavefronts of the worst access", layout.worst->wavefronts);
  }
}

}  // namespace

void add_bank_numbers(NumberList& list, const ViewContext& context) {
  const auto request = shared_request(context);
  if (!request) return;
  list.part("request");
  list.item("", request->instruction->outermost.line);
  list.add("warp", request->warp);
  list.add("active lanes", request->shape.lanes);
  list.add("bytes per lane", request->access.bytes_per_lane, "B");
  list.add("wavefronts", request->cost.wavefronts);
  list.add("ideal wavefronts", request->cost.ideal_wavefronts);
  list.add("bank conflicts", request->cost.conflicts());
  list.add("banks used", request->banks_used);
  if (request->region != nullptr && request->region->pitch_known) {
    list.add("pitch of a row", request->region->pitch_words, "words");
  }
  list.part("wavefronts");
  add_wavefronts(list, *request);
  const LayoutStrip strip = layouts_of(context, *request);
  list.part("what if", strip.source);
  add_layouts(list, strip);
}

ViewDescriptor banks_view() {
  return {
      .title = "Banks",
      .purpose = "Bank conflicts: the wavefronts of a warp's shared access",
      .least = {240, 210},
      .needs = {.layouts = true},
      .accesses = MemorySpace::kShared,
      .in_panes = true,
      .select = look_at_worst_shared,
      .sentence = banks_sentence,
      .draw = draw_inside<draw_banks>,
      .add_numbers = add_bank_numbers,
      .parts = banks_parts(),
  };
}

}  // namespace tilescope
