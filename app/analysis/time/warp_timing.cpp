#include "analysis/time/warp_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/memory/coalescing.h"
#include "analysis/time/instruction_cost.h"
#include "core/text.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

// What an access does to the memory pipe, the same for every copy of the block.
struct MemoryWork {
  std::uint32_t first_sector = 0;  // into the pool of sector numbers
  std::uint16_t sectors = 0;
  std::uint16_t wavefronts = 0;  // of the data stage
  MemorySpace space = MemorySpace::kNone;
  AccessKind kind = AccessKind::kNone;
  bool bypasses_l1 = false;
};

struct TracedWork {
  std::vector<MemoryWork> work;        // parallel to the events' `work_of`
  std::vector<std::uint32_t> work_of;  // parallel to BlockTrace::events; kNoAccess: none
  std::vector<std::uint64_t> sectors;
};

// Sectors in the order in which they came; the oldest make room.
class SectorCache {
 public:
  explicit SectorCache(std::uint64_t bytes) : capacity_(bytes / kSectorBytes) {}
  bool touch(std::uint64_t sector) {
    const auto [at, is_new] = filled_.try_emplace(sector, count_);
    if (!is_new && count_ - at->second < capacity_) return true;
    at->second = count_++;
    return false;
  }

 private:
  std::uint64_t capacity_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> filled_;
};

void add_sectors(const WarpAccess& access, TracedWork* traced, MemoryWork* work) {
  work->first_sector = static_cast<std::uint32_t>(traced->sectors.size());
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    traced->sectors.push_back(access.address[lane] / kSectorBytes);
  }
  const auto begin = traced->sectors.begin() + work->first_sector;
  std::sort(begin, traced->sectors.end());
  traced->sectors.erase(std::unique(begin, traced->sectors.end()), traced->sectors.end());
  work->sectors = static_cast<std::uint16_t>(traced->sectors.size() - work->first_sector);
}

TracedWork traced_work(const Program& program, const BlockTrace& trace) {
  TracedWork traced;
  traced.work_of.assign(trace.events.size(), kNoAccess);
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const TraceEvent& event = trace.events[e];
    if (event.access == kNoAccess) continue;
    // Another block's shared memory: what that costs is not modelled.
    if (trace.access(event.access).space == MemorySpace::kClusterShared) continue;
    const StaticInstruction& instruction = program.instructions()[event.instruction];
    const WarpAccess access = trace.access(event.access);
    MemoryWork work;
    work.space = access.space;
    work.kind = instruction.access;
    work.bypasses_l1 = instruction.variant == AccessVariant::kBypass;
    if (instruction.access == AccessKind::kAsyncCopy) {
      const AsyncCopyCost cost =
          async_copy_cost(access, trace.access(event.access + 1), instruction.variant);
      work.wavefronts = static_cast<std::uint16_t>(std::max(cost.writes.wavefronts, 1));
      add_sectors(access, &traced, &work);
    } else if (access.space == MemorySpace::kShared) {
      work.wavefronts =
          static_cast<std::uint16_t>(wavefront_cost(access, instruction.variant).wavefronts);
    } else if (access.space == MemorySpace::kLocal) {
      const SectorCost cost = local_sector_cost(access);
      work.wavefronts = static_cast<std::uint16_t>(std::max(cost.lines, 1));
    } else {
      // L1 is the same memory as shared memory: a line lies across its 32 banks.
      add_sectors(access, &traced, &work);
      work.wavefronts = static_cast<std::uint16_t>(wavefront_cost(access).wavefronts);
    }
    traced.work_of[e] = static_cast<std::uint32_t>(traced.work.size());
    traced.work.push_back(work);
  }
  return traced;
}

// The way of a multiprocessor's accesses, in cycles from the block's start: the L1 data stage,
// which takes a wavefront a cycle and also serves shared memory, then for what misses L1 its share
// of L2 and of DRAM. Each is a queue that serves one after the other. A model; see time_warps().
class MemoryPipe {
 public:
  struct Options {
    std::uint64_t l1_bytes = 0;
    double dram_share = 1;  // 0..1 of the sectors that miss L1; the rest hits L2
  };
  // Both must outlive it.
  MemoryPipe(const TracedWork& traced, const LatencyModel& model, const Options& options)
      : traced_(traced), model_(model), dram_share_(options.dram_share), l1_(options.l1_bytes) {}

