#include "analysis/time/warp_path.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace tilescope {
namespace {

enum class Producer : std::uint8_t { kArithmetic, kGlobal, kShared };

struct Operands {
  std::span<const std::uint32_t> written;  // registers
  std::vector<std::uint32_t> read;
  double latency = 0;
  Producer producer = Producer::kArithmetic;
  bool is_copy = false;       // cp.async
  bool is_commit = false;     // cp.async.commit_group; wait_all, which commits before it waits
  int wait_for_all_but = -1;  // cp.async.wait_group
};

// What the model knows of an instruction before it is executed.
Operands operands_of(const StaticInstruction& instruction, const PathLatencies& latencies) {
  Operands operands;
  operands.read.assign(instruction.reads.begin(), instruction.reads.end());
  if (instruction.operation == Operation::kWarpgroupProduct) {  // hands its sums on inside the unit
    std::erase_if(operands.read, [&](std::uint32_t number) {
      return std::ranges::find(instruction.writes, number) != instruction.writes.end();
    });
  }
  // Waits for copies and mbarriers are waited for in their own way: nobody waits for their result.
  const bool orders = instruction.is_barrier ||
                      instruction.instruction_class == InstructionClass::kControl ||
                      instruction.instruction_class == InstructionClass::kSync;
  if (!orders) operands.written = instruction.writes;
  operands.latency = latencies.arithmetic;
  if (instruction.instruction_class == InstructionClass::kTensor &&
      instruction.access == AccessKind::kNone) {
    operands.latency = latencies.tensor;
  }
  const bool divides = instruction.operation == Operation::kDiv;
  if (divides || (instruction.unit == ExecutionUnit::kSpecial &&
                  instruction.instruction_class == InstructionClass::kFloat)) {
    operands.latency = latencies.special;
  }
  if (instruction.space == MemorySpace::kShared) {
    operands.latency = latencies.shared;
    operands.producer = Producer::kShared;
  }
  if (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kLocal ||
      instruction.space == MemorySpace::kGeneric || instruction.access == AccessKind::kAsyncCopy) {
    operands.latency = latencies.global;
    operands.producer = Producer::kGlobal;
  }
  operands.is_copy = instruction.access == AccessKind::kAsyncCopy;
  const bool waits_for_all = instruction.synchronisation == Synchronisation::kWaitAllCopies;
  operands.is_commit =
      waits_for_all || instruction.synchronisation == Synchronisation::kCommitCopies;
  if (waits_for_all) operands.wait_for_all_but = 0;
  if (instruction.synchronisation == Synchronisation::kWaitCopies) {
    operands.wait_for_all_but = instruction.groups;
  }
  return operands;
}

// When a value is there and whose line it comes from.
struct Ready {
  double at = 0;
  std::uint32_t line = 0;
  Producer producer = Producer::kArithmetic;
};

struct WarpClock {
  std::vector<Ready> registers;
  double block_start = 0;  // of the stretch that is under way, between fences
  double issued = 0;       // instructions of it
  Ready latest;            // start so far
  double now = 0;
  std::uint32_t last_instruction = 0;
  std::size_t barriers = 0;
  bool at_barrier = false;
  double barrier_waits = 0;
  Ready copies;              // of the group that is open
  std::deque<Ready> groups;  // committed
  std::map<std::uint32_t, double> global_waits;
  std::map<std::uint32_t, double> shared_waits;

  void wait_for(const Ready& ready) {
    const double late = ready.at - now;
    if (late <= 0) return;
    if (ready.producer == Producer::kGlobal) global_waits[ready.line] += late;
    if (ready.producer == Producer::kShared) shared_waits[ready.line] += late;
    now = ready.at;
  }
};

class PathWalk {
 public:
  void set_warps(std::uint32_t warps) { block_warps_ = warps; }

  PathWalk(const Program& program, const PathLatencies& latencies)
      : program_(program), latencies_(latencies) {
    for (const StaticInstruction& instruction : program.instructions()) {
      operands_.push_back(operands_of(instruction, latencies));
    }
    registers_ = program.register_count();
  }

