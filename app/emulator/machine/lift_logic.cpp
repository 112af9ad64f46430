#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// [P,] d, a, b, c, table, p: P = (d != 0) or p (.PAND: and).
bool lift_lop3(InstructionWriter& writer) {
  const std::size_t at = is_predicate(writer.operand(0)) ? 1 : 0;
  if (writer.operand_count() < at + 5) return false;
  const Operand& table = writer.operand(at + 4);
  if (table.kind != OperandKind::kInteger) return false;
  const std::string result = writer.word();
  const std::string a = writer.integer(writer.operand(at + 1));
  const std::string b = writer.integer(writer.operand(at + 2));
  const std::string c = writer.integer(writer.operand(at + 3));
  writer.emit_main("lop3.b32 {}, {}, {}, {}, {};", result, a, b, c, table.value & 0xff);
  if (at == 1) {
    const std::string some = writer.predicate();
    writer.emit("setp.ne.u32 {}, {}, 0;", some, result);
    if (writer.operand_count() > at + 5) {
      writer.emit("{}.pred {}, {}, {};", writer.has("PAND") ? "and" : "or", some, some,
                  writer.truth(writer.operand(at + 5)));
    }
    writer.set_predicate(writer.operand(0), some);
  }
  writer.set(writer.operand(at), result);
  return true;
}

// P, Q, a, b, c, table of P, table of Q
bool lift_plop3(InstructionWriter& writer) {
  if (writer.operand_count() < 7) return false;
  std::string inputs[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand& input = writer.operand(2 + i);
    inputs[i] = writer.word();
    if (is_predicate(input)) {
      writer.emit("selp.b32 {}, 1, 0, {};", inputs[i], writer.truth(input));
    } else if (input.suffix == "SIGN") {  // of a register's value
      writer.emit("shr.u32 {}, {}, 31;", inputs[i], writer.integer(input));
    } else {
      return false;
    }
  }
  std::string results[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string bits = writer.word();
    writer.emit("lop3.b32 {}, {}, {}, {}, {};", bits, inputs[0], inputs[1], inputs[2],
                writer.operand(5 + i).value & 0xff);
    writer.emit("and.b32 {}, {}, 1;", bits, bits);
    results[i] = writer.predicate();
    writer.emit("setp.ne.u32 {}, {}, 0;", results[i], bits);
  }
  writer.set_predicate(writer.operand(1), results[1]);
  writer.emit_main("mov.pred {}, {};", writer.to_predicate(writer.operand(0)), results[0]);
  return true;
}

// Shifts the 64 bits {c, a}: .L left, .R right; .HI keeps the upper half, else the lower. The shift
// is clamped to the width of the type, or with .W taken modulo it.
bool lift_funnel(InstructionWriter& writer) {
  if (writer.operand_count() < 4) return false;
  const bool wide = writer.has("U64") || writer.has("S64");
  const bool arithmetic = writer.has("S32") || writer.has("S64");
  const std::string low = writer.integer(writer.operand(1));
  const std::string amount = writer.integer(writer.operand(2));
  const std::string high = writer.integer(writer.operand(3));
  const std::string shift = writer.word();
  const int width = wide ? 64 : 32;
  if (writer.has("W")) {
    writer.emit("and.b32 {}, {}, {};", shift, amount, width - 1);
  } else {
    writer.emit("min.u32 {}, {}, {};", shift, amount, width);
  }
  const std::string value = writer.wide();
  writer.emit("mov.b64 {}, {{{}, {}}};", value, low, high);
  const bool left = writer.has("L");
  writer.emit("{} {}, {}, {};",
              left         ? "shl.b64"
              : arithmetic ? "shr.s64"
                           : "shr.u64",
              value, value, shift);
  const std::string unused = writer.word();
  const std::string to = writer.to(writer.operand(0));
  const bool upper = writer.has("HI");
  writer.emit_main("mov.b64 {{{}, {}}}, {};", upper ? unused : to, upper ? to : unused, value);
  return true;
}

