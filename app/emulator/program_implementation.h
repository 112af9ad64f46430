#pragma once
#include <memory>
#include <string>
#include <vector>

#include "emulator/decode/kernel_decoder.h"
#include "emulator/machine/listing.h"
#include "emulator/program.h"
#include "ptx/syntax.h"

namespace tilescope {

constexpr std::size_t kDeepestInlining = 64;  // of a place: what a damaged file could make endless

struct Program::Implementation {
  std::string ptx;  // what every string_view points into
  PtxModule module;
  std::uint32_t entry = 0;
  DecodedKernel decoded;
  std::string kernel;
  std::vector<std::string> phases;
  std::string machine_code;  // of a program decoded from it, a line an instruction
  std::unique_ptr<const std::string> listing;  // of machine code; what `issued` refers to
  std::vector<machine::Instruction> issued;    // what StaticInstruction::issued points to

  [[nodiscard]] const Code& code() const { return decoded.code; }
};

// The fastest instruction set that this machine runs; $TILESCOPE_INSTRUCTION_SET names another
// (portable, avx2, avx512) for tests and comparisons.
[[nodiscard]] const InstructionSet& best_instruction_set();
// Those of this program that this machine runs, slowest first.
[[nodiscard]] std::vector<InstructionSet> instruction_sets();
// Whether the program was built for a machine with other instructions, so that the portable ones
// are left, of which each takes several times as long.
[[nodiscard]] bool lacks_instruction_set();

// decode_ptx() before the program is given away. `is_lifted`: the PTX is machine code, lifted.
[[nodiscard]] Result<std::shared_ptr<Program>> decode_module(
    std::string_view ptx, std::string_view kernel, std::string_view source,
    const InstructionSet& set, bool is_lifted = false, const ProgramPlacement* placement = nullptr);

// decode_ptx() for a given instruction set.
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_ptx_with(std::string_view ptx,
                                                                     std::string_view kernel,
                                                                     std::string_view source,
                                                                     const InstructionSet& set);

}  // namespace tilescope
