#pragma once
#include <string_view>

#include "core/result.h"
#include "ptx/syntax.h"

namespace tilescope {

// Reads a PTX module. The views in the result point into `text`, which must outlive it.
// Errors (kKernel) carry the line. Any text is answered in time linear in its length.
[[nodiscard]] Result<PtxModule> parse_ptx(std::string_view text);

}  // namespace tilescope
