#pragma once
#include "ui/script_words.h"

namespace tilescope {

// Commands that work on the kernel: which it is, its settings and text, its time, the tuner.
Status choose_kernel(const ScriptCommand& command, const ScriptTarget& target);
Status set_setting(const ScriptCommand& command, const ScriptTarget& target);
Status start_drag(const ScriptCommand& command, const ScriptTarget& target);
Status stand_at(const ScriptCommand& command, const ScriptTarget& target);
Status play(const ScriptCommand& command, const ScriptTarget& target);
Status go_phases(const ScriptCommand& command, const ScriptTarget& target);
Status set_loop(const ScriptCommand& command, const ScriptTarget& target);
Status use_bookmark(const ScriptCommand& command, const ScriptTarget& target);
Status choose_unit(const ScriptCommand& command, const ScriptTarget& target);
Status tune(const ScriptCommand& command, const ScriptTarget& target);
Status type_line(const ScriptCommand& command, const ScriptTarget& target);

}  // namespace tilescope
