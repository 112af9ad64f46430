#include "analysis/study/trial_run.h"

#include <pthread.h>

#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "analysis/memory/launch_memory.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kStepsOfABlock = 16'000'000;  // EmulationOptions::step_budget
constexpr std::uint64_t kStepsOfAccess = 16;          // that take as long
constexpr std::chrono::seconds kPatience{15};         // of the processor

class TouchSink final : public TraceSink {
 public:
  // Asks for a stop after so many accesses.
  TouchSink(const DeviceMemory& memory, std::uint64_t most, std::stop_source* over)
      : touched(memory.buffers().size()), memory_(memory), most_(most), over_(over) {}

  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    if (++accesses == most_) over_->request_stop();
    if (access.space != MemorySpace::kGlobal || access.active == 0) return;
    if (blocks.empty() || blocks.back() != where.block) blocks.push_back(where.block);
    const int lane = std::countr_zero(access.active);
    const auto place = memory_.locate(access.address[static_cast<std::size_t>(lane)], 1);
    if (!place) return;
    any = true;
    TouchedBuffer& buffer = touched[place->buffer];
    buffer.loaded |= access.kind == AccessKind::kLoad || access.kind == AccessKind::kAsyncCopy;
    const bool stores = access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic;
    buffer.stored |= stores;
    if (stores && (storing.empty() || storing.back() != where.block)) {
      storing.push_back(where.block);
    }
    lanes_[{where.block, where.warp}] |= access.active;
  }

  // Threads that accessed anything.
  [[nodiscard]] std::uint64_t threads() const {
    std::uint64_t count = 0;
    for (const auto& [warp, lanes] : lanes_)
      count += static_cast<std::uint64_t>(std::popcount(lanes));
    return count;
  }

  std::vector<TouchedBuffer> touched;
  std::vector<std::uint64_t> blocks;   // that accessed anything; one may come again
  std::vector<std::uint64_t> storing;  // that stored something; likewise
  bool any = false;
  std::uint64_t accesses = 0;

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> lanes_;  // by block and warp
  const DeviceMemory& memory_;
  std::uint64_t most_;
  std::stop_source* over_;
};

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Asks for a stop when it is asked for one, or when this thread has worked for so long: an access
// may take longer than any that was foreseen.
class TimeLimit {
 public:
  TimeLimit(const std::stop_token& stop, std::chrono::seconds most)
      : forward_(stop, [this] { over_.request_stop(); }) {
    ::pthread_getcpuclockid(::pthread_self(), &own_clock_);
    begin_ = seconds_of(own_clock_);
    watch_ = std::jthread([this, most](const std::stop_token& done) {
      constexpr std::chrono::milliseconds kOften{20};
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      while (!done.stop_requested() && seconds() < std::chrono::duration<double>(most).count()) {
        never.wait_for(lock, done, kOften, [] { return false; });
      }
      if (!done.stop_requested()) over_.request_stop();
    });
  }
  [[nodiscard]] std::stop_source& source() { return over_; }
  [[nodiscard]] double seconds() const { return seconds_of(own_clock_) - begin_; }

 private:
  std::stop_source over_;
  clockid_t own_clock_{};
  double begin_ = 0;
  std::stop_callback<std::function<void()>> forward_;
  std::jthread watch_;  // ends first
};

}  // namespace

Result<TrialRun> run_trial(const KernelStudy& study, const TrialLimits& limits,
                           const std::stop_token& stop) {
  TrialRun observed;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  EmulationOptions options;
  options.check = true;
  options.step_budget = kStepsOfABlock;
  const std::uint64_t blocks = study.launch.grid.count();
  observed.grid = study.launch.grid;
  observed.meets_whole_grid = study.launch.grid_workspace != 0;
  observed.asks_for_block = study.compiled->ptx.find("%ctaid") != std::string::npos;
  observed.has_dynamic_shared = study.compiled->ptx.find(".extern .shared") != std::string::npos;
  options.blocks = {blocks - 1};  // the one that reaches furthest first: time may end
  const std::uint64_t half_a_row = observed.grid.x / 2;
  const std::uint64_t half =
      blocks == observed.grid.x ? half_a_row : blocks / observed.grid.x / 2 * observed.grid.x;
  for (const std::uint64_t block : {std::uint64_t{0}, half_a_row, half}) {
    if (std::ranges::find(options.blocks, block) == options.blocks.end()) {
      options.blocks.push_back(block);
    }
  }
  observed.touched.resize(memory.buffers().size());
  std::uint64_t accesses = 0;
  TimeLimit limit(stop, kPatience);
  const auto run = emulate(
      *study.program, study.launch, memory, options,
      [&] { return std::make_unique<TouchSink>(memory, limits.accesses, &limit.source()); },
      [&](TraceSink& sink) {
        const auto& touch = static_cast<const TouchSink&>(sink);
        accesses += touch.accesses;
        observed.any_access |= touch.any;
        observed.busy_threads += touch.threads();
        observed.last_block_stores |=
            std::ranges::find(touch.storing, blocks - 1) != touch.storing.end();
        std::ranges::copy(touch.blocks, std::back_inserter(observed.busy));
        for (std::size_t i = 0; i < touch.touched.size(); ++i) {
          observed.touched[i].loaded |= touch.touched[i].loaded;
          observed.touched[i].stored |= touch.touched[i].stored;
        }
      },
      limit.source().get_token());
  const bool was_stopped = !run && run.error().code == ErrorCode::kCancelled;
  if ((was_stopped && !stop.stop_requested()) || accesses >= limits.accesses) {
    TrialRun slow;
    slow.grid = observed.grid;
    slow.is_slow = true;
    slow.work = limits.accesses;
    return slow;
  }
  if (!run) return run.error();
  for (const DeviceMemory::Buffer& buffer : memory.buffers()) {
    observed.begin.push_back(buffer.address);
    observed.bytes.push_back(buffer.bytes());
  }
  observed.findings = run->findings;
  for (const Finding& finding : run->findings) {
    if (finding.kind != FindingKind::kOutOfBounds || !finding.address) continue;
    const AccessKind access = study.program->instructions()[finding.instruction].access;
    observed.stores_beyond |= access == AccessKind::kStore || access == AccessKind::kAtomic;
  }
  for (const std::uint64_t warps : run->counts.warps) {
    observed.warp_instructions += static_cast<double>(warps);
  }
  const double steps =
      observed.warp_instructions + (observed.has(FindingKind::kEndless) ? kStepsOfABlock : 0);
  observed.work = std::max(accesses, static_cast<std::uint64_t>(steps) / kStepsOfAccess);
  observed.threads = run->blocks * study.launch.block.count();
  const double scale =
      static_cast<double>(blocks) / static_cast<double>(std::max<std::uint64_t>(run->blocks, 1));
  observed.warp_instructions *= scale;
  // Pictures show the middle block: of a launch that has nothing to do there, they show nothing.
  if (observed.any_access && std::ranges::find(observed.busy, half) == observed.busy.end()) {
    observed.warp_instructions = 0;
  }
  return observed;
}

}  // namespace tilescope
