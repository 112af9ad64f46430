#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/launch/instance.h"

namespace tilescope {

// A warp of the stamped block came to a TILESCOPE_PHASE mark. Cycles are of the multiprocessor's
// clock, from the first stamp of the block.
struct PhaseStamp {
  std::uint32_t warp = 0;
  std::uint32_t line = 0;         // of the mark
  std::uint32_t begin_cycle = 0;  // when the warp got there ...
  std::uint32_t end_cycle = 0;    // ... and when it had stamped: the difference is the stamp's cost
  friend bool operator==(const PhaseStamp&, const PhaseStamp&) = default;
};

// The same kernel, whose marks note the clock while block `block` of the grid executes; marks in
// other functions do not. It is code of its own, slower than what is timed: each mark is a fence to
// the compiler and takes some ten instructions. nullopt: PTX, or no mark.
[[nodiscard]] std::optional<KernelInstance> with_phase_stamps(KernelInstance instance, Dim3 block);

// The stamped module's variable, to be zeroed before a launch whose stamps are read.
inline constexpr const char* kStampLog = "tilescope_stamp_log";
inline constexpr std::uint32_t kStampsPerWarp = 2048;  // later ones are not noted
inline constexpr std::uint32_t kStampWords = 4;        // of a stamp: line, begin, end, unused
inline constexpr std::uint32_t kStampLogWords = 32 * kStampsPerWarp * kStampWords;

// What the log holds after a launch, warp after warp. The clock has 32 bits and may have wrapped.
[[nodiscard]] std::vector<PhaseStamp> read_phase_stamps(std::span<const std::uint32_t> log);

}  // namespace tilescope
