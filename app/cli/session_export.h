#pragma once

#include "cli/export_command.h"

namespace tilescope {

// tilescope export --session S --all|--scenes -o FOLDER, or --session S --view V [--variant A] -o
// FILE: the bytes that the window writes of the same session, once all is counted; of a .gif or
// .mp4 over
// --from to --to. With --all a variant that fails, with --scenes a scene, is named and the others
// are written. The exit status, the worst of all.
[[nodiscard]] int export_session(const ExportArguments& arguments);

}  // namespace tilescope
