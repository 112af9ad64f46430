#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/quantity.h"
#include "emulator/program.h"
#include "kernel/launch/instance.h"
#include "kernel/launch/phase_stamps.h"

namespace tilescope {

// Where the warps of one block were while the GPU executed it, from the clock stamps of an
// instrumented build (kernel/launch/phase_stamps.h). Cycles count from the block's first stamp.
struct MeasuredPhases {
  struct Span {
    std::uint32_t begin = 0;  // the stamp's own cycles are left out, before and behind
    std::uint32_t end = 0;
    std::int16_t phase = -1;  // index into Program::phases()
    friend bool operator==(const Span&, const Span&) = default;
  };
  std::vector<std::vector<Span>> warps;  // the time behind a warp's last stamp is not known
  std::uint32_t cycles = 0;              // until the last stamp
  double stamp_share = 0;  // of a warp's time between its stamps: the stamps themselves
  double slowdown = 0;     // time of the instrumented kernel / of the kernel; 0: not known
  Source source = Source::kMeasured;  // or kRecorded
  std::string gpu = {};               // "NVIDIA H200"; empty: not known
  std::string date = {};              // UTC, "2026-11-30"; empty: not known
  friend bool operator==(const MeasuredPhases&, const MeasuredPhases&) = default;
};

// `instance`: the kernel without its stamps, as `program` was decoded from it. A mark whose phase
// the program does not know is left out.
[[nodiscard]] MeasuredPhases measured_phases(const Program& program, const KernelInstance& instance,
                                             std::span<const PhaseStamp> stamps);

// Cycles of each of that many phases, summed over the warps.
[[nodiscard]] std::vector<std::uint64_t> phase_cycles(std::size_t phases,
                                                      const MeasuredPhases& measured);

}  // namespace tilescope
