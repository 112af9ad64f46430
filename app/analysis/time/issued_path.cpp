#include "analysis/time/issued_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/memory/coalescing.h"
#include "emulator/machine/listing.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kFollowedWarps = 4;
constexpr std::uint16_t kSeveralWarps = 0xffff;
constexpr std::uint32_t kInstructionBytes = 16;

// Clocks for which a warp waits for each instruction of loops whose code has so many bytes.
// Measured on an H100 (2026-11-28): unrolled FMA take 1.03 clocks each up to 32 KB, 2.26 from 64 to
// 128 KB and 5.7 from 192 KB on, with one warp a scheduler.
double fetch_clocks(std::size_t loop_bytes) {
  constexpr std::size_t kFirstCache = std::size_t{32} << 10U;
  constexpr std::size_t kSecondCache = std::size_t{128} << 10U;
  return loop_bytes > kSecondCache ? 5.7 : loop_bytes > kFirstCache ? 2.26 : 1;
}

enum class Supplier : std::uint8_t { kArithmetic, kL1, kFar, kShared };

// When a value is there and whose line it comes from.
struct Awaited {
  double at = 0;
  std::uint32_t line = 0;
  Supplier supplier = Supplier::kArithmetic;
};

// A warp's share of the L1: it keeps the lines that the warp loaded last. Warps do not keep in
// step, so that some lines go after 0.7 of the share has been loaded and some only after 1.6. On an
// H100 (2026-11-27, ncu) warps that read their rows again and again found 97 to 100 % of them there
// when all rows took half of the L1, 79 to 100 % at 0.75 to 0.9, 54 to 85 % at 1 to 1.2, 0 to 22 %
// at 1.6 to 1.8, and none at 2.
class L1Share {
 public:
  // Whether the line of this sector is still there; it is from now on.
  bool keep(std::uint64_t sector, std::uint64_t capacity) {
    constexpr std::uint64_t kSectorsOfLine = kLineBytes / kSectorBytes;
    const std::uint64_t line = sector / kSectorsOfLine;
    const auto [filled, is_new] = filled_.try_emplace(line, count_);
    if (!is_new && static_cast<double>(count_ - filled->second) <
                       static_cast<double>(capacity) * life_of(line)) {
      return true;
    }
    filled->second = count_++;
    return false;
  }

 private:
  // How many lines, in shares of the L1, can be loaded after this one before it is gone: spread
  // evenly over the lines.
  static double life_of(std::uint64_t line) {
    constexpr double kShortest = 0.7;
    constexpr double kLongest = 1.6;
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double turn = static_cast<double>(line) * kGoldenRatio;
    return kShortest + (kLongest - kShortest) * (turn - std::floor(turn));
  }

  std::unordered_map<std::uint64_t, std::uint64_t> filled_;
  std::uint64_t count_ = 0;
};

struct IssuingWarp {
  std::vector<Awaited> registers;
  std::array<double, kPipeCount> pipe_free{};
  double now = 0;  // the earliest clock of its next issue
  bool at_barrier = false;
  std::size_t barriers = 0;
  Awaited copies;              // of the group that is open
  std::deque<Awaited> groups;  // committed
  double products = 0;         // end of the wgmma since the last commit
  std::deque<double> product_groups;
  std::unordered_set<std::uint64_t> loaded;  // sectors
  L1Share l1;
  double first_loads = 0;  // of a sector
  double evicted = 0;      // loads of one that it had
  WarpPath path;

  void wait_for(const Awaited& value) {
    const double late = value.at - now;
    if (late <= 0) return;
    if (value.supplier == Supplier::kArithmetic) path.busy += late;
    if (value.supplier == Supplier::kShared) path.shared_waits[value.line] += late;
    if (value.supplier == Supplier::kL1 || value.supplier == Supplier::kFar) {
      path.global_waits[value.line] += late;
    }
    if (value.supplier == Supplier::kFar) path.far_waits += late;
    now = value.at;
  }
};

