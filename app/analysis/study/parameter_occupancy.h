#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/static_shared.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// One value of a parameter, with the current values of the others: what a block would need and how
// many would fit on an SM. Threads and shared memory follow from the catalogue and the
// declarations; registers are the current ones, as only a compiler knows them.
struct ValueOccupancy {
  std::int64_t value = 0;
  bool present = false;
  bool legal = false;  // valid by the kernel's rules and the device's
  OccupancyRequest request;
  std::optional<Occupancy> occupancy;  // of legal values whose shared memory is known
};
struct ParameterOccupancy {
  std::string name;
  std::vector<ValueOccupancy> values;  // every value that a slider offers, ascending
};

struct ParameterOccupancyRequest {
  const CatalogueEntry& entry;
  const KernelInstance& instance;  // of that entry
  const StaticShared& static_shared;
  const DeviceModel& device;
  OccupancyRequest present;  // of `instance`, as compiled
};
// In the order of the entry's parameters. A fraction of a millisecond.
[[nodiscard]] std::vector<ParameterOccupancy> parameter_occupancies(
    const ParameterOccupancyRequest& request);

// The first rule of the kernel that the current parameters break on the device:
// "warp groups multiply on sm_90 alone; the device is sm_100". Empty: all are met. The limits
// of a block are checked by occupancy().
[[nodiscard]] std::string rule_against(const DeviceModel& device, const CatalogueEntry& entry,
                                       const KernelInstance& instance);

// The axis of a curve of resident warps; the other two keep their values.
enum class OccupancyAxis { kBlockSize, kRegisters, kSharedMemory };

// Neighbouring values with the same number of blocks and warps on an SM.
struct OccupancyStep {
  int first = 0;  // threads, registers per thread, or bytes of shared memory per block
  int last = 0;
  int blocks = 0;  // 0: such a block cannot run
  int warps = 0;
  std::vector<OccupancyLimit> limits;  // all that prevent one more block
};

// Ascending and without gaps: block sizes from 1 to the largest, registers from 1 to the most that
// a thread can have, shared memory (static and dynamic together) from 0 to the most that a block
// can opt in to. Empty if the device is not supported.
[[nodiscard]] std::vector<OccupancyStep> occupancy_steps(const DeviceModel& device,
                                                         const OccupancyRequest& request,
                                                         OccupancyAxis axis);

// The value of `request` on that axis.
[[nodiscard]] int axis_value(const OccupancyRequest& request, OccupancyAxis axis);

// The step of `value`; nullopt beyond the end of the curve.
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
