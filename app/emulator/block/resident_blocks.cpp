#include "emulator/block/resident_blocks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/quantity.h"
#include "emulator/code.h"

namespace tilescope {
namespace {

// What waiting blocks may hold: a quarter of the machine's memory.
std::uint64_t most_held_bytes() {
  static const std::uint64_t most = std::max<std::uint64_t>(
      std::uint64_t{1} << 30, static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4);
  return most;
}
// Warp instructions in vain after which blocks wait for what nobody does; and after which a block
// waits for one that is not emulated.
constexpr std::uint64_t kPatience = std::uint64_t{1} << 30;
constexpr std::uint64_t kPatienceOfASample = std::uint64_t{1} << 18;
// Blocks that take turns in drawing numbers: enough to be in each other's way.
constexpr std::uint32_t kMostSharers = 16;
constexpr std::uint64_t kPatienceWithOthers = std::uint64_t{1} << 32;  // that change registers

// Whether some blocks have come to the barrier of the grid and not all: each meeting leaves the low
// 31 bits of its count 0 (cooperative_groups/details/sync.h).
bool grid_lacks_blocks(const Launch& launch, const MemoryMap& memory) {
  const std::uint64_t address = launch.grid_workspace + sizeof(std::uint32_t);
  const MemoryRegion* region = launch.grid_workspace == 0 ? nullptr : memory.find(address);
  if (region == nullptr) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, region->data + (address - region->begin), sizeof(count));
  return (count & 0x7fffffffU) != 0;
}

}  // namespace