bool uses_l1(const StaticInstruction& instruction) {
  const bool loads =
      instruction.access == AccessKind::kLoad || instruction.access == AccessKind::kAsyncCopy;
  return loads && instruction.variant != AccessVariant::kBypass;
}

// Calls visit(sector) for each sector that the access touches; whether all returned true.
template <typename Visit>
bool all_sectors(const WarpAccess& access, const Visit& visit) {
  bool all = true;
  std::uint64_t before = ~std::uint64_t{0};
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t sector = access.address[lane] / kSectorBytes;
    if ((access.active >> lane & 1U) == 0 || sector == before) continue;
    before = sector;
    all = visit(sector) && all;
  }
  return all;
}

class IssuedWalk {
 public:
  IssuedWalk(const IssuedCode& code, const BlockTrace& trace, const PathLatencies& latencies)
      : code_(code),
        trace_(trace),
        latencies_(latencies),
        l1_lines_(static_cast<std::uint64_t>(std::max(code.l1_lines, 1.0))) {
    std::vector<std::uint32_t> times(code.program.instructions().size());
    for (const TraceEvent& event : trace.events) {
      note(event);
      if (event.warp == 0) ++times[event.instruction];
    }
    constexpr std::uint32_t kTurns = 3;  // from here on it is a loop's
    const auto again =
        std::ranges::count_if(times, [](std::uint32_t each) { return each >= kTurns; });
    fetch_clocks_ = fetch_clocks(static_cast<std::size_t>(again) * kInstructionBytes);
  }

  WarpPath run() {
    const std::uint32_t stride = std::max(1U, (warps_ + kFollowedWarps - 1) / kFollowedWarps);
    passed_.resize(warps_);
    for (const TraceEvent& event : trace_.events) {
      if (event.warp % stride == 0) {
        follow(event);
      } else {
        pass(event);
      }
    }
    return result();
  }

 private:
  [[nodiscard]] const StaticInstruction& instruction_of(const TraceEvent& event) const {
    return code_.program.instructions()[event.instruction];
  }
  [[nodiscard]] bool loads_through_l1(const TraceEvent& event) const {
    return event.access != kNoAccess && uses_l1(instruction_of(event)) &&
           trace_.access(event.access).space == MemorySpace::kGlobal;
  }

  // Who loads what, before any is followed.
  void note(const TraceEvent& event) {
    warps_ = std::max(warps_, event.warp + 1U);
    meets_ = meets_ || instruction_of(event).is_barrier;
    if (!loads_through_l1(event)) return;
    all_sectors(trace_.access(event.access), [&](std::uint64_t sector) {
      const auto [at, is_new] = loaded_by_.try_emplace(sector, event.warp);
      if (!is_new && at->second != event.warp) at->second = kSeveralWarps;
      return true;
    });
  }
  [[nodiscard]] bool is_shared(std::uint64_t sector) const {
    const auto found = loaded_by_.find(sector);
    return found != loaded_by_.end() && found->second == kSeveralWarps;
  }

  // A warp that is not followed loads for the others.
  void pass(const TraceEvent& event) {
    if (instruction_of(event).is_barrier) ++passed_[event.warp];
    if (!loads_through_l1(event)) return;
    all_sectors(trace_.access(event.access), [&](std::uint64_t sector) {
      loaded_.try_emplace(sector, passed_[event.warp]);
      return true;
    });
  }

