#include "emulator/issued_program.h"

#include "emulator/machine/lifter.h"
#include "emulator/program_implementation.h"

namespace tilescope {

Result<std::shared_ptr<const Program>> decode_machine_code(std::string_view listing,
                                                           const Program& written) {
  const std::string text(listing);
  Result<machine::Listing> read = machine::read_listing(text, written.kernel());
  if (!read) return read.error();
  const auto lifted =
      machine::lift(*read, written.kernel(), written.target(), written.parameters());
  if (!lifted) return lifted.error();
  Result<std::shared_ptr<Program>> program =
      decode_module(lifted->ptx, written.kernel(), "", best_instruction_set());
  if (!program) return program.error();
  Program::Implementation& made = (*program)->implementation();
  for (const machine::Instruction& instruction : read->instructions) {
    made.machine_text.emplace_back(instruction.text);
  }
  for (StaticInstruction& info : made.decoded.instructions) {
    const std::uint32_t at = info.ptx_line < lifted->instruction_of_line.size()
                                 ? lifted->instruction_of_line[info.ptx_line]
                                 : machine::LiftedKernel::kNoInstruction;
    info.counts = at != machine::LiftedKernel::kNoInstruction;
    if (info.counts) info.text = made.machine_text[at];
  }
  return std::shared_ptr<const Program>(*std::move(program));
}

}  // namespace tilescope
