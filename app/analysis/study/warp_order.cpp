#include "analysis/study/warp_order.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/study/timeline.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

// Does a warp learn from it, or tell by it, how far another one has come?
bool signals(const StaticInstruction& instruction) {
  constexpr std::array kWords = {
      Modifier::kAcquire,         Modifier::kVolatile,     Modifier::kCas,     Modifier::kArrive,
      Modifier::kCompleteTxBytes, Modifier::kMbarrierInit, Modifier::kMbarrier};
  return instruction.is(Mnemonic::kMbarrier) ||
         std::ranges::any_of(kWords, [&](Modifier word) { return instruction.has(word); });
}

// Which barrier, for how many threads: "0, 256" of "bar.sync 0, 256;"
struct BarrierName {
  std::array<std::uint64_t, 4> values{};
  std::size_t count = 0;
  friend bool operator==(const BarrierName&, const BarrierName&) = default;
};
BarrierName name_of(const StaticInstruction& barrier) {
  BarrierName name;
  name.count = barrier.operands.size();
  for (std::size_t i = 0; i < std::min(name.count, name.values.size()); ++i) {
    const PtxOperand& operand = barrier.operands[i];
    name.values[i] = operand.kind == OperandKind::kRegister
                         ? ~std::uint64_t{barrier.first_register + operand.index}
                         : operand.bits;
  }
  return name;
}

// Does one warp learn from what it reads, or from a barrier for some of them, how far another one
// has come?
bool warps_signal(const Program& program, const BlockTrace& trace) {
  if (program.is_machine_code()) return false;
  std::vector<bool> executed(program.instructions().size(), false);
  std::vector<bool> seen;  // blocks
  trace.events.for_each_passage([&](const EventList::Passage& passage) {
    if (passage.block != EventList::kSingly) {
      if (seen.size() <= passage.block) seen.resize(passage.block + std::size_t{1}, false);
      if (seen[passage.block]) return;
      seen[passage.block] = true;
    }
    for (const BlockLayouts::Step& step : passage.steps) executed[step.instruction] = true;
  });
  std::optional<BarrierName> barrier;
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (!executed[i]) continue;
    const StaticInstruction& instruction = program.instructions()[i];
    if (signals(instruction)) return true;
    if (!instruction.is_barrier) continue;
    const BarrierName name = name_of(instruction);
    if (barrier && name != *barrier) return true;
    barrier = name;
  }
  return false;
}

// Events begin .. end, neighbours of one warp.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Events of one warp that lie between the same two barriers and in the same step.
struct Stretch {
  std::uint32_t barriers = 0;  // behind it
  std::uint32_t step = 0;      // entries of the main loop behind it
  std::uint32_t warp = 0;
  std::size_t first_piece = 0;  // of the warp's
  std::size_t pieces = 0;
};

// When the warps come to each barrier, and when they go on after it: indices of events.
struct Meeting {
  std::uint32_t last_arrival = 0;
  std::uint32_t first_after = kLast;
};

class SideBySide {
 public:
  SideBySide(const Program& program, const BlockTrace& trace)
      : program_(program), trace_(trace), header_(main_loop_header(program, trace)) {
    trace.events.for_each_passage([this](const EventList::Passage& passage) { add(passage); });
    for (Warp& warp : warps_) begin_stretch(warp);
  }

  // Do all warps meet at each barrier? Not where the lanes of one come to it in turns.
  [[nodiscard]] bool all_meet() const {
    return std::ranges::all_of(meetings_, [](const Meeting& meeting) {
      return meeting.last_arrival < meeting.first_after;
    });
  }

  // The events in their new order, by their index.
  [[nodiscard]] std::vector<std::uint32_t> order() {
    std::ranges::sort(stretches_, {}, [](const Stretch& stretch) {
      return std::tuple(stretch.barriers, stretch.step, stretch.warp);
    });
    std::vector<std::uint32_t> order;
    order.reserve(trace_.events.size());
    for (std::size_t begin = 0; begin < stretches_.size();) {
      std::size_t end = begin + 1;
      while (end < stretches_.size() && same_time(stretches_[begin], stretches_[end])) ++end;
      take_turns(std::span(stretches_).subspan(begin, end - begin), order);
      begin = end;
    }
    return order;
  }

 private:
  struct Warp {
    Stretch now;
    std::vector<Piece> pieces;
    bool leaves_barrier = false;  // with its next event
  };

  static bool same_time(const Stretch& a, const Stretch& b) {
    return a.barriers == b.barriers && a.step == b.step;
  }