  void follow(const TraceEvent& event) {
    const StaticInstruction& instruction = instruction_of(event);
    IssuingWarp& warp = following_[event.warp];
    if (warp.registers.empty()) {
      warp.registers.resize(std::max<std::size_t>(code_.program.register_count(), 1));
    }
    if (warp.at_barrier) leave_barrier(warp);
    const InstructionCost& cost = code_.costs[event.instruction];
    const Awaited operands = operands_of(warp, instruction, cost);
    if (cost.effect == TimingEffect::kFree) {
      for (const std::uint32_t r : instruction.writes) warp.registers[r] = operands;
      return;
    }
    warp.wait_for(operands);
    wait_for_groups(warp, cost);
    double& pipe = warp.pipe_free[static_cast<std::size_t>(cost.pipe)];
    if (cost.pipe != Pipe::kNone) warp.wait_for({pipe, 0, Supplier::kArithmetic});
    const double issue = warp.now;
    pipe = issue + cost.unit_clocks(code_.port_clocks);
    const std::size_t place =
        instruction.issued == nullptr ? 0 : instruction.issued->address / kInstructionBytes;
    const double stall =
        std::max(place < code_.stalls.size() ? static_cast<double>(code_.stalls[place]) : 1.0,
                 fetch_clocks_);
    warp.now += stall;
    warp.path.busy += stall;
    execute(warp, event, cost, issue);
  }

  static Awaited operands_of(const IssuingWarp& warp, const StaticInstruction& instruction,
                             const InstructionCost& cost) {
    // A product hands its sums on inside the unit.
    const bool is_product = instruction.operation == Operation::kWarpgroupProduct;
    Awaited latest;
    for (const std::uint32_t r : instruction.reads) {
      if (is_product && std::ranges::find(instruction.writes, r) != instruction.writes.end()) {
        continue;
      }
      if (warp.registers[r].at > latest.at) latest = warp.registers[r];
    }
    if (cost.effect == TimingEffect::kFree || is_product) return latest;
    for (const std::uint32_t r : instruction.writes) {
      if (warp.registers[r].at > latest.at) latest = warp.registers[r];
    }
    return latest;
  }

  void execute(IssuingWarp& warp, const TraceEvent& event, const InstructionCost& cost,
               double issue) {
    const StaticInstruction& instruction = instruction_of(event);
    Awaited result{issue + static_cast<double>(cost.latency), instruction.outermost.line,
                   Supplier::kArithmetic};
    if (event.access != kNoAccess && instruction.access != AccessKind::kNone) {
      result = access(warp, instruction, trace_.access(event.access), issue);
      if (instruction.access == AccessKind::kAsyncCopy && result.at > warp.copies.at) {
        warp.copies = result;
      }
    }
    if (instruction.operation == Operation::kWarpgroupProduct) {
      result.at = warp.pipe_free[static_cast<std::size_t>(Pipe::kTensor)] +
                  static_cast<double>(cost.latency);
      warp.products = std::max(warp.products, result.at);
    }
    if (cost.ends_products) {
      warp.product_groups.push_back(warp.products);
      warp.products = 0;
    }
    if (cost.effect == TimingEffect::kCommitGroup) warp.groups.push_back(warp.copies);
    if (cost.effect == TimingEffect::kCommitGroup || cost.effect == TimingEffect::kWaitAll) {
      warp.copies = {};
    }
    if (cost.effect == TimingEffect::kBranch) {
      warp.wait_for({issue + static_cast<double>(cost.latency), 0, Supplier::kArithmetic});
    }
    for (const std::uint32_t r : instruction.writes) warp.registers[r] = result;
    if (instruction.is_barrier) arrive(warp);
  }

  Awaited access(IssuingWarp& warp, const StaticInstruction& instruction, const WarpAccess& access,
                 double issue) {
    const std::uint32_t line = instruction.outermost.line;
    if (access.space == MemorySpace::kShared) {
      const int wavefronts = wavefront_cost(access, instruction.variant).wavefronts;
      return {issue + latencies_.shared + std::max(wavefronts - 1, 0), line, Supplier::kShared};
    }
    if (access.space == MemorySpace::kLocal) return {issue + latencies_.l1, line, Supplier::kL1};
    if (instruction.access == AccessKind::kStore) {
      all_sectors(access, [&](std::uint64_t sector) { return warp.l1.keep(sector, l1_lines_); });
    }
    const int lines = sector_cost(access).lines;
    const double passes = std::max({lines, access.bytes_per_lane / 4, 1}) - 1;
    const double latency = latency_of(warp, instruction, access);
    return {issue + passes + latency, line,
            latency > latencies_.l1 ? Supplier::kFar : Supplier::kL1};
  }

