#pragma once
#include "ui/script_words.h"

namespace tilescope {

// Commands that set what stands in the window, as far as it has such values: a slider, a size, a
// variant, a place in the block. What is not there is an error.
Status set_parameter(const ScriptCommand& command, const ScriptTarget& target);
Status set_factor(const ScriptCommand& command, const ScriptTarget& target);
Status set_size(const ScriptCommand& command, const ScriptTarget& target);
Status select_line(const ScriptCommand& command, const ScriptTarget& target);
Status select_lane(const ScriptCommand& command, const ScriptTarget& target);
Status select_warp(const ScriptCommand& command, const ScriptTarget& target);
Status choose_variant(const ScriptCommand& command, const ScriptTarget& target);

}  // namespace tilescope
