#pragma once
#include "emulator/checks/instruction_notes.h"

namespace tilescope {

// What becomes of the values that a kernel loads, as far as its instructions show without running.
//   InstructionNote::rechecked: a load whose address an atomic names again further on may be
//     outdated without harm where its value starts a compare-and-swap, or only decides whether the
//     atomic is worth it;
//   InstructionNote::update and what goes with it: loads whose value comes back to their own
//     address changed, as in x += 1, or decides whether something is stored there, as in
//     if (x == 0) x = 1;
//   ignores_answer: tests of an mbarrier whose result decides nothing;
//   spins: loads that a loop without anything in it waits for, which is never over;
//   lock: accesses between an atomic that takes a lock and what gives it back;
//   kept_volatile, answers and volatile_tickets: of kernels whose blocks leave data by volatile
//     stores and tell each other by atomics (see TicketOrder).
void note_values(const Program& program, InstructionNotes& notes);

}  // namespace tilescope
