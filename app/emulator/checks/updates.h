#pragma once
#include "emulator/checks/instruction_notes.h"
#include "emulator/checks/named_address.h"

namespace tilescope {

// InstructionNote::update and what goes with it: loads whose value comes back to their own address
// changed, as in x += 1, or decides whether something is stored there, as in if (x == 0) x = 1.
void note_updates(const Program& program, const NamedAddresses& addresses, InstructionNotes& notes);

// What does such a change in one step: "atomicAdd".
[[nodiscard]] const char* atomic_for(InstructionNote::Update update);

}  // namespace tilescope
