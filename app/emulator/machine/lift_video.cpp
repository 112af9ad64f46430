#include "emulator/machine/lifter.h"

// Minima and maxima, and what works on the halves and bytes of words.
namespace tilescope::machine {
namespace {

// Of two halves each; -x half by half.
bool lift_sum_of_halves(InstructionWriter& writer) {
  if (writer.operand_count() != 3) return false;
  std::string values[2];
  for (std::size_t i = 0; i < 2; ++i) {
    Operand plain = writer.operand(i + 1);
    const bool negated = plain.negated && plain.kind != OperandKind::kInteger;
    if (negated) plain.negated = false;
    values[i] = writer.integer(plain);
    if (!negated) continue;
    const std::string inverted = writer.word();
    writer.emit("not.b32 {}, {};", inverted, values[i]);
    writer.emit("add.u16x2 {}, {}, {};", inverted, inverted, 0x00010001);
    values[i] = inverted;
  }
  writer.emit_main("add.u16x2 {}, {}, {};", writer.to(writer.operand(0)), values[0], values[1]);
  return true;
}

// The smallest of several where the last operand is true, else the largest.
void choose(InstructionWriter& writer, const char* type, const std::vector<std::string>& values,
            const Operand& smaller, const std::string& to) {
  std::string least = values.front();
  std::string most = values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const char* relu = writer.has("RELU") && i + 1 == values.size() ? ".relu" : "";
    const std::string next_least = writer.word();
    const std::string next_most = writer.word();
    writer.emit("min{}.{} {}, {}, {};", relu, type, next_least, least, values[i]);
    writer.emit("max{}.{} {}, {}, {};", relu, type, next_most, most, values[i]);
    least = next_least;
    most = next_most;
  }
  writer.emit_main("selp.b32 {}, {}, {}, {};", to, least, most, writer.truth(smaller));
}

const char* minimum_type(const InstructionWriter& writer) {
  if (writer.has("U16x2")) return "u16x2";
  if (writer.has("S16x2") || writer.has("16x2")) return "s16x2";
  return writer.has("U32") ? "u32" : "s32";
}

// [V]IMNMX d, [P, Q,] a, b, p; VIMNMX3 d, a, b, c, p
bool lift_minimum(InstructionWriter& writer, std::size_t sources) {
  if (writer.operand_count() < 4 || writer.has("64")) return false;
  const std::size_t first = is_predicate(writer.operand(1)) ? 3 : 1;
  if (writer.operand_count() < first + sources + 1) return false;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < sources; ++i) {
    values.push_back(writer.integer(writer.operand(first + i)));
  }
  choose(writer, minimum_type(writer), values, writer.operand(first + sources),
         writer.to(writer.operand(0)));
  return true;
}

// min or max of a + b and c.
bool lift_add_minimum(InstructionWriter& writer) {
  if (writer.operand_count() < 5) return false;
  const char* type = minimum_type(writer);
  const std::string sum = writer.word();
  writer.emit("add.{} {}, {}, {};", type, sum, writer.integer(writer.operand(1)),
              writer.integer(writer.operand(2)));
  choose(writer, type, {sum, writer.integer(writer.operand(3))}, writer.operand(4),
         writer.to(writer.operand(0)));
  return true;
}

// Multiplies four bytes, or two halves by two bytes, and adds: IDP.4A.S8.U8 d, a, b, c.
bool lift_dot_product(InstructionWriter& writer) {
  if (writer.operand_count() < 4) return false;
  std::vector<std::string_view> types;
  for (const std::string_view word : writer.modifiers()) {
    if (word.starts_with('S') || word.starts_with('U')) types.push_back(word);
  }
  if (types.size() != 2) return false;
  const auto type = [](std::string_view word) { return word.front() == 'S' ? "s32" : "u32"; };
  const char* form = writer.has("4A") ? "dp4a" : writer.has("LO") ? "dp2a.lo" : "dp2a.hi";
  writer.emit_main("{}.{}.{} {}, {}, {}, {};", form, type(types[0]), type(types[1]),
                   writer.to(writer.operand(0)), writer.integer(writer.operand(1)),
                   writer.integer(writer.operand(2)), writer.integer(writer.operand(3)));
  return true;
}

// VABSDIFF4.U8[.ACC] d, a, b, c: byte by byte, or their sum and c. VABSDIFF[.U32] d, a, b, c: of
// the words, and c.
bool lift_absolute_difference(InstructionWriter& writer) {
  if (writer.operand_count() != 4) return false;
  const bool bytes = writer.instruction().mnemonic == "VABSDIFF4";
  if (bytes && !writer.has("U8")) return false;
  const char* name = bytes ? "vabsdiff4.u32.u32.u32" : writer.has("U32") ? "sad.u32" : "sad.s32";
  writer.emit_main("{}{} {}, {}, {}, {};", name, bytes && writer.has("ACC") ? ".add" : "",
                   writer.to(writer.operand(0)), writer.integer(writer.operand(1)),
                   writer.integer(writer.operand(2)), writer.integer(writer.operand(3)));
  return true;
}

}  // namespace

bool lift_video(InstructionWriter& writer) {
  std::string_view name = writer.instruction().mnemonic;
  if (name.starts_with('U')) name.remove_prefix(1);  // the uniform datapath's
  if (name == "VIADD" && writer.has("16x2")) return lift_sum_of_halves(writer);
  if (name == "IMNMX" || name == "VIMNMX") return lift_minimum(writer, 2);
  if (name == "VIMNMX3") return lift_minimum(writer, 3);
  if (name == "VIADDMNMX") return lift_add_minimum(writer);
  if (name == "VABSDIFF4" || name == "VABSDIFF") return lift_absolute_difference(writer);
  if (name == "IDP") return lift_dot_product(writer);
  return false;
}

}  // namespace tilescope::machine
