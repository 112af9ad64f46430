#pragma once
#include "emulator/checks/instruction_notes.h"

namespace tilescope {

// Loads that a compiler has moved in front of the condition that they depend on: of
// if (t == 0 && flag) every thread loads the flag, and an "and" then leaves its value out where
// t != 0. Whose value is left out has read nothing. Fills InstructionNote::hoisted and chooses, and
// InstructionNotes::choices.
void find_hoisted_loads(const Program& program, InstructionNotes& notes);

}  // namespace tilescope