  // The cycle in which the data of an access that is issued at `cycle` is there. Copies of the
  // block read data of their own: `block` says which one this is.
  [[nodiscard]] std::uint32_t access(const MemoryWork& work, std::uint32_t block,
                                     std::uint32_t cycle);

  // The first cycle in which the data stage is free.
  [[nodiscard]] std::uint32_t data_free() const { return data_free_; }
  // The last cycle in which any part still works.
  [[nodiscard]] std::uint32_t end() const;
  // Cycles of work done so far.
  [[nodiscard]] double data_busy() const { return static_cast<double>(data_busy_); }
  [[nodiscard]] double l2_busy() const { return l2_busy_; }
  [[nodiscard]] double dram_busy() const { return dram_busy_; }
  [[nodiscard]] double l1_hits() const;  // 0..1 of the sectors that loads ask for; 0: of none

 private:
  [[nodiscard]] std::uint32_t missed_sectors(const MemoryWork& work, std::uint32_t block);

  const TracedWork& traced_;
  const LatencyModel& model_;
  double dram_share_;
  SectorCache l1_;
  std::uint32_t data_free_ = 0;
  std::uint64_t data_busy_ = 0, l1_asked_ = 0, l1_hit_ = 0;
  double l2_free_ = 0, dram_free_ = 0, l2_busy_ = 0, dram_busy_ = 0;
};

std::uint32_t after(double from, double latency) {
  return static_cast<std::uint32_t>(std::lround(from + latency));
}

std::uint32_t MemoryPipe::access(const MemoryWork& work, std::uint32_t block, std::uint32_t cycle) {
  const std::uint32_t start = std::max(cycle, data_free_);
  data_free_ = start + work.wavefronts;
  data_busy_ += work.wavefronts;
  const std::uint32_t moved = start + std::max<std::uint32_t>(work.wavefronts, 1) - 1;
  if (work.space == MemorySpace::kShared && work.kind != AccessKind::kAsyncCopy) {
    return after(moved, model_[Latency::kShared]);
  }
  if (work.space == MemorySpace::kLocal) return after(moved, model_[Latency::kL1]);
  const std::uint32_t missed = missed_sectors(work, block);
  if (missed == 0) return after(moved, model_[Latency::kL1]);
  const double bytes = double{kSectorBytes} * missed;
  l2_free_ = std::max(l2_free_, double(start)) + bytes / model_[Latency::kL2Rate];
  l2_busy_ += bytes / model_[Latency::kL2Rate];
  const double dram = bytes * dram_share_ / model_[Latency::kDramRate];
  dram_free_ = std::max(dram_free_, double(start)) + dram;
  dram_busy_ += dram;
  const double latency = model_[Latency::kL2] +
                         dram_share_ * std::max(model_[Latency::kDram] - model_[Latency::kL2], 0.0);
  return after(std::max({double(moved), l2_free_, dram_free_}), latency);
}

std::uint32_t MemoryPipe::missed_sectors(const MemoryWork& work, std::uint32_t block) {
  const bool reads = work.kind == AccessKind::kLoad || work.kind == AccessKind::kAsyncCopy;
  if (!reads || work.bypasses_l1) return work.sectors;
  std::uint32_t missed = 0;
  for (std::uint32_t i = 0; i < work.sectors; ++i) {
    const std::uint64_t sector = traced_.sectors[work.first_sector + i];
    // Copies of the block stand for others, whose data lie elsewhere.
    if (!l1_.touch(sector ^ (std::uint64_t{block} << 56))) ++missed;
  }
  l1_asked_ += work.sectors;
  l1_hit_ += work.sectors - missed;
  return missed;
}

std::uint32_t MemoryPipe::end() const {
  return std::max(
      {data_free_, static_cast<std::uint32_t>(l2_free_), static_cast<std::uint32_t>(dram_free_)});
}

double MemoryPipe::l1_hits() const {
  return l1_asked_ == 0 ? 0 : static_cast<double>(l1_hit_) / static_cast<double>(l1_asked_);
}

constexpr std::uint32_t kSchedulers = 4;
// Wavefronts that may wait before the data stage; past them warps meet a full queue.
constexpr std::uint32_t kQueuedWavefronts = 64;

struct RegisterState {
  std::uint32_t ready = 0;
  Stall stall = Stall::kNone;  // that a reader meets until then
};