  double latency_of(IssuingWarp& warp, const StaticInstruction& instruction,
                    const WarpAccess& access) {
    if (!uses_l1(instruction)) return latencies_.far;
    double latency = latencies_.l1;
    all_sectors(access, [&](std::uint64_t sector) {
      const auto [at, is_new] = loaded_.try_emplace(sector, warp.barriers);
      const bool shared = is_shared(sector);
      const bool fits = shared || warp.l1.keep(sector, l1_lines_);
      if (!warp.loaded.insert(sector).second) {
        if (fits) return true;
        warp.evicted += 1;
        latency = std::max(latency, latencies_.l2);
        return false;
      }
      if (!is_new && at->second < warp.barriers) return true;
      warp.first_loads += 1;
      latency = std::max(latency, shared && !meets_ ? latencies_.far_shared : latencies_.far);
      return false;
    });
    return latency;
  }

  static void wait_for_groups(IssuingWarp& warp, const InstructionCost& cost) {
    if (cost.effect == TimingEffect::kWaitGroup || cost.effect == TimingEffect::kWaitAll) {
      const bool for_all = cost.effect == TimingEffect::kWaitAll;
      if (for_all) warp.wait_for(warp.copies);
      while (warp.groups.size() > (for_all ? 0U : std::size_t{cost.groups})) {
        warp.wait_for(warp.groups.front());
        warp.groups.pop_front();
      }
    }
    if (cost.effect == TimingEffect::kWaitProducts) {
      while (warp.product_groups.size() > cost.groups) {
        warp.wait_for({warp.product_groups.front(), 0, Supplier::kArithmetic});
        warp.product_groups.pop_front();
      }
    }
  }

  void arrive(IssuingWarp& warp) {
    if (arrivals_.size() <= warp.barriers) arrivals_.resize(warp.barriers + 1);
    arrivals_[warp.barriers] = std::max(arrivals_[warp.barriers], warp.now);
    ++warp.barriers;
    warp.at_barrier = true;
  }

  void leave_barrier(IssuingWarp& warp) {
    const double free =
        arrivals_[warp.barriers - 1] + latencies_.barrier + latencies_.barrier_warp * warps_;
    warp.path.barrier_waits += free - warp.now;
    warp.now = free;
    warp.at_barrier = false;
  }

  [[nodiscard]] WarpPath result() {
    IssuingWarp* longest = nullptr;
    for (auto& [number, warp] : following_) {
      if (longest == nullptr || warp.now > longest->now) longest = &warp;
    }
    if (longest == nullptr) return {};
    WarpPath path = std::move(longest->path);
    path.clocks = longest->now;
    path.barriers = static_cast<int>(longest->barriers);
    if (longest->first_loads > 0) path.reloads = 1 + longest->evicted / longest->first_loads;
    if (trace_.omitted_events > 0) {
      path.lengthen(1 + static_cast<double>(trace_.omitted_events) /
                            static_cast<double>(trace_.events.size()));
    }
    return path;
  }

  const IssuedCode& code_;
  const BlockTrace& trace_;
  PathLatencies latencies_;
  std::uint64_t l1_lines_;
  std::uint32_t warps_ = 0;
  double fetch_clocks_ = 1;
  bool meets_ = false;                                          // there is a barrier
  std::unordered_map<std::uint64_t, std::uint16_t> loaded_by_;  // sectors: the warp, or several
  std::unordered_map<std::uint64_t, std::size_t> loaded_;       // sectors: after which barrier
  std::vector<std::size_t> passed_;  // barriers, of the warps that are not followed
  std::map<std::uint16_t, IssuingWarp> following_;
  std::vector<double> arrivals_;
};

}  // namespace

WarpPath issued_path(const IssuedCode& code, const BlockTrace& trace,
                     const PathLatencies& latencies) {
  return IssuedWalk(code, trace, latencies).run();
}

}  // namespace tilescope
