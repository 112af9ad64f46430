#pragma once
#include <optional>
#include <vector>

#include "analysis/occupancy.h"

namespace tilescope {

// What a curve of resident warps runs over, the other two staying as they are.
enum class OccupancyAxis { kBlockSize, kRegisters, kSharedMemory };

// Neighbouring values at which an SM holds the same blocks of the same warps.
struct OccupancyStep {
  int first = 0;  // threads, registers per thread, or bytes of shared memory per block
  int last = 0;
  int blocks = 0;  // 0: such a block cannot run
  int warps = 0;
  std::vector<OccupancyLimit> limits;  // all that stop the next block
};

// Ascending and without gaps: block sizes from 1 to the largest, registers from 1 to the most that
// a thread can have, shared memory (static and dynamic together) from 0 to the most that a block
// can opt in to. Empty where the device cannot be computed with.
[[nodiscard]] std::vector<OccupancyStep> occupancy_steps(const DeviceModel& device,
                                                         const OccupancyRequest& request,
                                                         OccupancyAxis axis);

// Where `request` stands on that axis.
[[nodiscard]] int axis_value(const OccupancyRequest& request, OccupancyAxis axis);

// The step that `value` lies on; nullopt past the curve's end.
[[nodiscard]] std::optional<OccupancyStep> step_at(const std::vector<OccupancyStep>& steps,
                                                   int value);

// The nearest step on which more warps are resident than at `value`: for registers and shared
// memory the next one down, for block sizes the nearer of both sides. nullopt: none.
struct StepUp {
  int value = 0;  // the last one of the step: of block sizes, whole warps
  OccupancyStep step;
};
[[nodiscard]] std::optional<StepUp> next_step_up(const std::vector<OccupancyStep>& steps,
                                                 int value);

}  // namespace tilescope
