#include "analysis/time/warp_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/time/instruction_cost.h"
#include "analysis/time/mbarrier_phases.h"
#include "analysis/time/memory_pipe.h"
#include "core/text.h"
#include "emulator/block/block_trace.h"
#include "emulator/machine/listing.h"
#include "emulator/program.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kSchedulers = 4;
constexpr std::uint32_t kInstructionBytes = 16;  // of machine code
// Wavefronts that may wait before the data stage; past them warps meet a full queue.
constexpr std::uint32_t kQueuedShared = 64;
constexpr std::uint32_t kQueuedGlobal = 512;

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
  std::array<std::uint32_t, kStallCount> late{};  // cycles from then on, by why it did not issue
  std::uint32_t barriers = 0;                     // passed or waited at
  std::uint32_t pending = 0;                      // arrival of the cp.async since the last commit
  std::vector<std::uint32_t> groups;
  std::uint32_t stores = 0;    // until bulk stores have read what they store
  std::uint32_t products = 0;  // end of the wgmma since the last commit
  std::vector<std::uint32_t> product_groups;
  std::uint32_t held_from = 0;  // waits at an mbarrier from here on
  std::vector<RegisterState> registers;
};

// By Pipe of a scheduler, when it takes another instruction, in cycles.
using PipesFree = std::array<double, kPipeCount>;

// A phase of an mbarrier in one copy of the block.
struct PhaseState {
  std::uint32_t left = 0;              // events that it waits for
  std::uint32_t over = 0;              // when those so far are done
  std::vector<std::uint32_t> waiting;  // warps
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
        phases_(trace),
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
    phases_now_.resize(result_.resident_blocks);
    for (std::uint32_t slot = 0; slot < result_.resident_blocks; ++slot) begin_phases(slot);
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
        if (!open_barriers(cycle) && !open_phases(cycle)) break;
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

