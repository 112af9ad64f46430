#pragma once
#include "emulator/checks/instruction_notes.h"

namespace tilescope {

// Notes what follows from two instructions naming one address, as far as the text says so.
//   InstructionNote::rechecked: a load whose address an atomic names again further on may be
//   outdated without harm where its value starts a compare-and-swap, or only decides whether the
//   atomic is worth it.
//   InstructionNote::update: see updates.h.
void note_same_addresses(const Program& program, InstructionNotes& notes);

}  // namespace tilescope
