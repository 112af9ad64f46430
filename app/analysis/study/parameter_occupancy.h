#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/occupancy/occupancy.h"
#include "analysis/study/static_shared.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// One value of a parameter, the others as they are: what a block would ask for and how many an SM
// would hold. Threads and shared memory follow from the catalogue and the declarations; registers,
// which only compiling tells, are the present ones.
struct ValueOccupancy {
  std::int64_t value = 0;
  bool present = false;
  bool legal = false;  // keeps the kernel's rules and the device's
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

// The first rule of the kernel that does not hold on the device, with the parameters as they are:
// "warp groups multiply on sm_90 alone; the device is sm_100". Empty: all hold. What a block may
// have at most is occupancy()'s to say.
[[nodiscard]] std::string rule_against(const DeviceModel& device, const CatalogueEntry& entry,
                                       const KernelInstance& instance);

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
