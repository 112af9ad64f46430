#pragma once
#include <memory>

#include "core/result.h"
#include "ui/platform/platform.h"

namespace tilescope {

// No window: OpenGL over EGL, without a display.
[[nodiscard]] Result<std::unique_ptr<Platform>> open_headless(const PlatformOptions& options);

}  // namespace tilescope
