#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/study/kernel_study.h"

namespace tilescope {

// The event of `to` that corresponds to `event` of `from`: the same loop step of the warp and the
// same share of it, so that the shown time changes as little as possible with a parameter.
[[nodiscard]] std::uint32_t same_moment(const KernelStudy& from, std::uint32_t event,
                                        const KernelStudy& to, std::uint32_t warp);

// The event of another kernel that corresponds to `event` of `from`: the same share of the warp's
// main loop, so the same k-tile of the same problem; of the whole trace if one of them has no
// loop. 0 for an empty trace.
[[nodiscard]] std::uint32_t same_share(const KernelStudy& from, std::uint32_t event,
                                       const KernelStudy& to, std::uint32_t warp);

// A block's time as one of its warps executes it. The selected warp is shown, so a step forward
// goes to a later event of this warp that changes something.
struct WarpTime {
  const KernelStudy& study;  // traced, with an event
  std::uint32_t warp = 0;
  std::span<const std::uint32_t> own;  // the warp's events, ascending; empty: the trace has none

  // Of `own`: the last at or before `event`, and how many are at or before it.
  [[nodiscard]] std::uint32_t own_event(std::uint32_t event) const;  // before all: the first
  [[nodiscard]] std::size_t done(std::uint32_t event) const;
  // Index into Program::phases() of what the warp does at that time; -1: none.
  [[nodiscard]] std::int16_t phase_at(std::uint32_t event) const;
  // Where the warp's loop steps begin; the block's if the trace has no event of the warp.
  [[nodiscard]] const std::vector<std::uint32_t>& steps() const;

  // From `event`, so many of the warp's instructions, phases or loop steps forward, or backward if
  // the number is negative. Without more of them the result is `event`. Backward from within a
  // phase or a step leads to the beginning of the one before. A warp without events uses those of
  // the block.
  [[nodiscard]] std::uint32_t instructions_on(std::uint32_t event, std::int64_t count) const;
  // Those that access global or shared memory alone.
  [[nodiscard]] std::uint32_t accesses_on(std::uint32_t event, std::int64_t count) const;
  [[nodiscard]] std::uint32_t phases_on(std::uint32_t event, std::int64_t count) const;
  [[nodiscard]] std::uint32_t steps_on(std::uint32_t event, std::int64_t count) const;

 private:
  [[nodiscard]] std::int16_t phase_of(std::uint32_t own_event) const;
  [[nodiscard]] bool is_access(std::uint32_t event) const;
  [[nodiscard]] std::size_t phase_begin(std::size_t place) const;
};

}  // namespace tilescope
