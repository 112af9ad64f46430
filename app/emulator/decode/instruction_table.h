#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "emulator/operation.h"
#include "emulator/program.h"
#include "ptx/opcode.h"

namespace tilescope {

class InstructionDecoder;

// Makes micro-operations of one instruction. False: InstructionDecoder::refuse() has said why not.
using DecodeFunction = bool (*)(InstructionDecoder& decoder);

// What the time models and the checks must know of an instruction. What the class already says, or
// the types, need not be said again.
struct InstructionTraits {
  std::uint8_t flop = 0;  // floating-point operations per lane; a pair (f16x2) has twice as many
  std::optional<ExecutionUnit> unit = std::nullopt;
  Synchronisation synchronisation = Synchronisation::kNone;
  WarpUse warp_use = WarpUse::kNone;
  Control control = Control::kNext;
  bool moves_in_bulk = false;     // which way its modifiers say
  bool type_is_optional = false;  // bar.sync has none, bar.red.popc.u32 does
  // Of decode_operands alone; other decode functions know theirs.
  std::uint8_t operands = 0;  // how many there must be
  AccessKind access = AccessKind::kNone;
  std::uint8_t access_bytes = 0;  // per lane, of each access that the executor makes
};

// One form of an instruction. The table of these is the one place that says what the emulator
// knows: decoder, dispatch, time models, checks and docs/ptx_coverage.md follow from it.
struct InstructionForm {
  std::string_view mnemonic;
  std::string_view types;      // of the first type: "u32 s32"; empty: any or none
  std::string_view modifiers;  // allowed; a word that must be there begins with '!'
  InstructionClass instruction_class = InstructionClass::kMove;
  Operation operation = Operation::kNothing;
  DecodeFunction decode = nullptr;
  std::string_view section;  // of the PTX ISA, CUDA 13.0
  InstructionTraits traits = {};
};

// The unit that executes a form with these modifiers, if it does not access memory.
[[nodiscard]] ExecutionUnit unit_of(const InstructionForm& form, const Modifiers& modifiers);

[[nodiscard]] std::span<const InstructionForm> instruction_table();

// The form of this mnemonic that allows these modifiers; nullptr, with the reason, when there is
// none.
[[nodiscard]] const InstructionForm* find_form(Mnemonic mnemonic, const Modifiers& modifiers,
                                               std::string_view* reason);

// Families that are known and not executed: a launch that reaches one says what it misses.
struct UnsupportedFamily {
  std::string_view mnemonic;
  std::string_view word;     // somewhere in what follows the mnemonic; empty: always
  std::string_view missing;  // "...: <missing> is not supported"
  std::string_view name;     // for the coverage page
};
[[nodiscard]] std::span<const UnsupportedFamily> unsupported_families();
// nullptr: not known.
[[nodiscard]] const UnsupportedFamily* find_unsupported(std::string_view mnemonic,
                                                        std::string_view suffix);

}  // namespace tilescope
