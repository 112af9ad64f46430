#pragma once
#include <cstddef>
#include <vector>

#include "cli/kernel_arguments.h"
#include "core/device_table.h"
#include "exec/recorded_launch.h"
#include "session/document.h"

namespace tilescope {

// A recorded launch as `trace` would be asked for it: by its source where that compiles by itself,
// else by its PTX.
[[nodiscard]] KernelArguments arguments_of(const RecordedLaunch& launch, const DeviceModel& device);

inline constexpr std::size_t kMostSavedLaunches = 16;

// Recorded launches as a session: each is a kernel of the user's own with its real data, named
// "scale, launch 3"; the first kMostDocumentVariants are its variants. Launches whose text cannot
// be read are left out.
[[nodiscard]] Document session_of(const std::vector<RecordedLaunch>& launches,
                                  const DeviceModel& device);

}  // namespace tilescope
