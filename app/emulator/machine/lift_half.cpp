#include <array>
#include <optional>

#include "core/buffer_recipe.h"
#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// Two halves in one register, as an operand "-R3.H0_H0" or two numbers name them.
class HalfOperands {
 public:
  HalfOperands(InstructionWriter& writer, std::size_t first) : writer_(writer), at_(first) {}

  [[nodiscard]] bool more() const { return at_ < writer_.operand_count(); }
  [[nodiscard]] const Operand& next_operand() const { return writer_.operand(at_); }

  // The next pair, signs applied.
  std::string next() {
    const Operand& operand = writer_.operand(at_++);
    if (operand.kind == OperandKind::kNumber) {
      const double high = operand.number;  // the upper half comes first
      double low = high;
      if (more() && writer_.operand(at_).kind == OperandKind::kNumber) {
        low = writer_.operand(at_++).number;
      }
      return fmt::format("{}", bits_of(low) | bits_of(high) << 16);
    }
    if (operand.kind == OperandKind::kInteger) return writer_.integer(operand);
    Operand plain = operand;
    plain.negated = plain.absolute = false;
    std::string value = writer_.integer(plain);
    const char* selector = operand.suffix.starts_with("H0_H0")   ? "0x1010"
                           : operand.suffix.starts_with("H1_H1") ? "0x3232"
                           : operand.suffix.starts_with("H1_H0") ? "0x1032"
                                                                 : nullptr;
    if (selector != nullptr && value != "0") {
      const std::string chosen = writer_.word();
      writer_.emit("prmt.b32 {}, {}, 0, {};", chosen, value, selector);
      value = chosen;
    }
    if (operand.absolute) value = with("and.b32", value, "0x7fff7fff");
    if (operand.negated) value = with("xor.b32", value, "0x80008000");
    return value;
  }

 private:
  std::string with(const char* operation, const std::string& value, const char* bits) {
    const std::string result = writer_.word();
    writer_.emit("{} {}, {}, {};", operation, result, value, bits);
    return result;
  }
  [[nodiscard]] std::uint32_t bits_of(double number) const {
    const auto value = static_cast<float>(number);
    return writer_.has("BF16_V2") ? to_bfloat16(value) : to_half(value);
  }

  InstructionWriter& writer_;
  std::size_t at_;
};

bool lift_pairs(InstructionWriter& writer, const char* name, std::size_t sources) {
  HalfOperands operands(writer, 1);
  std::string text;
  for (std::size_t i = 0; i < sources; ++i) {
    if (!operands.more()) return false;
    text += ", " + operands.next();
  }
  const bool brain = writer.has("BF16_V2") || writer.has("BF16");
  std::string words = brain ? "" : writer.has("FTZ") ? ".ftz" : "";
  if (writer.has("SAT")) words += ".sat";
  if (writer.has("RELU")) words += ".relu";
  writer.emit_main("{}.rn{}.{} {}{};", name, words, brain ? "bf16x2" : "f16x2",
                   writer.to(writer.operand(0)), text);
  return true;
}

// HADD2.F32 d, -RZ, a.H0_H0: a half as a number of 32 bits.
bool lift_widening(InstructionWriter& writer) {
  HalfOperands operands(writer, 1);
  std::string halves[2];
  for (std::string& value : halves) {
    if (!operands.more()) return false;
    const std::string pair = operands.next();
    const std::string bits = writer.word();
    writer.emit("mov.b32 {}, {};", bits, pair);
    const std::string low = writer.half();
    writer.emit("mov.b32 {{{}, {}}}, {};", low, writer.half(), bits);
    value = writer.word();
    writer.emit("cvt.f32.{} {}, {};", writer.has("BF16_V2") ? "bf16" : "f16", value, low);
  }
  writer.emit_main("add.rn.f32 {}, {}, {};", writer.to(writer.operand(0)), halves[0], halves[1]);
  return true;
}

