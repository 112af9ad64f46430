#include "analysis/time/outstanding_loads.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "emulator/machine/listing.h"

namespace tilescope {
namespace {

constexpr int kLoopPasses = 4;  // what is brought in for later passes has come together by then
constexpr int kDeepestRepeated = 2;

// Machine code names the first register of several: outside brackets each name stands for `width`.
void append_registers(const machine::Operand& operand, int width, std::vector<std::uint32_t>& out) {
  const bool is_address = operand.kind == machine::OperandKind::kAddress ||
                          operand.kind == machine::OperandKind::kConstant;
  if (operand.index == machine::kZeroRegister ||
      (operand.kind != machine::OperandKind::kRegister && !is_address)) {
    return;
  }
  for (int i = 0; i < (is_address ? 1 : width); ++i) {
    out.push_back(operand.index + static_cast<std::uint32_t>(i));
  }
}

// What an instruction means to the loads that are under way.
struct Step {
  enum class Kind { kOther, kLoad, kAsyncCopy, kCommit, kWaitGroups, kWaitAll };
  Kind kind = Kind::kOther;
  int groups = 0;                      // kWaitGroups: that may stay under way
  double bytes = 0;                    // loads
  std::vector<std::uint32_t> results;  // kLoad
  std::vector<std::uint32_t> names;    // every register of it
};

Step::Kind synchronisation_of(const StaticInstruction& instruction) {
  switch (instruction.synchronisation) {
    case Synchronisation::kCommitCopies:
      return Step::Kind::kCommit;
    case Synchronisation::kWaitCopies:
      return Step::Kind::kWaitGroups;
    case Synchronisation::kWaitAllCopies:
    case Synchronisation::kWaitMbarrier:
      return Step::Kind::kWaitAll;
    default:
      return Step::Kind::kOther;
  }
}

class Walk {
 public:
  Walk(const Program& program, const LaunchCounters& counters)
      : program_(program), counters_(counters) {
    for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
      steps_.push_back(step_of(i));
    }
    find_loops();
  }

  OutstandingLoads run() {
    pass(0, static_cast<std::uint32_t>(steps_.size()), 0, 1);
    most_.as_issued = program_.is_machine_code();
    return most_;
  }

 private:
  struct Range {
    std::uint32_t first = 0xffffffff;
    std::uint32_t end = 0;
  };
  struct Pending {
    double bytes = 0;
    bool asynchronous = false;
    int group = 0;                                        // of an asynchronous one
    const std::vector<std::uint32_t>* results = nullptr;  // of another
  };

  Step step_of(std::uint32_t index) const {
    const StaticInstruction& instruction = program_.instructions()[index];
    Step step;
    name_registers(instruction, &step);
    const AccessCounters& cost = counters_.by_instruction[index];
    if (instruction.access == AccessKind::kLoad && cost.global_requests > 0) {
      step.kind = Step::Kind::kLoad;
    } else if (instruction.access == AccessKind::kAsyncCopy) {
      step.kind = Step::Kind::kAsyncCopy;
    } else {
      step.kind = synchronisation_of(instruction);
      step.groups = instruction.groups;
    }
    if (cost.requests > 0) {
      step.bytes = static_cast<double>(cost.distinct_bytes) / static_cast<double>(cost.requests);
    }
    return step;
  }

  static void name_registers(const StaticInstruction& instruction, Step* step) {
    if (instruction.issued == nullptr) {
      if (!instruction.counts) return;
      step->results.assign(instruction.writes.begin(), instruction.writes.end());
      step->names.assign(instruction.reads.begin(), instruction.reads.end());
      step->names.insert(step->names.end(), step->results.begin(), step->results.end());
      return;
    }
    const int width = std::max(instruction.bytes_per_lane / 4, 1);
    const bool store = instruction.access == AccessKind::kStore;
    const std::vector<machine::Operand>& operands = instruction.issued->operands;
    for (const machine::Operand& operand : operands) {
      append_registers(operand, store ? width : 1, step->names);
    }
    if (instruction.access != AccessKind::kLoad) return;
    for (const machine::Operand& operand : operands) {
      if (operand.kind == machine::OperandKind::kAddress) break;
      append_registers(operand, width, step->results);
    }
  }

