#pragma once
#include <memory>
#include <optional>

#include "core/device_table.h"
#include "kernel/instance.h"
#include "scene/roofline/roofline_data.h"
#include "store/recorded_library.h"

namespace tilescope {

enum class CountMoved : bool { kOff, kOn };
struct RooflineRequest {
  const KernelInstance& instance;
  const DeviceModel& device;
  const Catalogue& catalogue;
  const RecordedLibrary& recorded;
  CountMoved count = CountMoved::kOff;
};

// The recorded times of a catalogue kernel and of its family at its size; and, where it is asked
// for, what each step's lanes move, which is emulated here and now: seconds. nullptr for a file of
// the user's.
[[nodiscard]] std::shared_ptr<const RooflineData> roofline_data_of(const RooflineRequest& request);

// Of exactly this at the launch's size and factors, cold, from the first file that has it.
[[nodiscard]] std::optional<KnownTime> recorded_time(const RecordedLibrary& recorded,
                                                     const CatalogueEntry& entry,
                                                     const ParameterSet& parameters,
                                                     const KernelInstance& launch);

}  // namespace tilescope
