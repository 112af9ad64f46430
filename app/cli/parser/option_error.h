#pragma once

#include "core/result.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tilescope {

// What is wrong with the words of a command line, as the parser of `app` found it: the option, what
// was typed, and what to write instead. Of the command that was named, else of the program.
[[nodiscard]] Error option_error(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace tilescope
