#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/dim3.h"
#include "core/result.h"
#include "emulator/finding.h"

namespace tilescope {

// How the buffers of a launch were accessed.
struct TouchedBuffer {
  bool loaded = false;
  bool stored = false;
};

// The result of emulating some blocks of a launch with all checks.
struct TrialRun {
  std::vector<Finding> findings;
  std::vector<TouchedBuffer> touched;  // by buffer
  std::vector<std::uint64_t> begin;    // address of each buffer
  std::vector<std::uint64_t> bytes;    // of each buffer
  bool any_access = false;
  bool stores_beyond = false;       // beyond a buffer's end
  std::uint64_t threads = 0;        // of the tried blocks
  std::uint64_t busy_threads = 0;   // those of them that accessed anything
  std::vector<std::uint64_t> busy;  // blocks that accessed anything
  double warp_instructions = 0;
  Dim3 grid;
  bool meets_whole_grid = false;
  bool asks_for_block = true;       // blockIdx is read, so that blocks may do different things
  bool has_dynamic_shared = false;  // an extern __shared__ array
  bool last_block_stores = false;
  bool is_slow = false;    // it was more work than is looked at, and nothing else is known
  std::uint64_t work = 0;  // that it was, in units of TrialLimits

  [[nodiscard]] bool has(FindingKind kind) const {
    return std::ranges::any_of(findings, [&](const Finding& one) { return one.kind == kind; });
  }
  [[nodiscard]] bool is_nearly_idle() const { return !is_slow && busy_threads < threads / 64; }
  [[nodiscard]] bool exceeds_shared() const {
    return std::ranges::any_of(findings, [](const Finding& one) {
      return one.kind == FindingKind::kOutOfBounds && !one.address;
    });
  }
  // A trap, or an assert that does not hold.
  [[nodiscard]] bool stops_itself() const { return has(FindingKind::kTrap); }
  // How wrong the launch is; a correction must not raise it.
  [[nodiscard]] std::size_t faults() const {
    return static_cast<std::size_t>(std::ranges::count_if(
               findings,
               [](const Finding& one) {
                 return one.kind == FindingKind::kOutOfBounds || one.kind == FindingKind::kEndless;
               })) +
           (is_slow ? 1 : 0);
  }
};

// How much of a launch is looked at: counted, not timed, so that a file's guess is the same on
// every machine.
struct TrialLimits {
  std::uint64_t accesses = 6'000'000;  // of warps; a launch of more is too large to be looked at
};

// Emulates the last, the first and the middle blocks of the study's launch, each for at most some
// million warp instructions. Errors: as of emulate().
[[nodiscard]] Result<TrialRun> run_trial(const KernelStudy& study, const TrialLimits& limits,
                                         const std::stop_token& stop);

}  // namespace tilescope
