#pragma once

#include "core/result.h"

namespace tilescope {

struct ExportArguments;  // cli/export_command.h

// An error that names the first option that was given and means nothing for what is exported:
// --over without --view throughput, --line with --session. Precondition: view and format are known.
[[nodiscard]] Status check_options(const ExportArguments& arguments);

}  // namespace tilescope