// Both halves of the operands from `first` on, a pair and another one, compared, and each outcome
// combined with the predicate behind them.
std::optional<std::array<std::string, 2>> compared(InstructionWriter& writer, std::size_t first) {
  const char* name = comparison_of_numbers(writer);
  if (name == nullptr || writer.operand_count() < first + 3) return std::nullopt;
  HalfOperands operands(writer, first);
  const std::string pairs[2] = {operands.next(), operands.next()};
  if (!operands.more()) return std::nullopt;
  const std::string p = writer.truth(operands.next_operand());
  std::string halves[2][2];
  for (int i = 0; i < 2; ++i) {
    const std::string bits = writer.word();
    writer.emit("mov.b32 {}, {};", bits, pairs[i]);
    halves[i][0] = writer.half();
    halves[i][1] = writer.half();
    writer.emit("mov.b32 {{{}, {}}}, {};", halves[i][0], halves[i][1], bits);
  }
  const char* type = writer.has("BF16_V2") ? "bf16" : "f16";
  const char* combine = writer.has("OR") ? "or" : writer.has("XOR") ? "xor" : "and";
  std::array<std::string, 2> results;
  for (std::size_t i = 0; i < 2; ++i) {
    results[i] = writer.predicate();
    writer.emit("setp.{}.{} {}, {}, {};", name, type, results[i], halves[0][i], halves[1][i]);
    writer.emit("{}.pred {}, {}, {};", combine, results[i], results[i], p);
  }
  return results;
}

// HSET2.OP.BOP d, a, b, p: in each half all ones (.BF: the number 1) or 0.
bool lift_set(InstructionWriter& writer) {
  const auto holds = compared(writer, 1);
  if (!holds) return false;
  const std::uint32_t yes = !writer.has("BF")       ? 0xffff
                            : writer.has("BF16_V2") ? to_bfloat16(1)
                                                    : to_half(1);
  const std::string low = writer.word();
  const std::string high = writer.word();
  writer.emit("selp.b32 {}, {}, 0, {};", low, yes, (*holds)[0]);
  writer.emit("selp.b32 {}, {}, 0, {};", high, yes << 16, (*holds)[1]);
  writer.emit_main("or.b32 {}, {}, {};", writer.to(writer.operand(0)), low, high);
  return true;
}

// HSETP2.OP.BOP P, Q, a, b, p: one predicate for each half.
bool lift_comparison(InstructionWriter& writer) {
  const auto holds = compared(writer, 2);
  if (!holds) return false;
  for (std::size_t i = 0; i < 2; ++i) writer.set_predicate(writer.operand(i), (*holds)[i]);
  return true;
}

// The smaller halves where the last operand is true, else the larger.
bool lift_minimum(InstructionWriter& writer) {
  HalfOperands operands(writer, 1);
  if (writer.operand_count() < 4) return false;
  const std::string a = operands.next();
  const std::string b = operands.next();
  if (!operands.more()) return false;
  const char* type = writer.has("BF16_V2") ? "bf16x2" : "f16x2";
  const char* nan = writer.has("NAN") ? ".NaN" : "";
  const std::string least = writer.word();
  const std::string most = writer.word();
  writer.emit("min{}.{} {}, {}, {};", nan, type, least, a, b);
  writer.emit("max{}.{} {}, {}, {};", nan, type, most, a, b);
  writer.emit_main("selp.b32 {}, {}, {}, {};", writer.to(writer.operand(0)), least, most,
                   writer.truth(operands.next_operand()));
  return true;
}

}  // namespace

bool lift_half(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (writer.operand_count() < 3) return false;
  if (name == "HADD2")
    return writer.has("F32") ? lift_widening(writer) : lift_pairs(writer, "add", 2);
  if (name == "HMUL2") return lift_pairs(writer, "mul", 2);
  if (name == "HFMA2") return lift_pairs(writer, "fma", 3);
  if (name == "HSETP2") return lift_comparison(writer);
  if (name == "HSET2") return lift_set(writer);
  if (name == "HMNMX2") return lift_minimum(writer);
  return false;
}

}  // namespace tilescope::machine
