#pragma once
#include <filesystem>

#include "cli/export_command.h"

namespace tilescope {

// The view while time runs from --from to --to, in the file. kUsage: a moment or step that the
// block does not have, or what export_animation() cannot write. Precondition: the picture is of a
// traced view.
[[nodiscard]] Status write_animation(const ExportArguments& arguments, PictureRequest picture,
                                     const std::filesystem::path& file);

}  // namespace tilescope
