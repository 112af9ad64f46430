#pragma once

#include <string>

#include "core/result.h"
#include "kernel/launch/file_launch.h"

namespace tilescope {

// Whether open_kernel_file() takes it: a file whose name is a kernel's, or one with device code
// (kernel/compile/device_code.h), whatever its name.
[[nodiscard]] bool can_be_opened(const std::string& path);

// A file of the user's as a kernel's text. Of device code it is the PTX that the file holds, or the
// PTX that was made from its machine code (emulator/machine_text.h); the text's name is then the
// file's with .ptx behind it. `compute_capability`: that it is to be shown for.
struct OpenedFile {
  KernelFile file;
  int compute_capability = 0;  // that machine code is for; 0: a text or PTX
  std::string notes;           // a line each; may be empty
};
[[nodiscard]] Result<OpenedFile> open_kernel_file(const std::string& path, int compute_capability);

}  // namespace tilescope
