#pragma once

#include "core/result.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tilescope {

// The message for an error of the parser of `app`: the option, what was typed, and what to write
// instead; for the command that was named, else for the program.
[[nodiscard]] Error option_error(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace tilescope