struct WarpState {
  std::uint32_t block = 0;      // which copy
  std::uint32_t slot = 0;       // of resident_blocks
  std::uint32_t warp = 0;       // in the block
  std::uint32_t next = 0;       // into the list of its events
  std::uint32_t free_from = 0;  // the cycle after its last issue
  std::uint32_t ready = 0;      // operands and groups are there
  std::uint32_t try_at = 0;     // not before this cycle; kNever: at a barrier, or ended
  Stall stall = Stall::kNone;   // until `ready`
  Stall late = Stall::kNone;    // of the last try
  std::uint32_t barriers = 0;   // passed or waited at
  std::uint32_t pending = 0;    // arrival of the cp.async since the last commit
  std::vector<std::uint32_t> groups;
  std::vector<RegisterState> registers;
};

class Simulator {
 public:
  Simulator(const Program& program, const BlockTrace& trace,
            const std::vector<InstructionCost>& costs, const LatencyModel& model,
            const TimingRequest& request)
      : program_(program),
        trace_(trace),
        costs_(costs),
        model_(model),
        request_(request),
        noted_block_(block_to_note(trace, request)),
        traced_(traced_work(program, trace)),
        memory_(traced_, model, {request.l1_bytes, request.dram_share}) {
    result_.resident_blocks = std::max(request.resident_blocks, 1u);
    result_.events.resize(trace.events.size());
    for (EventTime& time : result_.events) time.issue = kNever;
    result_.warps = events_by_warp(trace, std::max(request.warps_per_block, 1u));
    count_barriers();
    for (std::uint32_t block = 0; block < result_.resident_blocks; ++block) {
      for (std::uint32_t warp = 0; warp < result_.warps.size(); ++warp) {
        if (result_.warps[warp].empty()) continue;
        WarpState state;
        state.block = state.slot = block;
        state.warp = warp;
        state.registers.resize(program.register_count());
        schedulers_[warps_.size() % kSchedulers].push_back(
            static_cast<std::uint32_t>(warps_.size()));
        warps_.push_back(std::move(state));
      }
    }
    arrived_.resize(result_.resident_blocks);
    left_in_slot_.assign(result_.resident_blocks,
                         static_cast<std::uint32_t>(warps_.size() / result_.resident_blocks));
    started_ = result_.resident_blocks;
    left_ = warps_.size();
  }

  Result<WarpTiming> run(const std::stop_token& stop) {
    for (WarpState& warp : warps_) prepare_next(warp, 0);
    std::uint32_t cycle = 0;
    std::size_t issued = 0;
    while (left_ > 0) {
      if ((++rounds_ & 0x3fff) == 0 && stop.stop_requested()) {
        return Error{ErrorCode::kCancelled, "a newer request took this one's place", "", {}};
      }
      for (std::uint32_t s = 0; s < kSchedulers; ++s) {
        if (try_scheduler(s, cycle)) ++issued;
      }
      if (!ended_slots_.empty()) start_next_blocks(cycle);
      if (left_ == 0 || issued > request_.most_events) break;
      const std::uint32_t next = next_cycle(cycle);
      if (next == kNever) {
        if (!open_barriers(cycle)) break;
        continue;
      }
      cycle = next;
    }
    finish(cycle);
    return std::move(result_);
  }

 private:
  // Blocks of a launch's first wave start together and do the same in the same cycles: most of a
  // launch does not. So where there are three waves, one of a later wave, with a full
  // multiprocessor to its end, stands for the traced block.
  static std::uint32_t block_to_note(const BlockTrace& trace, const TimingRequest& request) {
    const std::size_t runs = std::min<std::size_t>(
        request.most_blocks, request.most_events / std::max<std::size_t>(trace.events.size(), 1));
    const std::size_t wave = std::max(request.resident_blocks, 1u);
    return runs < 3 * wave ? 0 : static_cast<std::uint32_t>(runs * 5 / 8);
  }

  void count_barriers() {
    for (const std::vector<std::uint32_t>& events : result_.warps) {
      const auto count = std::ranges::count_if(events, [&](std::uint32_t e) {
        return costs_[trace_.events[e].instruction].effect == TimingEffect::kBarrier;
      });
      barriers_of_.push_back(static_cast<std::uint32_t>(count));
    }
  }