  void add(const EventList::Passage& passage) {
    while (warps_.size() <= passage.warp) {
      const auto number = static_cast<std::uint32_t>(warps_.size());
      warps_.push_back({.now = {.warp = number}, .pieces = {}});
    }
    Warp& warp = warps_[passage.warp];
    std::uint32_t done = 0;  // steps
    for (const std::uint32_t at : cuts(passage)) {
      const std::uint32_t instruction = passage.steps[at].instruction;
      if (instruction == header_) {
        extend(warp, {passage.begin + done, passage.begin + at});
        done = at;
        begin_stretch(warp);
        ++warp.now.step;
      }
      if (program_.instructions()[instruction].is_barrier) {
        extend(warp, {passage.begin + done, passage.begin + at + 1});
        done = at + 1;
        come_to_barrier(warp, passage.begin + at);
      }
    }
    extend(warp, {passage.begin + done,
                  passage.begin + static_cast<std::uint32_t>(passage.steps.size())});
  }

  // The steps that enter the main loop or are a barrier.
  std::span<const std::uint32_t> cuts(const EventList::Passage& passage) {
    const auto find = [&](std::vector<std::uint32_t>& found) {
      found.clear();
      for (std::uint32_t i = 0; i < passage.steps.size(); ++i) {
        const std::uint32_t instruction = passage.steps[i].instruction;
        if (instruction == header_ || program_.instructions()[instruction].is_barrier) {
          found.push_back(i);
        }
      }
    };
    if (passage.block == EventList::kSingly) {
      find(single_cuts_);
      return single_cuts_;
    }
    if (block_cuts_.size() <= passage.block) block_cuts_.resize(passage.block + std::size_t{1});
    std::optional<std::vector<std::uint32_t>>& kept = block_cuts_[passage.block];
    if (!kept) find(kept.emplace());
    return *kept;
  }

  void extend(Warp& warp, Piece piece) {
    if (piece.begin == piece.end) return;
    if (warp.leaves_barrier) {
      Meeting& meeting = meetings_[warp.now.barriers - 1];
      meeting.first_after = std::min(meeting.first_after, piece.begin);
      warp.leaves_barrier = false;
    }
    if (warp.now.pieces > 0 && warp.pieces.back().end == piece.begin) {
      warp.pieces.back().end = piece.end;
      return;
    }
    warp.pieces.push_back(piece);
    ++warp.now.pieces;
  }

  void come_to_barrier(Warp& warp, std::uint32_t event) {
    if (meetings_.size() <= warp.now.barriers) {
      meetings_.resize(warp.now.barriers + std::size_t{1});
    }
    Meeting& meeting = meetings_[warp.now.barriers];
    meeting.last_arrival = std::max(meeting.last_arrival, event);
    begin_stretch(warp);
    ++warp.now.barriers;
    warp.leaves_barrier = true;
  }

  void begin_stretch(Warp& warp) {
    if (warp.now.pieces > 0) stretches_.push_back(warp.now);
    warp.now.first_piece = warp.pieces.size();
    warp.now.pieces = 0;
  }

  // An event of each stretch in turn, until all are at their end.
  void take_turns(std::span<const Stretch> stretches, std::vector<std::uint32_t>& order) const {
    struct Way {
      std::span<const Piece> pieces;
      std::uint32_t next = 0;  // event
    };
    std::vector<Way> ways;
    for (const Stretch& stretch : stretches) {
      const std::span<const Piece> pieces =
          std::span(warps_[stretch.warp].pieces).subspan(stretch.first_piece, stretch.pieces);
      ways.push_back({pieces, pieces.front().begin});
    }
    while (!ways.empty()) {
      bool any_ends = false;
      for (Way& way : ways) {
        order.push_back(way.next++);
        if (way.next < way.pieces.front().end) continue;
        way.pieces = way.pieces.subspan(1);
        any_ends |= way.pieces.empty();
        if (!way.pieces.empty()) way.next = way.pieces.front().begin;
      }
      if (any_ends) std::erase_if(ways, [](const Way& way) { return way.pieces.empty(); });
    }
  }

  const Program& program_;
  const BlockTrace& trace_;
  std::uint32_t header_;
  std::vector<Warp> warps_;
  std::vector<Stretch> stretches_;
  std::vector<Meeting> meetings_;                                      // by barrier
  std::vector<std::optional<std::vector<std::uint32_t>>> block_cuts_;  // cuts() of each block
  std::vector<std::uint32_t> single_cuts_;
};

}  // namespace

void put_warps_side_by_side(const Program& program, BlockTrace* trace) {
  if (warps_signal(program, *trace)) return;
  SideBySide warps(program, *trace);
  if (!warps.all_meet()) return;
  const std::vector<std::uint32_t> order = warps.order();
  trace->events.reorder(order);
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  const auto follow = [&place](auto& of_events) {
    for (auto& each : of_events) {
      if (each.event < place.size()) each.event = place[each.event];
    }
    std::ranges::stable_sort(of_events, {}, [](const auto& each) { return each.event; });
  };
  follow(trace->operand_reads);
  follow(trace->bulk_copies);
  follow(trace->mbarrier_uses);
}

}  // namespace tilescope
