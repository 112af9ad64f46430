#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// The event of `to` that stands where `event` stood in `from`: the same k-step of the
// warp and the same share of it, so that a changed parameter leaves time alone as far as it can.
[[nodiscard]] std::uint32_t same_moment(const KernelStudy& from, std::uint32_t event,
                                        const KernelStudy& to, std::uint32_t warp);

// The event of another kernel that stands where `event` stands in `from`: the same share of the
// warp's main loop, so the same k-tile of the same problem; of the whole trace where one of them
// has no loop. 0 for an empty trace.
[[nodiscard]] std::uint32_t same_share(const KernelStudy& from, std::uint32_t event,
                                       const KernelStudy& to, std::uint32_t warp);

// A block's time as one of its warps goes through it. What is shown is the selected warp's, so a
// step on is a step along its way: never back, and never one that changes nothing of it.
struct WarpTime {
  const KernelStudy& study;  // traced, with an event
  std::uint32_t warp = 0;
  std::span<const std::uint32_t> own;  // the warp's events, ascending; empty: the trace has none

  // Of `own`: the last at or before `event`, and how many are at or before it.
  [[nodiscard]] std::uint32_t own_event(std::uint32_t event) const;  // before all: the first
  [[nodiscard]] std::size_t done(std::uint32_t event) const;
  // Index into Program::phases() of what the warp does at that time; -1: none.
  [[nodiscard]] std::int16_t phase_at(std::uint32_t event) const;
  // Where the warp's k-steps begin; the block's where the trace has nothing of the warp.
  [[nodiscard]] const std::vector<std::uint32_t>& steps() const;

  // From `event`, that many of the warp's instructions, phases or k-steps on, or back where the
  // number is negative. Where it has no more of them, time stays where it is; back from within a
  // phase or a step leads to the beginning of the one before. A warp without events goes along the
  // block's.
  [[nodiscard]] std::uint32_t instructions_on(std::uint32_t event, std::int64_t count) const;
  [[nodiscard]] std::uint32_t phases_on(std::uint32_t event, std::int64_t count) const;
  [[nodiscard]] std::uint32_t steps_on(std::uint32_t event, std::int64_t count) const;

 private:
  [[nodiscard]] std::int16_t phase_of(std::uint32_t own_event) const;
  [[nodiscard]] std::size_t phase_begin(std::size_t place) const;
};

}  // namespace tilescope