  // A warp has come to its end.
  void leave(const WarpState& warp, std::uint32_t cycle) {
    --left_;
    if (--left_in_slot_[warp.slot] > 0) return;
    ended_slots_.push_back(warp.slot);
    if (++ended_blocks_ != result_.resident_blocks) return;
    result_.first_cycles = cycle;
    first_issued_ = all_issued_;
  }

  void start_next_blocks(std::uint32_t cycle) {
    for (const std::uint32_t slot : std::exchange(ended_slots_, {})) {
      if (started_ >= request_.most_blocks) continue;
      const std::uint32_t block = started_++;
      if (block == noted_block_) noted_from_ = cycle + 1;
      arrived_[slot].clear();
      for (WarpState& warp : warps_) {
        if (warp.slot != slot) continue;
        warp.block = block;
        warp.next = warp.barriers = warp.pending = 0;
        warp.free_from = cycle + 1;
        warp.groups.clear();
        std::ranges::fill(warp.registers, RegisterState{});
        ++left_;
        ++left_in_slot_[slot];
      }
      for (WarpState& warp : warps_) {
        if (warp.slot == slot) prepare_next(warp, cycle + 1);
      }
    }
  }

  // The scheduler's choice: the first ready warp after the one that it issued last.
  bool try_scheduler(std::uint32_t s, std::uint32_t cycle) {
    const std::vector<std::uint32_t>& list = schedulers_[s];
    const std::size_t begin = turn_[s];
    bool has_issued = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t place = begin + i < list.size() ? begin + i : begin + i - list.size();
      WarpState& warp = warps_[list[place]];
      if (warp.try_at > cycle) continue;
      if (has_issued) {
        if (warp.late == Stall::kNone && warp.ready <= cycle) warp.late = Stall::kNotSelected;
        warp.try_at = cycle + 1;
      } else if (attempt(list[place], s, cycle)) {
        has_issued = true;
        turn_[s] = place + 1 < list.size() ? place + 1 : 0;
      }
    }
    return has_issued;
  }

  [[nodiscard]] std::uint32_t next_cycle(std::uint32_t cycle) const {
    std::uint32_t next = kNever;
    for (const WarpState& warp : warps_) {
      if (warp.try_at <= cycle + 1) return cycle + 1;
      next = std::min(next, warp.try_at);
    }
    return next;
  }

  [[nodiscard]] Stall memory_throttle(std::uint32_t event) const {
    const std::uint32_t work = traced_.work_of[event];
    const bool is_shared = work == kNoAccess || traced_.work[work].space == MemorySpace::kShared;
    return is_shared ? Stall::kMioThrottle : Stall::kLgThrottle;
  }

  // Issues the warp's next instruction if its unit has room.
  bool attempt(std::uint32_t w, std::uint32_t s, std::uint32_t cycle) {
    WarpState& warp = warps_[w];
    const std::uint32_t event = event_of(warp);
    const InstructionCost& cost = costs_[trace_.events[event].instruction];
    if (cost.pipe != Pipe::kNone) {
      float& free = pipe_free_[s][static_cast<std::size_t>(cost.pipe)];
      if (free >= static_cast<float>(cycle) + 1) {
        warp.late = cost.pipe == Pipe::kMemory ? memory_throttle(event) : Stall::kMathPipeThrottle;
        warp.try_at = static_cast<std::uint32_t>(free);
        return false;
      }
      if (traced_.work_of[event] != kNoAccess && memory_.data_free() > cycle + kQueuedWavefronts) {
        warp.late = memory_throttle(event);
        warp.try_at = memory_.data_free() - kQueuedWavefronts;
        return false;
      }
      free = std::max(free, static_cast<float>(cycle)) + cost.occupies;
      pipe_busy_[static_cast<std::size_t>(cost.pipe)] += double{cost.occupies};
    }
    ++all_issued_;
    const std::uint32_t done = execute(warp, event, cost, cycle);
    if (warp.block == noted_block_) note(warp, event, cycle, done);
    ++warp.next;
    if (cost.effect == TimingEffect::kBarrier) {
      arrive(w, cycle);
    } else {
      const auto gap = cost.effect == TimingEffect::kBranch ? cost.latency : 1.0f;
      prepare_next(warp, cycle + static_cast<std::uint32_t>(gap));
      if (gap > 1 && warp.try_at != kNever && warp.stall == Stall::kNone) {
        warp.stall = Stall::kBranchResolving;
      }
      warp.free_from = cycle + 1;
    }
    return true;
  }

  void note(const WarpState& warp, std::uint32_t event, std::uint32_t cycle, std::uint32_t done) {
    EventTime& time = result_.events[event];
    time.waits_from = std::min(warp.free_from, cycle);
    time.ready = std::clamp(warp.ready, time.waits_from, cycle);
    time.issue = cycle;
    time.done = done;
    time.stall = warp.stall;
    time.late = warp.late;
    result_.stalled[static_cast<std::size_t>(time.stall)] += time.ready - time.waits_from;
    result_.stalled[static_cast<std::size_t>(time.late)] += time.issue - time.ready;
    for (std::uint32_t* at : {&time.waits_from, &time.ready, &time.issue, &time.done}) {
      *at -= noted_from_;
    }
    ++result_.issued;
  }

  [[nodiscard]] std::uint32_t event_of(const WarpState& warp) const {
    return result_.warps[warp.warp][warp.next];
  }

  // When the copies have arrived that the instruction waits for; 0: none.
  static std::uint32_t awaited_copies(const WarpState& warp, const InstructionCost& cost) {
    const bool waits_for_all = cost.effect == TimingEffect::kWaitAll;
    if (!waits_for_all && cost.effect != TimingEffect::kWaitGroup) return 0;
    std::uint32_t arrival = waits_for_all ? warp.pending : 0;
    for (std::size_t i = 0; i + cost.groups < warp.groups.size(); ++i) {
      arrival = std::max(arrival, warp.groups[i]);
    }
    return arrival;
  }

  // When the warp's next instruction may issue, and what it waits for until then. Instructions that
  // are part of that one pass their operands on at once.
  void prepare_next(WarpState& warp, std::uint32_t from) {
    const std::vector<std::uint32_t>& events = result_.warps[warp.warp];
    warp.ready = from;
    warp.stall = warp.late = Stall::kNone;
    for (; warp.next < events.size(); ++warp.next) {
      const TraceEvent& event = trace_.events[events[warp.next]];
      const InstructionCost& cost = costs_[event.instruction];
      const StaticInstruction& use = program_.instructions()[event.instruction];
      RegisterState latest;
      for (const std::uint32_t r : use.reads) {
        if (warp.registers[r].ready > latest.ready) latest = warp.registers[r];
      }
      if (cost.effect == TimingEffect::kFree) {
        for (const std::uint32_t r : use.writes) warp.registers[r] = latest;
        if (warp.block == noted_block_) {
          result_.events[events[warp.next]].issue = from - noted_from_;
        }
        continue;
      }
      for (const std::uint32_t r : use.writes) {
        if (warp.registers[r].ready > latest.ready) latest = warp.registers[r];
      }
      const std::uint32_t arrival = awaited_copies(warp, cost);
      if (arrival > latest.ready) latest = {arrival, Stall::kLongScoreboard};
      if (latest.ready > warp.ready) {
        warp.ready = latest.ready;
        warp.stall = latest.stall;
      }
      warp.try_at = warp.ready;
      return;
    }
    warp.try_at = kNever;
    leave(warp, from);
  }

  // Its result's cycle; the registers that it writes know it.
  std::uint32_t execute(WarpState& warp, std::uint32_t event, const InstructionCost& cost,
                        std::uint32_t cycle) {
    RegisterState result{cycle + static_cast<std::uint32_t>(std::lround(cost.latency)),
                         Stall::kWait};
    if (cost.pipe == Pipe::kSpecial || cost.pipe == Pipe::kMemory) {
      result.stall = Stall::kShortScoreboard;
      const bool accesses =
          program_.instructions()[trace_.events[event].instruction].access != AccessKind::kNone;
      if (cost.pipe == Pipe::kSpecial) result_.short_latency.special_functions = true;
      if (cost.pipe == Pipe::kMemory && !accesses) result_.short_latency.shuffles = true;
    }
    const std::uint32_t work = traced_.work_of[event];
    if (work != kNoAccess) {
      const bool shared = traced_.work[work].space == MemorySpace::kShared &&
                          traced_.work[work].kind != AccessKind::kAsyncCopy;
      if (traced_.work[work].space == MemorySpace::kShared) {
        result_.short_latency.shared_memory = true;
      }
      result = {memory_.access(traced_.work[work], warp.block, cycle),
                shared ? Stall::kShortScoreboard : Stall::kLongScoreboard};
      if (traced_.work[work].kind == AccessKind::kAsyncCopy) {
        warp.pending = std::max(warp.pending, result.ready);
      }
    }
    if (cost.effect == TimingEffect::kCommitGroup) {
      warp.groups.push_back(std::max(warp.pending, cycle));
      warp.pending = 0;
      result = {cycle + 1, Stall::kWait};
    }
    if (cost.effect == TimingEffect::kWaitAll) {
      warp.groups.clear();
      warp.pending = 0;
    }
    const StaticInstruction& done = program_.instructions()[trace_.events[event].instruction];
    for (const std::uint32_t r : done.writes) warp.registers[r] = result;
    return result.ready;
  }

  void arrive(std::uint32_t w, std::uint32_t cycle) {
    WarpState& warp = warps_[w];
    warp.free_from = cycle + 1;
    warp.try_at = kNever;
    std::vector<std::vector<std::uint32_t>>& waiting = arrived_[warp.slot];
    if (waiting.size() <= warp.barriers) waiting.resize(warp.barriers + std::size_t{1});
    waiting[warp.barriers].push_back(w);
    const auto expected = static_cast<std::size_t>(std::ranges::count_if(
        barriers_of_, [&](std::uint32_t count) { return count > warp.barriers; }));
    const std::uint32_t barrier = warp.barriers++;
    if (waiting[barrier].size() >= expected) open(warp.slot, barrier, cycle);
  }

  void open(std::uint32_t slot, std::uint32_t barrier, std::uint32_t cycle) {
    const std::uint32_t from =
        cycle + static_cast<std::uint32_t>(std::lround(model_[Latency::kBarrier]));
    for (const std::uint32_t w : std::exchange(arrived_[slot][barrier], {})) {
      WarpState& warp = warps_[w];
      prepare_next(warp, from);
      if (warp.stall == Stall::kNone) warp.stall = Stall::kBarrier;
    }
  }

  // Warps that wait for others which never come (named barriers of some warps) go on.
  bool open_barriers(std::uint32_t cycle) {
    for (std::uint32_t slot = 0; slot < arrived_.size(); ++slot) {
      for (std::uint32_t barrier = 0; barrier < arrived_[slot].size(); ++barrier) {
        if (arrived_[slot][barrier].empty()) continue;
        open(slot, barrier, cycle);
        return true;
      }
    }
    return false;
  }

  void finish(std::uint32_t cycle) {
    std::size_t known = 0;
    for (const EventTime& time : result_.events) {
      if (time.issue == kNever) continue;
      ++known;
      result_.cycles = std::max(result_.cycles, time.issue + 1);
    }
    if (!result_.events.empty()) {
      result_.reached = static_cast<double>(known) / static_cast<double>(result_.events.size());
    }
    result_.truncated = known < result_.events.size() || trace_.truncated;
    if (result_.issued > 0) {
      const double each = static_cast<double>(result_.issued) / result_.reached;
      result_.blocks = static_cast<double>(all_issued_) / each;
      result_.first_blocks = static_cast<double>(first_issued_) / each;
    }
    result_.all_cycles = std::max({cycle, memory_.end(), 1u});
    const double cycles = result_.all_cycles;
    const auto set = [&](Resource resource, double busy) {
      result_.busy[static_cast<std::size_t>(resource)] = std::min(busy / cycles, 1.0);
    };
    const auto pipe = [&](Pipe which) {
      return pipe_busy_[static_cast<std::size_t>(which)] / kSchedulers;
    };
    set(Resource::kIssue, static_cast<double>(all_issued_) / kSchedulers);
    set(Resource::kFma, pipe(Pipe::kFma));
    set(Resource::kAlu, pipe(Pipe::kAlu));
    set(Resource::kDouble, pipe(Pipe::kDouble));
    set(Resource::kSpecial, pipe(Pipe::kSpecial));
    set(Resource::kTensor, pipe(Pipe::kTensor));
    set(Resource::kData, memory_.data_busy());
    set(Resource::kL2, memory_.l2_busy());
    set(Resource::kDram, memory_.dram_busy());
    result_.l1_hits = memory_.l1_hits();
  }

  const Program& program_;
  const BlockTrace& trace_;
  const std::vector<InstructionCost>& costs_;
  const LatencyModel& model_;
  const TimingRequest& request_;
  std::uint32_t noted_block_;     // the copy whose times are kept
  std::uint32_t noted_from_ = 0;  // the cycle in which it started
  TracedWork traced_;
  MemoryPipe memory_;
  WarpTiming result_;
  std::vector<WarpState> warps_;
  std::array<std::vector<std::uint32_t>, kSchedulers> schedulers_;
  std::array<std::size_t, kSchedulers> turn_{};
  std::array<std::array<float, kPipeCount>, kSchedulers> pipe_free_{};
  std::array<double, kPipeCount> pipe_busy_{};
  std::vector<std::uint32_t> barriers_of_;                        // by warp of the block
  std::vector<std::vector<std::vector<std::uint32_t>>> arrived_;  // by slot and barrier: warps
  std::vector<std::uint32_t> left_in_slot_;                       // warps
  std::vector<std::uint32_t> ended_slots_;
  std::uint32_t started_ = 0, ended_blocks_ = 0;
  std::size_t left_ = 0;
  std::uint64_t rounds_ = 0, all_issued_ = 0, first_issued_ = 0;
};

}  // namespace

