#pragma once
#include <deque>
#include <string>

#include "emulator/decode/kernel_decoder.h"
#include "emulator/program.h"
#include "ptx/syntax.h"

namespace tilescope {

struct Program::Implementation {
  std::string ptx;  // what every string_view points into
  PtxModule module;
  std::uint32_t entry = 0;
  DecodedKernel decoded;
  std::string kernel;
  std::vector<std::string> phases;
  std::string machine_code;              // of a program decoded from it, a line an instruction
  std::deque<std::string> machine_text;  // the instructions by themselves

  [[nodiscard]] const Code& code() const { return decoded.code; }
};

// The fastest instruction set that this machine runs; $TILESCOPE_INSTRUCTION_SET names another
// (portable, avx2, avx512) for tests and comparisons.
[[nodiscard]] const InstructionSet& best_instruction_set();
// Those that this machine runs, slowest first.
[[nodiscard]] std::vector<InstructionSet> instruction_sets();

// decode_ptx() before the program is given away. `is_lifted`: the PTX is machine code, lifted.
[[nodiscard]] Result<std::shared_ptr<Program>> decode_module(std::string_view ptx,
                                                             std::string_view kernel,
                                                             std::string_view source,
                                                             const InstructionSet& set,
                                                             bool is_lifted = false);

// decode_ptx() for a given instruction set.
[[nodiscard]] Result<std::shared_ptr<const Program>> decode_ptx_with(std::string_view ptx,
                                                                     std::string_view kernel,
                                                                     std::string_view source,
                                                                     const InstructionSet& set);

// The same kernel once more, each register in a row of its own, with its operands named.
[[nodiscard]] Result<DecodedKernel> decode_with_registers(const Program& program);

}  // namespace tilescope
