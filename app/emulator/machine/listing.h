#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/dim3.h"
#include "core/result.h"
#include "emulator/program.h"

namespace tilescope::machine {

inline constexpr std::uint32_t kZeroRegister = 255;  // RZ, URZ
inline constexpr std::uint32_t kTruePredicate = 7;   // PT, UPT

enum class OperandKind : std::uint8_t {
  kRegister,          // R12, RZ
  kUniform,           // UR4, URZ
  kPredicate,         // P0, PT
  kUniformPredicate,  // UP0, UPT
  kInteger,           // 0x10, -0x1
  kNumber,            // 0.5, 1, +INF: a number whose format the instruction decides
  kConstant,          // c[0x0][0x210], c[0x3][R13+0x4]
  kAddress,           // [R2.64+UR4+0x10], desc[UR4][R2.64]
  kLabel,             // `(.L_x_1)
  kWord,              // SR_TID.X, SB0, B1, PR
};

// One operand as nvdisasm writes it.
struct Operand {
  OperandKind kind = OperandKind::kWord;
  bool negated = false;                 // -x
  bool absolute = false;                // |x|
  bool inverted = false;                // ~x, or !p
  bool kept = false;                    // .reuse: the next instruction may read it for nothing
  std::uint32_t index = kZeroRegister;  // the register; of an address its base, kZeroRegister: none
  std::uint32_t uniform = kZeroRegister;  // of an address: the uniform register added to it
  std::uint32_t bank = 0;                 // of a constant
  std::int64_t value = 0;                 // the integer; of an address or constant the displacement
  double number = 0;                      // kNumber
  std::string_view suffix;                // "64", "U32", "X4", "H0_H0" after the register
  std::string_view text;                  // a label's name, a word, or the whole operand
};

[[nodiscard]] inline bool is_predicate(const Operand& operand) {
  return operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kUniformPredicate;
}

// A place in the CUDA source, and what it was inlined into.
struct Place {
  std::string_view file;
  std::uint32_t line = 0;
};

struct Instruction {
  std::uint32_t address = 0;  // bytes from the start of the function's section
  std::uint32_t place = 0;    // into Listing::places; 0: no line is known
  bool guarded = false;
  Operand guard;
  std::string_view mnemonic;                // "LDG"
  std::vector<std::string_view> modifiers;  // "E", "128"
  std::vector<Operand> operands;
  std::vector<std::string_view> branch_targets;  // of BRX and JMX: labels
  std::string_view text;                         // with guard, without the semicolon

  [[nodiscard]] bool has(std::string_view modifier) const;
  [[nodiscard]] std::string_view opcode() const {  // "LDG.E.128"
    const std::string_view last = modifiers.empty() ? mnemonic : modifiers.back();
    return {mnemonic.data(), last.data() + last.size()};
  }
};

// A variable in global memory, with its first bytes; the rest is zero.
struct GlobalData {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::byte> image;
  std::map<std::size_t, std::string> addresses;  // by offset: of a variable, 8 bytes
};

// What nvdisasm prints of one kernel of a cubin: its code and the data that the code names.
struct Listing {
  std::vector<Instruction> instructions;
  std::unordered_map<std::string_view, std::uint32_t> labels;  // to the instruction they stand at
  // Of each run of instructions, innermost first. [0] is empty.
  std::vector<std::vector<Place>> places{{}};
  std::unordered_map<std::uint32_t, std::vector<std::byte>> banks;  // constant data: 2, 3
  std::vector<std::string> symbols;  // bank 4: the variables whose addresses it holds, 8 bytes each
  std::vector<GlobalData> globals;
  std::uint32_t parameter_base = 0;  // of bank 0, bytes
  std::uint32_t shared_bytes = 0;    // static, what the system keeps for itself included
  std::uint32_t local_bytes = 0;     // stack frame, an upper bound; a multiple of 16
  // Blocks that run together, as the PTX says it; no listing tells.
  Dim3 cluster;
  bool explicit_cluster = false;
  [[nodiscard]] bool has_clusters() const { return cluster.count() > 1; }
};

// Reads what `nvdisasm -gi` printed. The listing refers to `text`, which must outlive it. Errors
// (kKernel): no code of such a kernel, or lines it cannot read.
[[nodiscard]] Result<Listing> read_listing(std::string_view text, std::string_view kernel);

// One operand; nullopt when it is written in a way that nvdisasm is not known to use.
[[nodiscard]] std::optional<Operand> read_operand(std::string_view text);

// "@!P0 LDG.E.128 R4, desc[UR4][R2.64]" into its parts; address and place stay unset.
[[nodiscard]] std::optional<Instruction> read_instruction(std::string_view text);

}  // namespace tilescope::machine
