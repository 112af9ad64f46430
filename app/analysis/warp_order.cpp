#include "analysis/warp_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/main_loop.h"
#include "analysis/warp_events.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "0, 256" of "bar.sync 0, 256;"
std::string_view operands_of(std::string_view text) {
  const std::size_t space = text.find_first_of(" \t", text.find("bar"));
  return space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
}

// Does one warp learn from what it reads, or from a barrier for some of them, how far another one
// has come?
bool warps_signal(const Program& program, const BlockTrace& trace) {
  std::vector<bool> executed(program.instructions().size(), false);
  for (const TraceEvent& event : trace.events) executed[event.instruction] = true;
  std::string_view barrier;
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (!executed[i]) continue;
    const StaticInstruction& instruction = program.instructions()[i];
    const std::string_view text = instruction.text;
    if (has(text, "mbarrier") || has(text, ".acquire") || has(text, ".volatile") ||
        has(text, ".cas") || has(text, ".arrive")) {
      return true;
    }
    if (!instruction.is_barrier) continue;
    if (!barrier.empty() && operands_of(text) != barrier) return true;
    barrier = operands_of(text);
  }
  return false;
}

// Events of one warp that lie between the same two barriers and in the same step.
struct Stretch {
  std::uint32_t barriers = 0;  // behind it
  std::uint32_t step = 0;      // entries of the main loop behind it
  std::uint32_t warp = 0;
  std::size_t begin = 0;  // of the warp's own events
  std::size_t end = 0;
};

// When the warps come to each barrier, and when they go on after it: indices of events.
struct Meeting {
  std::uint32_t last_arrival = 0;
  std::uint32_t first_after = kLast;
};

class SideBySide {
 public:
  SideBySide(const Program& program, const BlockTrace& trace)
      : program_(program),
        trace_(trace),
        header_(main_loop_header(program, trace)),
        own_(events_by_warp(trace)) {
    for (std::uint32_t warp = 0; warp < own_.size(); ++warp) add_stretches(warp);
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
      take_turns(begin, end, order);
      begin = end;
    }
    return order;
  }

 private:
  static bool same_time(const Stretch& a, const Stretch& b) {
    return a.barriers == b.barriers && a.step == b.step;
  }

  void add_stretches(std::uint32_t warp) {
    const std::vector<std::uint32_t>& own = own_[warp];
    Stretch now{.warp = warp};
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint32_t instruction = trace_.events[own[i]].instruction;
      if (instruction == header_) go_on(now, i, now.barriers, now.step + 1);
      now.end = i + 1;
      if (!program_.instructions()[instruction].is_barrier) continue;
      if (meetings_.size() <= now.barriers) meetings_.resize(now.barriers + std::size_t{1});
      Meeting& meeting = meetings_[now.barriers];
      meeting.last_arrival = std::max(meeting.last_arrival, own[i]);
      if (i + 1 < own.size()) meeting.first_after = std::min(meeting.first_after, own[i + 1]);
      go_on(now, i + 1, now.barriers + 1, now.step);
    }
    if (now.end > now.begin) stretches_.push_back(now);
  }

  void go_on(Stretch& now, std::size_t at, std::uint32_t barriers, std::uint32_t step) {
    if (at > now.begin) stretches_.push_back(now);
    now.begin = now.end = at;
    now.barriers = barriers;
    now.step = step;
  }

  void take_turns(std::size_t begin, std::size_t end, std::vector<std::uint32_t>& order) const {
    bool more = true;
    for (std::size_t turn = 0; more; ++turn) {
      more = false;
      for (std::size_t s = begin; s < end; ++s) {
        const Stretch& stretch = stretches_[s];
        if (stretch.begin + turn >= stretch.end) continue;
        order.push_back(own_[stretch.warp][stretch.begin + turn]);
        more = true;
      }
    }
  }

  const Program& program_;
  const BlockTrace& trace_;
  std::uint32_t header_;
  std::vector<std::vector<std::uint32_t>> own_;  // events of each warp
  std::vector<Stretch> stretches_;
  std::vector<Meeting> meetings_;  // by barrier
};

}  // namespace

void put_warps_side_by_side(const Program& program, BlockTrace* trace) {
  if (warps_signal(program, *trace)) return;
  SideBySide warps(program, *trace);
  if (!warps.all_meet()) return;
  const std::vector<std::uint32_t> order = warps.order();
  trace->events.reorder(order);
  if (trace->operand_reads.empty() && trace->bulk_copies.empty()) return;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (OperandRead& read : trace->operand_reads) {
    if (read.event < place.size()) read.event = place[read.event];
  }
  std::ranges::stable_sort(trace->operand_reads, {}, &OperandRead::event);
  for (BulkCopy& copy : trace->bulk_copies) {
    if (copy.event < place.size()) copy.event = place[copy.event];
  }
  std::ranges::stable_sort(trace->bulk_copies, {}, &BulkCopy::event);
}

}  // namespace tilescope
