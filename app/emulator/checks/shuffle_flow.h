#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/instruction_notes.h"
#include "emulator/register_use.h"

namespace tilescope {

// Where the results of shuffles go: followed from register to register, without regard to the order
// of instructions, until they are stored.
struct ShuffleFlow {
  enum class Part : std::uint8_t {
    kNone,      // has nothing to do with them
    kShuffles,  // shfl
    kPasses,    // what it writes is made of what it reads
    kChooses,   // ... of one of two operands: selp
    kUses,      // stores it, or takes it for an address
    kEnds,      // what it writes is new, or goes where it is not followed: a call, a vote
  };
  std::vector<Part> of;  // by static instruction; empty: nothing is known
  RegisterUses uses;
};

// Decodes the kernel once more: for the rare kernels that need it.
[[nodiscard]] ShuffleFlow follow_shuffles(const Program& program, const InstructionNotes& notes);

}  // namespace tilescope
