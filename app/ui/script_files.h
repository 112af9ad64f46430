#pragma once
#include "ui/script_words.h"

namespace tilescope {

// Commands that write files. The next one acts when the file is there; one that cannot be written
// is an error.
Status save(const ScriptCommand& command, const ScriptTarget& target);
Status export_view_to(const ScriptCommand& command, const ScriptTarget& target);

}  // namespace tilescope
