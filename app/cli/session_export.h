#pragma once
#include "cli/export_command.h"

namespace tilescope {

// tilescope export --session S --all -o FOLDER, or --session S --view V [--variant A] -o FILE: the
// bytes that the window writes of the same session, once all is counted. The exit status.
[[nodiscard]] int export_session(const ExportArguments& arguments);

}  // namespace tilescope
