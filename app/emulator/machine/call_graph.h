#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "emulator/machine/listing.h"

namespace tilescope::machine {

// Which functions a kernel's machine code has, and how they call each other. Places are indices of
// instructions of the listing.
struct CallGraph {
  std::map<std::uint32_t, std::uint32_t> functions;  // begin to end; the kernel itself is the first
  std::set<std::uint32_t> returns;                   // where a call comes back to
  bool through_registers = false;                    // a call goes where a register says
  bool recursive = false;                            // a function comes to itself by calls
};

[[nodiscard]] CallGraph call_graph_of(const Listing& listing);

// A call of a function of the listing, by its name or through a register. (One to a label of the
// function itself, ".L_x_6", seen for sm_80, is a jump from which nothing returns; CALL.ABS calls a
// function of the runtime.)
[[nodiscard]] bool is_call(const Instruction& instruction);
[[nodiscard]] bool is_call_through_register(const Instruction& instruction);
// Where the function begins that is called by its name.
[[nodiscard]] std::optional<std::uint32_t> callee_of(const Instruction& instruction,
                                                     const Listing& listing);

}  // namespace tilescope::machine