Result<WarpTiming> time_warps(const Program& program, const BlockTrace& trace,
                              const std::vector<InstructionCost>& costs, const LatencyModel& model,
                              const TimingRequest& request, std::stop_token stop) {
  return Simulator(program, trace, costs, model, request).run(stop);
}

const char* name_of(Stall stall) {
  switch (stall) {
    case Stall::kNone:
      return "none";
    case Stall::kLongScoreboard:
      return "long scoreboard";
    case Stall::kShortScoreboard:
      return "short scoreboard";
    case Stall::kBarrier:
      return "barrier";
    case Stall::kWait:
      return "wait";
    case Stall::kMathPipeThrottle:
      return "math pipe throttle";
    case Stall::kMioThrottle:
      return "MIO throttle";
    case Stall::kLgThrottle:
      return "LG throttle";
    case Stall::kBranchResolving:
      return "branch resolving";
    case Stall::kNotSelected:
      return "not selected";
  }
  return "";
}

const char* name_of(Resource resource) {
  switch (resource) {
    case Resource::kIssue:
      return "issue slots";
    case Resource::kFma:
      return "FMA pipe";
    case Resource::kAlu:
      return "ALU pipe";
    case Resource::kDouble:
      return "FP64 pipe";
    case Resource::kSpecial:
      return "XU pipe";
    case Resource::kTensor:
      return "tensor pipe";
    case Resource::kData:
      return "L1 data stage";
    case Resource::kL2:
      return "L2 traffic";
    case Resource::kDram:
      return "DRAM traffic";
  }
  return "";
}

