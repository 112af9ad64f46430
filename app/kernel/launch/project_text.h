#pragma once

#include "kernel/launch/file_launch.h"

namespace tilescope {

// What a compiler would read of a CUDA file, for whoever only reads it: in front of its text the
// beginning of the file that includes it (kernel/source/near_sources.h), and the texts of the
// headers that it names in quotes and that lie in its project, each once. At most 256 KiB of them;
// of PTX and of what lies in no folder, the text alone.
[[nodiscard]] KernelFile with_project_text(const KernelFile& file);

// Of a CUDA file without a kernel: the first file that it includes in quotes, directly or not, with
// a kernel that it names, else the first with any. nullopt: it has kernels, or none of these does.
[[nodiscard]] std::optional<KernelFile> included_kernels(const KernelFile& file);

}  // namespace tilescope
