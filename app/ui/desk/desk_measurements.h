#pragma once
#include <memory>

#include "session/measurements.h"

namespace tilescope {

struct Desk;

// All that the document's pictures show as measured: what its file brought, and this sitting's. Of
// launches there are this sitting's alone once it has any, for they have a clock.
[[nodiscard]] Measurements measurements_of(const Desk& desk);
// What the tuner tried last, in this sitting, else in that of the document's file; nullptr:
// nothing.
[[nodiscard]] std::shared_ptr<const TunedRun> tuned_run(const Desk& desk);
// Whose peak stands in the charts: the GPU's that measured last, else the one that is computed for.
[[nodiscard]] const DeviceModel& charted_device(const Desk& desk);

}  // namespace tilescope
