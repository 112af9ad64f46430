#pragma once
#include <memory>

#include "core/result.h"
#include "ui/platform/platform.h"

namespace tilescope {

// A window of the desktop, over GLFW.
[[nodiscard]] Result<std::unique_ptr<Platform>> open_glfw_window(const PlatformOptions& options);

}  // namespace tilescope