std::string ShortLatencyUnits::words(bool queued) const {
  std::vector<std::string> used;
  if (shared_memory) used.emplace_back("shared memory");
  if (special_functions && !queued) used.emplace_back("special functions");
  if (shuffles) used.emplace_back("shuffles");
  return used.empty() ? "shared memory" : joined(used, " or ");
}

double WarpTiming::cycles_of(double blocks_each) const {
  if (blocks == 0) return 0;
  if (blocks_each <= blocks) return all_cycles;
  const double later = blocks - first_blocks;
  if (first_cycles == 0 || later < 0.5 * resident_blocks) return all_cycles * blocks_each / blocks;
  return first_cycles + (blocks_each - first_blocks) * (all_cycles - first_cycles) / later;
}

Resource WarpTiming::bound() const {
  return static_cast<Resource>(std::ranges::max_element(busy) - busy.begin());
}

std::vector<std::vector<std::uint32_t>> events_by_warp(const BlockTrace& trace, std::size_t warps) {
  std::vector<std::vector<std::uint32_t>> events(warps);
  trace.events.for_each_passage([&](const EventList::Passage& passage) {
    if (passage.warp >= events.size()) events.resize(passage.warp + std::size_t{1});
    std::vector<std::uint32_t>& own = events[passage.warp];
    for (std::uint32_t i = 0; i < passage.steps.size(); ++i) own.push_back(passage.begin + i);
  });
  return events;
}

}  // namespace tilescope
