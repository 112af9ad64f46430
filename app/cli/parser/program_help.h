#pragma once

namespace CLI {
class App;
}

namespace tilescope {

// --help of the program itself: one screen, what to type first and the commands by purpose. The
// options of the window are in --help-all. Call it after all commands are added: theirs stay as
// they are.
void set_program_help(CLI::App& app);

}  // namespace tilescope
