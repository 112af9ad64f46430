#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/occupancy.h"
#include "analysis/static_shared.h"
#include "kernel/catalogue.h"

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

}  // namespace tilescope