  void begin_phases(std::uint32_t slot) {
    phases_now_[slot].assign(phases_.awaited().size(), {});
    for (std::size_t i = 0; i < phases_.awaited().size(); ++i)
      phases_now_[slot][i].left = phases_.awaited()[i];
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
      begin_phases(slot);
      for (WarpState& warp : warps_) {
        if (warp.slot != slot) continue;
        warp.block = block;
        warp.next = warp.barriers = warp.pending = warp.stores = warp.products = 0;
        warp.free_from = cycle + 1;
        warp.groups.clear();
        warp.product_groups.clear();
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
    const PipesFree free = pipe_free_[s];
    const std::size_t begin = turn_[s];
    bool has_issued = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t place = begin + i < list.size() ? begin + i : begin + i - list.size();
      WarpState& warp = warps_[list[place]];
      if (warp.try_at > cycle) continue;
      const Obstacle obstacle = obstacle_of(warp, free, cycle);
      if (obstacle.why != Stall::kNone) {
        delay(warp, obstacle, cycle);
      } else if (has_issued) {
        delay(warp, {Stall::kNotSelected, cycle + 1}, cycle);
      } else {
        issue(list[place], s, cycle);
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

  [[nodiscard]] bool uses_data_stage(std::uint32_t event) const {
    const std::uint32_t work = traced_.work_of[event];
    return work != kNoAccess && !traced_.work[work].is_bulk;
  }

  // Why a warp that is ready cannot issue, and until when. kNone: it can.
  struct Obstacle {
    Stall why = Stall::kNone;
    std::uint32_t until = 0;
  };

  // `free`: when the pipes of its scheduler take another instruction, before any of this cycle.
  [[nodiscard]] Obstacle obstacle_of(const WarpState& warp, const PipesFree& free,
                                     std::uint32_t cycle) const {
    const std::uint32_t event = event_of(warp);
    const InstructionCost& cost = costs_[trace_.events[event].instruction];
    if (cost.pipe == Pipe::kNone) return {};
    const double from = free[static_cast<std::size_t>(cost.pipe)];
    if (from >= cycle + 1.0) {
      return {cost.pipe == Pipe::kMemory ? memory_throttle(event) : Stall::kMathPipeThrottle,
              static_cast<std::uint32_t>(from)};
    }
    const Stall throttle = memory_throttle(event);
    const std::uint32_t room = throttle == Stall::kMioThrottle ? kQueuedShared : kQueuedGlobal;
    if (uses_data_stage(event) && memory_.data_free() > cycle + room) {
      return {throttle, memory_.data_free() - room};
    }
    return {};
  }

  static void delay(WarpState& warp, const Obstacle& obstacle, std::uint32_t cycle) {
    warp.late[static_cast<std::size_t>(obstacle.why)] += obstacle.until - cycle;
    warp.try_at = obstacle.until;
  }

  // Cycles from an instruction's issue until the warp's next one may issue.
  [[nodiscard]] std::uint32_t gap_after(const StaticInstruction& instruction,
                                        const InstructionCost& cost) const {
    const auto branch =
        cost.effect == TimingEffect::kBranch ? static_cast<std::uint32_t>(cost.latency) : 1u;
    if (instruction.issued == nullptr) return branch;
    const std::size_t place = instruction.issued->address / kInstructionBytes;
    return place < request_.stalls.size() ? std::max<std::uint32_t>(request_.stalls[place], branch)
                                          : branch;
  }

  void issue(std::uint32_t w, std::uint32_t s, std::uint32_t cycle) {
    WarpState& warp = warps_[w];
    const std::uint32_t event = event_of(warp);
    const InstructionCost& cost = costs_[trace_.events[event].instruction];
    if (cost.pipe != Pipe::kNone) {
      double& free = pipe_free_[s][static_cast<std::size_t>(cost.pipe)];
      const double occupies = cost.unit_clocks(request_.port_clocks);
      free = std::max<double>(free, cycle) + occupies;
      pipe_busy_[static_cast<std::size_t>(cost.pipe)] += double{occupies};
    }
    ++all_issued_;
    const std::uint32_t done = execute(warp, event, cost, cycle);
    if (warp.block == noted_block_) note(warp, event, cycle, done);
    ++warp.next;
    if (cost.effect == TimingEffect::kBarrier) {
      arrive(w, cycle);
    } else {
      const std::uint32_t gap =
          gap_after(program_.instructions()[trace_.events[event].instruction], cost);
      prepare_next(warp, cycle + gap);
      if (gap > 1 && warp.try_at != kNever && warp.stall == Stall::kNone) {
        const bool is_branch = request_.stalls.empty() && cost.effect == TimingEffect::kBranch;
        warp.stall = is_branch ? Stall::kBranchResolving : Stall::kWait;
      }
      warp.free_from = cycle + 1;
    }
  }

  void note(const WarpState& warp, std::uint32_t event, std::uint32_t cycle, std::uint32_t done) {
    EventTime& time = result_.events[event];
    time.waits_from = std::min(warp.free_from, cycle);
    time.ready = std::clamp(warp.ready, time.waits_from, cycle);
    time.issue = cycle;
    time.done = done;
    time.stall = warp.stall;
    const auto most = std::ranges::max_element(warp.late);
    time.late = *most == 0 ? Stall::kNone : static_cast<Stall>(most - warp.late.begin());
    result_.stalled[static_cast<std::size_t>(time.stall)] += time.ready - time.waits_from;
    for (std::size_t i = 0; i < kStallCount; ++i) result_.stalled[i] += warp.late[i];
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

  static std::uint32_t awaited_products(const WarpState& warp, const InstructionCost& cost) {
    std::uint32_t end = 0;
    for (std::size_t i = 0; i + cost.groups < warp.product_groups.size(); ++i) {
      end = std::max(end, warp.product_groups[i]);
    }
    return end;
  }

  // What the instruction waits for beside its operands. The phase of its mbarrier is over.
  RegisterState awaited(const WarpState& warp, std::uint32_t event,
                        const InstructionCost& cost) const {
    switch (cost.effect) {
      case TimingEffect::kWaitStores:
        return {warp.stores, Stall::kLongScoreboard};
      case TimingEffect::kWaitProducts:
        return {awaited_products(warp, cost), Stall::kGmma};
      case TimingEffect::kWaitPhase: {
        const std::uint32_t phase = phases_.waited_for_by(event);
        if (phase == MbarrierPhases::kNone) return {};
        return {phases_now_[warp.slot][phase].over, Stall::kMbarrier};
      }
      default:
        return {awaited_copies(warp, cost), Stall::kLongScoreboard};
    }
  }

  // Whether the instruction waits for a phase of an mbarrier whose end nobody knows yet: then the
  // warp is woken by it.
  bool waits_for_phase(WarpState& warp, std::uint32_t event, std::uint32_t from) {
    const std::uint32_t phase = phases_.waited_for_by(event);
    if (phase == MbarrierPhases::kNone) return false;
    PhaseState& now = phases_now_[warp.slot][phase];
    if (now.left == 0) return false;
    now.waiting.push_back(static_cast<std::uint32_t>(&warp - warps_.data()));
    warp.held_from = from;
    warp.try_at = kNever;
    return true;
  }

  void note_phases(const WarpState& warp, std::uint32_t event, std::uint32_t done) {
    for (const std::uint32_t phase : phases_.waiting_for(event)) {
      PhaseState& now = phases_now_[warp.slot][phase];
      now.over = std::max(now.over, done);
      if (now.left > 0 && --now.left == 0) wake(now);
    }
  }

  void wake(PhaseState& phase) {
    phase.left = 0;
    for (const std::uint32_t w : std::exchange(phase.waiting, {}))
      prepare_next(warps_[w], warps_[w].held_from);
  }

  // When the warp's next instruction may issue, and what it waits for until then. Instructions that
  // are part of that one pass their operands on at once.
  void prepare_next(WarpState& warp, std::uint32_t from) {
    const std::vector<std::uint32_t>& events = result_.warps[warp.warp];
    warp.ready = from;
    warp.stall = Stall::kNone;
    warp.late.fill(0);
    for (; warp.next < events.size(); ++warp.next) {
      const TraceEvent& event = trace_.events[events[warp.next]];
      const InstructionCost& cost = costs_[event.instruction];
      const StaticInstruction& use = program_.instructions()[event.instruction];
      RegisterState latest;
      // The tensor cores add one product after another to the same sums: those need not be there.
      const bool is_product = use.operation == Operation::kWarpgroupProduct;
      for (const std::uint32_t r : use.reads) {
        if (is_product && warp.registers[r].stall == Stall::kGmma) continue;
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
        if (is_product && warp.registers[r].stall == Stall::kGmma) continue;
        if (warp.registers[r].ready > latest.ready) latest = warp.registers[r];
      }
      if (waits_for_phase(warp, events[warp.next], from)) return;
      const RegisterState arrival = awaited(warp, events[warp.next], cost);
      if (arrival.ready > latest.ready) latest = arrival;
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
      const StaticInstruction& instruction =
          program_.instructions()[trace_.events[event].instruction];
      const bool accesses = instruction.access != AccessKind::kNone ||
                            instruction.synchronisation != Synchronisation::kNone ||
                            traced_.work_of[event] != kNoAccess;
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
      const bool is_bulk = traced_.work[work].is_bulk;
      if (traced_.work[work].kind == AccessKind::kAsyncCopy && !is_bulk) {
        warp.pending = std::max(warp.pending, result.ready);
      }
      if (is_bulk && traced_.work[work].kind == AccessKind::kStore) {
        warp.stores = std::max(warp.stores, cycle + traced_.work[work].wavefronts);
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
    if (done.operation == Operation::kWarpgroupProduct) {
      const std::size_t scheduler = static_cast<std::size_t>(&warp - warps_.data()) % kSchedulers;
      const double free = pipe_free_[scheduler][static_cast<std::size_t>(Pipe::kTensor)];
      result = {static_cast<std::uint32_t>(std::lround(free + double{cost.latency})), Stall::kGmma};
      warp.products = std::max(warp.products, result.ready);
    }
    if (cost.ends_products) {
      warp.product_groups.push_back(warp.products);
      warp.products = 0;
    }
    for (const std::uint32_t r : done.writes) warp.registers[r] = result;
    const bool follows_copies = done.operation == Operation::kMbarrierCpAsync;
    note_phases(warp, event, follows_copies ? std::max(result.ready, warp.pending) : result.ready);
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

  // The same at mbarriers: what they wait for another block does, or was not traced.
  bool open_phases(std::uint32_t cycle) {
    for (std::vector<PhaseState>& of_slot : phases_now_) {
      for (PhaseState& phase : of_slot) {
        if (phase.waiting.empty()) continue;
        phase.over = std::max(phase.over, cycle + 1);
        wake(phase);
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
  MbarrierPhases phases_;
  MemoryPipe memory_;
  WarpTiming result_;
  std::vector<WarpState> warps_;
  std::array<std::vector<std::uint32_t>, kSchedulers> schedulers_;
  std::array<std::size_t, kSchedulers> turn_{};
  std::array<PipesFree, kSchedulers> pipe_free_{};
  std::array<double, kPipeCount> pipe_busy_{};
  std::vector<std::uint32_t> barriers_of_;                        // by warp of the block
  std::vector<std::vector<std::vector<std::uint32_t>>> arrived_;  // by slot and barrier: warps
  std::vector<std::vector<PhaseState>> phases_now_;               // by slot and phase
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
    case Stall::kMbarrier:
      return "mbarrier wait";
    case Stall::kGmma:
      return "GMMA wait";
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