  void find_loops() {
    const std::vector<Loop>& loops = program_.loops();
    ranges_.resize(loops.size());
    for (std::uint32_t i = 0; i < program_.instructions().size(); ++i) {
      for (std::uint16_t loop = program_.instructions()[i].loop; loop != 0;
           loop = loops[loop - 1u].parent) {
        Range& range = ranges_[loop - 1u];
        range.first = std::min(range.first, i);
        range.end = i + 1;
      }
    }
  }

  // The loop directly inside `outer` (0: none) that holds instruction `index`; 0: none does.
  [[nodiscard]] std::uint16_t loop_inside(std::uint16_t outer, std::uint32_t index) const {
    std::uint16_t loop = program_.instructions()[index].loop;
    while (loop != 0 && program_.loops()[loop - 1u].parent != outer) {
      loop = program_.loops()[loop - 1u].parent;
    }
    return loop;
  }

  void pass(std::uint32_t first, std::uint32_t end, std::uint16_t outer, int depth) {
    for (std::uint32_t i = first; i < end;) {
      const std::uint16_t loop = loop_inside(outer, i);
      if (loop == 0 || loop == outer || ranges_[loop - 1u].first != i) {
        execute(i++);
        continue;
      }
      const Range range = ranges_[loop - 1u];
      const int passes = depth <= kDeepestRepeated ? kLoopPasses : 1;
      for (int n = 0; n < passes; ++n) pass(range.first, range.end, loop, depth + 1);
      i = range.end;
    }
  }

  void execute(std::uint32_t index) {
    if (counters_.executed.warps[index] == 0) return;
    const Step& step = steps_[index];
    wait_for(step.names);
    switch (step.kind) {
      case Step::Kind::kOther:
        break;
      case Step::Kind::kLoad:
        pending_.push_back({step.bytes, false, 0, &step.results});
        note(index);
        break;
      case Step::Kind::kAsyncCopy:
        pending_.push_back({step.bytes, true, group_, nullptr});
        note(index);
        break;
      case Step::Kind::kCommit:
        ++group_;
        break;
      case Step::Kind::kWaitGroups:
        drop_groups(group_ - step.groups);
        break;
      case Step::Kind::kWaitAll:
        drop_groups(group_ + 1);
        break;
    }
  }

  // A register is read: the load that brings it has arrived, and so have those before it.
  void wait_for(const std::vector<std::uint32_t>& names) {
    const auto brings_one = [&names](const Pending& load) {
      return load.results != nullptr && std::ranges::any_of(names, [&load](std::uint32_t name) {
               return std::ranges::find(*load.results, name) != load.results->end();
             });
    };
    const auto last = std::find_if(pending_.rbegin(), pending_.rend(), brings_one).base();
    pending_.erase(std::remove_if(pending_.begin(), last,
                                  [](const Pending& load) { return !load.asynchronous; }),
                   last);
  }

  void drop_groups(int before) {
    std::erase_if(pending_, [before](const Pending& load) {
      return load.asynchronous && load.group < before;
    });
  }

  void note(std::uint32_t index) {
    double bytes = 0;
    bool asynchronous = false;
    for (const Pending& load : pending_) {
      bytes += load.bytes;
      asynchronous = asynchronous || load.asynchronous;
    }
    if (bytes <= most_.bytes) return;
    most_.bytes = bytes;
    most_.loads = static_cast<int>(pending_.size());
    most_.line = program_.instructions()[index].outermost.line;
    most_.asynchronous = asynchronous;
  }

  const Program& program_;
  const LaunchCounters& counters_;
  std::vector<Step> steps_;
  std::vector<Range> ranges_;  // of the loops
  std::deque<Pending> pending_;
  int group_ = 0;
  OutstandingLoads most_;
};

}  // namespace

OutstandingLoads outstanding_loads(const Program& program, const LaunchCounters& counters) {
  return Walk(program, counters).run();
}

}  // namespace tilescope
