#pragma once

#include <string>

#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {

// The first buffer of the launch that holds structures with pointers in them, or pointers: numbers
// that are made up lead nowhere. Else the first one of a class whose members are not known. Empty:
// there is none.
[[nodiscard]] std::string buffer_of_addresses(const KernelFile& file, const LaunchForm& launch);

}  // namespace tilescope
