#pragma once
#include "emulator/checks/instruction_notes.h"

namespace tilescope {

// Notes kept_volatile, answers and volatile_tickets: of kernels whose blocks leave data by volatile
// stores and tell each other by atomics (see TicketOrder).
void note_volatile_tickets(const Program& program, InstructionNotes& notes);

}  // namespace tilescope
