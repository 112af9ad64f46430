#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ui/script_words.h"

namespace tilescope {

struct ScriptRule {
  // How it is written, its name first: "panel TITLE on|off|front". Small letters stand as they are,
  // capitals for a value of any kind; [WORD] may be left out, and ... is any number of words more.
  std::string_view usage;
  Status (*act)(const ScriptCommand& command, const ScriptTarget& target);
};

// nullptr: there is no such command.
[[nodiscard]] const ScriptRule* find_script_rule(std::string_view name);

// Whether a command of these words, its name first, is written as the rule says.
[[nodiscard]] bool fits(const ScriptRule& rule, const std::vector<std::string>& words);

}  // namespace tilescope
