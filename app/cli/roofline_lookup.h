#pragma once
#include <memory>

#include "core/device_table.h"
#include "kernel/instance.h"
#include "scene/roofline/roofline_data.h"
#include "scene/view.h"
#include "session/readings.h"

namespace tilescope {

// Whether the view shows known times beside what is modelled.
[[nodiscard]] inline bool shows_times(View view) {
  return view == View::kRoofline || view == View::kCompare || view == View::kPipeline;
}

enum class CountMoved : bool { kOff, kOn };
struct RooflineRequest {
  const KernelInstance& instance;
  const CatalogueEntry* entry;  // that it is of, or was made from; nullptr: a file of the user's
  const DeviceModel& device;
  const Catalogue& catalogue;
  const KnownTimes& times;
  CountMoved count = CountMoved::kOff;
};

// The known times of a kernel and of its family at its size; and, where it is asked for, what each
// step's lanes move, which is emulated here and now: seconds. nullptr: of a file of the user's no
// time is known.
[[nodiscard]] std::shared_ptr<const RooflineData> roofline_data_of(const RooflineRequest& request);

}  // namespace tilescope