  void step(const TraceEvent& event) {
    WarpClock& warp = clock_of(event.warp);
    const StaticInstruction& instruction = program_.instructions()[event.instruction];
    const Operands& operands = operands_[event.instruction];
    if (warp.at_barrier) leave_barrier(warp);
    if (event.instruction <= warp.last_instruction) fence(warp);  // another turn of a loop
    warp.last_instruction = event.instruction;
    warp.issued += 1;
    const double issue = warp.block_start + warp.issued;
    Ready start{issue, 0, Producer::kArithmetic};
    for (const std::uint32_t read : operands.read) {
      if (warp.registers[read].at > start.at) start = warp.registers[read];
    }
    if (operands.is_commit) {
      warp.groups.push_back(warp.copies);
      warp.copies = {};
    }
    if (operands.wait_for_all_but >= 0) {
      while (static_cast<int>(warp.groups.size()) > operands.wait_for_all_but) {
        if (warp.groups.front().at > start.at) start = warp.groups.front();
        warp.groups.pop_front();
      }
    }
    if (start.at > warp.latest.at) warp.latest = start;
    const Ready result{start.at + operands.latency, instruction.outermost.line, operands.producer};
    for (const std::uint32_t written : operands.written) {
      warp.registers[written] = operands.producer == Producer::kArithmetic && start.line != 0
                                    ? Ready{result.at, start.line, start.producer}
                                    : result;
    }
    if (operands.is_copy && result.at > warp.copies.at) warp.copies = result;
    if (instruction.is_barrier || operands.wait_for_all_but >= 0) {
      fence(warp);
    } else if (instruction.instruction_class == InstructionClass::kControl) {
      warp.wait_for(start);  // its predicate
      restart(warp);
    }
    if (instruction.is_barrier) arrive(warp);
  }

  [[nodiscard]] WarpPath result() {
    WarpPath path;
    const WarpClock* longest = nullptr;
    for (auto& [number, warp] : warps_) {
      fence(warp);
      if (longest == nullptr || warp.now > longest->now) longest = &warp;
    }
    if (longest == nullptr) return path;
    path.clocks = longest->now;
    path.global_waits = longest->global_waits;
    path.shared_waits = longest->shared_waits;
    path.barrier_waits = longest->barrier_waits;
    path.barriers = static_cast<int>(longest->barriers);
    path.busy = path.clocks - path.barrier_waits;
    for (const auto* waits : {&path.global_waits, &path.shared_waits}) {
      for (const auto& [line, clocks] : *waits) path.busy -= clocks;
    }
    for (const auto& [line, clocks] : path.global_waits) path.far_waits += clocks;
    return path;
  }

 private:
  WarpClock& clock_of(std::uint16_t number) {
    WarpClock& warp = warps_[number];
    if (warp.registers.empty()) warp.registers.resize(std::max<std::size_t>(registers_, 1));
    return warp;
  }

  // What follows is issued from now on.
  static void restart(WarpClock& warp) {
    warp.now = std::max(warp.now, warp.block_start + warp.issued);
    warp.block_start = warp.now;
    warp.issued = 0;
  }
  // The same, and everything issued so far has started.
  static void fence(WarpClock& warp) {
    warp.now = std::max(warp.now, warp.block_start + warp.issued);
    warp.wait_for(warp.latest);
    restart(warp);
  }

  void arrive(WarpClock& warp) {
    if (arrivals_.size() <= warp.barriers) arrivals_.resize(warp.barriers + 1);
    arrivals_[warp.barriers] = std::max(arrivals_[warp.barriers], warp.now);
    ++warp.barriers;
    warp.at_barrier = true;
  }

  void leave_barrier(WarpClock& warp) {
    const double free =
        arrivals_[warp.barriers - 1] + latencies_.barrier + latencies_.barrier_warp * block_warps_;
    warp.barrier_waits += free - warp.now;
    warp.now = free;
    warp.at_barrier = false;
    warp.block_start = free;
    warp.issued = 0;
  }

  const Program& program_;
  PathLatencies latencies_;
  std::vector<Operands> operands_;
  std::size_t registers_ = 0;
  std::map<std::uint16_t, WarpClock> warps_;
  std::vector<double> arrivals_;
  double block_warps_ = 1;
};

constexpr std::uint32_t kMostWarps = 4;

}  // namespace

void WarpPath::lengthen(double factor) {
  for (double* each : {&clocks, &busy, &far_waits, &barrier_waits}) *each *= factor;
  for (auto* waits : {&global_waits, &shared_waits}) {
    for (auto& [line, each] : *waits) each *= factor;
  }
}

WarpPath path_of(const Program& program, const BlockTrace& trace, const PathLatencies& latencies) {
  PathWalk walk(program, latencies);
  std::uint32_t warps = 0;
  for (const TraceEvent& event : trace.events) warps = std::max(warps, event.warp + 1U);
  walk.set_warps(warps);
  const std::uint32_t stride = std::max(1U, (warps + kMostWarps - 1) / kMostWarps);
  for (const TraceEvent& event : trace.events) {
    if (event.warp % stride == 0) walk.step(event);
  }
  WarpPath path = walk.result();
  if (trace.omitted_events > 0 && !trace.events.empty()) {
    path.lengthen(1 + static_cast<double>(trace.omitted_events) /
                          static_cast<double>(trace.events.size()));
  }
  return path;
}

}  // namespace tilescope