bool lift_permute(InstructionWriter& writer) {
  if (writer.operand_count() < 4) return false;
  const char* mode = "";
  for (const auto& [word, name] : {std::pair{"F4E", ".f4e"},
                                   {"B4E", ".b4e"},
                                   {"RC8", ".rc8"},
                                   {"ECL", ".ecl"},
                                   {"ECR", ".ecr"},
                                   {"RC16", ".rc16"}}) {
    if (writer.has(word)) mode = name;
  }
  const std::string a = writer.integer(writer.operand(1));
  const std::string selector = writer.integer(writer.operand(2));
  const std::string b = writer.integer(writer.operand(3));
  writer.emit_main("prmt.b32{} {}, {}, {}, {};", mode, writer.to(writer.operand(0)), a, b,
                   selector);
  return true;
}

// Of d, a, b: "bmsk.clamp.b32", "szext.clamp.s32"
bool lift_mask(InstructionWriter& writer, const std::string& statement) {
  if (writer.operand_count() < 3) return false;
  writer.emit_main("{} {}, {}, {};", statement, writer.to(writer.operand(0)),
                   writer.integer(writer.operand(1)), writer.integer(writer.operand(2)));
  return true;
}

// Which byte of a register "R4.B1" means, as a shift.
unsigned byte_shift(const Operand& operand) {
  if (operand.suffix.size() == 2 && operand.suffix.front() == 'B') {
    return static_cast<unsigned>(operand.suffix[1] - '0') * 8;
  }
  return 0;
}

// P0 .. P6 from the bits of a register, where the mask has ones.
bool lift_register_to_predicates(InstructionWriter& writer) {
  if (writer.operand_count() < 3 || writer.operand(2).kind != OperandKind::kInteger) return false;
  const Operand& source = writer.operand(1);
  const bool uniform = writer.instruction().mnemonic.starts_with('U');
  const std::string value = writer.integer(source);
  for (unsigned i = 0; i < kTruePredicate; ++i) {
    if ((writer.operand(2).value >> i & 1) == 0) continue;
    const std::string bit = writer.word();
    writer.emit("and.b32 {}, {}, {};", bit, value, 1u << (i + byte_shift(source)));
    writer.emit_main("setp.ne.u32 {}{}, {}, 0;", uniform ? "%UP" : "%P", i, bit);
  }
  return true;
}

// d = c with the bits of the mask taken from P0 .. P6.
bool lift_predicates_to_register(InstructionWriter& writer) {
  if (writer.operand_count() < 4 || writer.operand(3).kind != OperandKind::kInteger) return false;
  unsigned shift = 0;
  for (const std::string_view word : writer.modifiers()) {
    if (word.size() == 2 && word.front() == 'B') shift = static_cast<unsigned>(word[1] - '0') * 8;
  }
  const auto mask = static_cast<std::uint32_t>(writer.operand(3).value) & 0x7f;
  const bool uniform = writer.instruction().mnemonic.starts_with('U');
  const std::string result = writer.word();
  writer.emit("and.b32 {}, {}, {};", result, writer.integer(writer.operand(2)), ~(mask << shift));
  for (unsigned i = 0; i < kTruePredicate; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const std::string bit = writer.word();
    writer.emit("selp.b32 {}, {}, 0, {}{};", bit, 1u << (i + shift), uniform ? "%UP" : "%P", i);
    writer.emit("or.b32 {}, {}, {};", result, result, bit);
  }
  writer.emit_main("mov.b32 {}, {};", writer.to(writer.operand(0)), result);
  return true;
}

}  // namespace

bool lift_logic(InstructionWriter& writer) {
  std::string_view name = writer.instruction().mnemonic;
  if (name.starts_with('U')) name.remove_prefix(1);  // the uniform datapath's
  if (writer.operand_count() == 0) return false;
  if (name == "LOP3") return lift_lop3(writer);
  if (name == "PLOP3") return lift_plop3(writer);
  if (name == "SHF") return lift_funnel(writer);
  if (name == "PRMT") return lift_permute(writer);
  if (name == "BMSK")
    return lift_mask(writer, writer.has("W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32");
  if (name == "SGXT") {
    return lift_mask(writer, std::string(writer.has("W") ? "szext.wrap." : "szext.clamp.") +
                                 (writer.has("U32") ? "u32" : "s32"));
  }
  if (name == "R2P" || name == "R2UP") return lift_register_to_predicates(writer);
  if (name == "P2R" || name == "P2UR") return lift_predicates_to_register(writer);
  return false;
}

}  // namespace tilescope::machine
