#pragma once
#include <string>

#include "cli/parser/command_description.h"

namespace tilescope {

// Scripts with which a shell completes the program's commands, options and their values. Where they
// belong: docs/installing.md.
[[nodiscard]] std::string bash_completion(const CommandDescription& program);
[[nodiscard]] std::string zsh_completion(const CommandDescription& program);
[[nodiscard]] std::string fish_completion(const CommandDescription& program);

}  // namespace tilescope
