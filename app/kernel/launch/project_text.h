#pragma once

#include "kernel/launch/file_launch.h"

namespace tilescope {

// What a compiler would read of a CUDA file, for whoever only reads it: in front of its text the
// beginning of the file that includes it (kernel/launch/near_sources.h), and the texts of the
// headers that it names in quotes and that lie in its project, each once. At most 256 KiB of them;
// of PTX and of what lies in no folder, the text alone.
[[nodiscard]] KernelFile with_project_text(const KernelFile& file);

}  // namespace tilescope