std::uint64_t most_resident_clusters(const Code& code, const Launch& launch) {
  constexpr std::uint64_t kMultiprocessors = 148;
  constexpr std::uint64_t kBlocks = 32;  // of a multiprocessor
  constexpr std::uint64_t kWarps = 64;
  constexpr std::uint64_t kShared = 228u << 10;
  constexpr std::uint64_t kReserved = 1024;  // of each block
  const std::uint64_t warps = (launch.block.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t shared =
      std::uint64_t{code.static_shared_bytes} + launch.dynamic_shared_bytes + kReserved;
  const std::uint64_t blocks =
      kMultiprocessors *
      std::min({kBlocks, kWarps / std::max<std::uint64_t>(warps, 1), kShared / shared});
  return std::max<std::uint64_t>(1, blocks / code.cluster.count());
}

ResidentBlocks::ResidentBlocks(const BlockRunner::Setup& setup, Residents& shared,
                               ClusterRunner::IsWanted is_wanted, ClusterRunner::Prepare prepare)
    : setup_(setup),
      shared_(shared),
      is_wanted_(std::move(is_wanted)),
      prepare_(std::move(prepare)) {}

ResidentBlocks::~ResidentBlocks() {
  for (const Waiting& waiting : waiting_) {
    shared_.waiting -= 1;
    shared_.held_bytes -= waiting.bytes;
  }
}

bool ResidentBlocks::has_room() const {
  return waiting_.empty() || (giving_turns_ < kMostSharers && shared_.waiting < shared_.most &&
                              shared_.held_bytes < most_held_bytes());
}

ClusterRunner& ResidentBlocks::free_runner() {
  if (free_.empty()) {
    runners_.push_back(std::make_unique<ClusterRunner>(setup_, is_wanted_, prepare_));
    return *runners_.back();
  }
  ClusterRunner& runner = *free_.back();
  free_.pop_back();
  return runner;
}

void ResidentBlocks::keep(ClusterRunner& runner) {
  waiting_.push_back({&runner, runner.held_bytes(), runner.gives_turn()});
  giving_turns_ += runner.gives_turn() ? 1u : 0u;
  shared_.waiting += 1;
  shared_.held_bytes += waiting_.back().bytes;
}

void ResidentBlocks::let_go(ClusterRunner& runner) {
  finished_ += runner.wanted_blocks();
  free_.push_back(&runner);
}

BlockOutcome ResidentBlocks::begin(std::uint64_t cluster, const std::stop_token& stop) {
  ClusterRunner& runner = free_runner();
  const BlockOutcome outcome = runner.run(cluster, nullptr, stop);
  steps_in_vain_ = other_steps_ = 0;
  if (outcome == BlockOutcome::kWaits) {
    keep(runner);
  } else if (outcome != BlockOutcome::kLate) {
    let_go(runner);
  }
  return outcome;
}

BlockOutcome ResidentBlocks::look_again(const std::stop_token& stop) {
  const Waiting first = waiting_.front();
  waiting_.pop_front();
  giving_turns_ -= first.gives_turn ? 1u : 0u;
  shared_.waiting -= 1;
  shared_.held_bytes -= first.bytes;
  ClusterRunner& runner = *first.runner;
  const BlockOutcome outcome = runner.go_on(nullptr, stop);
  if (outcome == BlockOutcome::kLate) return outcome;
  if (!runner.ran_in_vain()) steps_in_vain_ = other_steps_ = 0;
  if (outcome != BlockOutcome::kWaits) {
    steps_in_vain_ = other_steps_ = 0;
    let_go(runner);
    return outcome;
  }
  (runner.waits_unchanged() ? steps_in_vain_ : other_steps_) += runner.steps_of_run();
  const std::uint64_t patience = shared_.whole_grid ? kPatience : kPatienceOfASample;
  if (steps_in_vain_ <= std::min(patience, setup_.step_budget) &&
      other_steps_ <= kPatienceWithOthers) {
    keep(runner);
    return outcome;
  }
  give_up(runner);
  finished_ += runner.wanted_blocks();
  return BlockOutcome::kEndless;
}

void ResidentBlocks::give_up(ClusterRunner& runner) const {
  const std::uint64_t begun = (shared_.waiting + 1) * setup_.code.cluster.count();
  const std::uint64_t blocks = shared_.clusters * setup_.code.cluster.count();
  if (!shared_.whole_grid) {
    shared_.lacks_blocks = true;
    runner.give_up(FindingKind::kUnsupported,
                   "waits here for another block, which is not among those that are emulated: "
                   "emulate the whole grid");
  } else if (shared_.next >= shared_.clusters && grid_lacks_blocks(setup_.launch, setup_.memory)) {
    runner.give_up(FindingKind::kBarrier,
                   fmt::format("{} of {} blocks wait here for the whole grid (this_grid().sync()), "
                               "and the others do not come: let every block call it equally often",
                               begun, blocks));
  } else if (shared_.next >= shared_.clusters) {
    runner.give_up(
        FindingKind::kEndless,
        fmt::format("a loop here waits for what no thread does{}: let a thread that does not wait "
                    "itself write what it reads",
                    begun > 1 ? fmt::format(" ({} blocks wait so)", begun) : ""));
  } else if (shared_.waiting + 1 >= shared_.most) {
    runner.give_up(
        FindingKind::kEndless,
        fmt::format("{} blocks of {} wait here for others that have not begun, and no GPU holds "
                    "more of them at once: launch no more than fit on it "
                    "(cudaOccupancyMaxActiveBlocksPerMultiprocessor), or end the kernel here",
                    begun, blocks));
  } else {
    runner.give_up(FindingKind::kUnsupported,
                   fmt::format("{} blocks wait here for others, and there is no memory to begin "
                               "one more of the {}",
                               begun, blocks));
  }
}

ExecutionCounts ResidentBlocks::counts(std::size_t instructions) const {
  ExecutionCounts sum(instructions);
  for (const auto& runner : runners_) sum += runner->counts(instructions);
  return sum;
}

bool ResidentBlocks::complete() const {
  return std::all_of(runners_.begin(), runners_.end(),
                     [](const auto& runner) { return runner->complete(); });
}

}  // namespace tilescope
