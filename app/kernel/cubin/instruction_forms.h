#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.h"

namespace tilescope {

// An instruction of sm_75 and later as the machine reads it.
struct InstructionWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

struct PrintedInstruction {
  std::string text;                     // as nvdisasm prints it: "@!P0 LDG.E.128 R4, [R2.64+0x10]"
  std::optional<std::uint64_t> target;  // of a branch: bytes from the start of the function; in
                                        // the text it is label_at(target)
};

// ".L_x_a0": the name of the label at an address.
[[nodiscard]] std::string label_at(std::uint64_t address);

// How the instructions of one architecture are written. A table in assets/instruction_forms has a
// line for each form: its bits, and its text with holes. docs/instruction_forms.md says how the
// table is learned from nvdisasm and how it was compared with it.
class InstructionForms {
 public:
  // Those of an architecture (86), read once: its own table, or that of the nearest one below with
  // the same major number, whose instructions are written alike. nullptr: there is none.
  // Thread-safe.
  [[nodiscard]] static const InstructionForms* of(int compute_capability);

  // From the text of a table. Errors (kMachine): the line that cannot be read.
  [[nodiscard]] static Result<InstructionForms> read(std::string_view table);

  // The instruction at an address of its function; nullopt: the table has no such form.
  [[nodiscard]] std::optional<PrintedInstruction> print(const InstructionWord& word,
                                                        std::uint64_t address) const;

 private:
  // Consecutive bits of the word, which stand in the number from `shift` on.
  struct Bits {
    unsigned first = 0;
    unsigned count = 0;
    unsigned shift = 0;
  };
  enum class HoleKind : std::uint8_t { kRegister, kInteger, kTarget, kNumber, kFlag };
  struct NumberFormat {
    unsigned exponent_bits = 0;
    unsigned fraction_bits = 0;
    unsigned stored_bits = 0;  // of the 1 + exponent + fraction the upper ones; the rest is zero
  };
  struct Hole {
    HoleKind kind = HoleKind::kInteger;
    std::vector<Bits> bits;
    bool is_signed = false;
    bool is_inverted = false;
    std::int64_t added = 0;
    std::vector<std::int64_t> other_forms;  // values that are written in another way
    std::string name;                       // of a register: "UR"; of a flag: what it writes
    bool when = true;                       // of a flag: written where its bit is so
    NumberFormat format;
  };
  struct Form {
    InstructionWord mask;            // the bits that the form fixes
    InstructionWord value;           // and what they are
    std::string guard;               // whose predicates guard it: "P", "UP"
    std::vector<std::string> words;  // before each hole, and after the last
    std::vector<Hole> holes;
  };

  static bool read_form(std::string_view line, Form* form);
  static bool add_bits(std::string_view first, unsigned count, Hole* hole);
  static bool read_hole(std::string_view text, Hole* hole);
  static bool write(const Hole& hole, const InstructionWord& word, std::uint64_t address,
                    PrintedInstruction* printed);

  std::unordered_map<unsigned, std::vector<Form>> forms_;  // by the lowest 12 bits
};

}  // namespace tilescope
