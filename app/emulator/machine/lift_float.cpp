#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/buffer_recipe.h"
#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// ".rz.ftz.sat" of an arithmetic instruction.
std::string modifiers(InstructionWriter& writer) {
  std::string words = writer.take("RZ")   ? ".rz"
                      : writer.take("RM") ? ".rm"
                      : writer.take("RP") ? ".rp"
                                          : ".rn";
  if (writer.take("FTZ")) words += ".ftz";
  if (writer.take("SAT")) words += ".sat";
  return words;
}

bool lift_f32(InstructionWriter& writer, std::string_view name, std::size_t sources) {
  if (writer.operand_count() != sources + 1) return false;
  std::string text;
  for (std::size_t i = 0; i < sources; ++i) text += ", " + writer.f32(writer.operand(1 + i));
  writer.emit_main("{}{}.f32 {}{};", name, modifiers(writer), writer.to(writer.operand(0)), text);
  return true;
}

bool lift_f64(InstructionWriter& writer, std::string_view name, std::size_t sources) {
  if (writer.operand_count() != sources + 1) return false;
  std::string text;
  for (std::size_t i = 0; i < sources; ++i) text += ", " + writer.f64(writer.operand(1 + i));
  const std::string result = writer.wide();
  writer.emit_main("{}{}.f64 {}{};", name, modifiers(writer), result, text);
  writer.set_wide(writer.operand(0), result);
  return true;
}

// FMUL.D4 and the like divide the product by a power of two, .M4 multiplies it.
bool lift_multiply(InstructionWriter& writer) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kScales = {
      {{"D2", "0f3F000000"},
       {"D4", "0f3E800000"},
       {"D8", "0f3E000000"},
       {"M2", "0f40000000"},
       {"M4", "0f40800000"},
       {"M8", "0f41000000"}}};
  const auto scale = std::ranges::find_if(
      kScales, [&](const auto& candidate) { return writer.take(candidate.first); });
  if (scale == kScales.end()) return lift_f32(writer, "mul", 2);
  if (writer.operand_count() != 3) return false;
  const std::string words = modifiers(writer);
  const std::string product = writer.word();
  writer.emit("mul{}.f32 {}, {}, {};", words.substr(0, words.find(".sat")), product,
              writer.f32(writer.operand(1)), writer.f32(writer.operand(2)));
  writer.emit_main("mul{}.f32 {}, {}, {};", words, writer.to(writer.operand(0)), product,
                   scale->second);
  return true;
}

// The smaller where the last operand is true, else the larger.
bool lift_minimum(InstructionWriter& writer) {
  if (writer.operand_count() != 4) return false;
  std::string words =
      std::string(writer.take("FTZ") ? ".ftz" : "") + (writer.take("NAN") ? ".NaN" : "");
  Operand sources[2] = {writer.operand(1), writer.operand(2)};
  if (writer.take("XORSIGN")) {  // of |a| and |b|, with the sign of a * b
    for (Operand& source : sources) {
      if (!source.absolute) return false;
      source.absolute = false;
    }
    words += ".xorsign.abs";
  }
  const std::string a = writer.f32(sources[0]);
  const std::string b = writer.f32(sources[1]);
  const std::string least = writer.word();
  const std::string most = writer.word();
  writer.emit("min{}.f32 {}, {}, {};", words, least, a, b);
  writer.emit("max{}.f32 {}, {}, {};", words, most, a, b);
  writer.emit_main("selp.b32 {}, {}, {}, {};", writer.to(writer.operand(0)), least, most,
                   writer.truth(writer.operand(3)));
  return true;
}

// FMNMX3 d, a, b, c, p
bool lift_minimum_of_three(InstructionWriter& writer) {
  if (writer.operand_count() != 5 || writer.take("NAN") || writer.take("FTZ")) return false;
  const std::string c = writer.f32(writer.operand(3));
  const std::string a = writer.f32(writer.operand(1));
  const std::string b = writer.f32(writer.operand(2));
  const std::string least = writer.word();
  const std::string most = writer.word();
  for (const auto& [name, result] : {std::pair{"min", &least}, {"max", &most}}) {
    writer.emit("{}.f32 {}, {}, {};", name, *result, a, b);
    writer.emit("{}.f32 {}, {}, {};", name, *result, *result, c);
  }
  writer.emit_main("selp.b32 {}, {}, {}, {};", writer.to(writer.operand(0)), least, most,
                   writer.truth(writer.operand(4)));
  return true;
}

// DSETP.MIN P, Q, a, b: P where the smaller is a, so that ptxas can select by it; Q where both are
// NaN, when it makes b's NaN a quiet one. The last operand is always true.
bool lift_wide_extreme(InstructionWriter& writer) {
  if (writer.operand_count() != 5) return false;
  const std::string a = writer.f64(writer.operand(2));
  const std::string b = writer.f64(writer.operand(3));
  const std::string extreme = writer.wide();
  const std::string is_first = writer.predicate();
  const std::string is_nan = writer.predicate();
  const std::string both = writer.predicate();
  writer.emit("{}.f64 {}, {}, {};", writer.take("MIN") ? "min" : "max", extreme, a, b);
  writer.emit("setp.eq.b64 {}, {}, {};", is_first, extreme, a);
  writer.emit("setp.nan.f64 {}, {}, {};", is_nan, b, b);
  writer.emit("or.pred {}, {}, {};", is_first, is_first, is_nan);
  writer.emit("setp.nan.f64 {}, {}, {};", both, a, a);
  writer.emit("and.pred {}, {}, {};", both, both, is_nan);
  writer.set_predicate(writer.operand(1), both);
  writer.emit_main("mov.pred {}, {};", writer.to_predicate(writer.operand(0)), is_first);
  return true;
}

// P, Q, a, b, p
bool lift_setp(InstructionWriter& writer, bool wide) {
  if (wide && (writer.take("MIN") || writer.take("MAX"))) return lift_wide_extreme(writer);
  const char* name = comparison_of_numbers(writer);
  if (writer.operand_count() < 5 || name == nullptr) return false;
  const std::string result = writer.predicate();
  if (wide) {
    writer.emit("setp.{}.f64 {}, {}, {};", name, result, writer.f64(writer.operand(2)),
                writer.f64(writer.operand(3)));
  } else {
    writer.emit("setp.{}{}.f32 {}, {}, {};", name, writer.take("FTZ") ? ".ftz" : "", result,
                writer.f32(writer.operand(2)), writer.f32(writer.operand(3)));
  }
  write_comparison(writer, result);
  return true;
}

// d = (a op b) bop p as 1.0 and 0.0 (.BF), or as all ones and zeros.
bool lift_set(InstructionWriter& writer) {
  const char* name = comparison_of_numbers(writer);
  if (writer.operand_count() < 4 || name == nullptr) return false;
  const std::string result = writer.predicate();
  writer.emit("setp.{}{}.f32 {}, {}, {};", name, writer.take("FTZ") ? ".ftz" : "", result,
              writer.f32(writer.operand(1)), writer.f32(writer.operand(2)));
  writer.emit("{}.pred {}, {}, {};",
              writer.take("OR")    ? "or"
              : writer.take("XOR") ? "xor"
                                   : "and",
              result, result, writer.truth(writer.operand(3)));
  writer.emit_main("selp.b32 {}, {}, 0, {};", writer.to(writer.operand(0)),
                   writer.take("BF") ? "0f3F800000" : "0xffffffff", result);
  return true;
}

// Whether a / b needs the slow way: an exponent near the ends of the range, in either or in the
// quotient. What the instruction tests exactly is not documented; this is on the safe side of where
// the fast way is right.
bool lift_division_check(InstructionWriter& writer) {
  if (writer.operand_count() < 3) return false;
  const auto exponent = [&](const Operand& operand) {
    const std::string bits = writer.f32(operand);
    const std::string result = writer.word();
    writer.emit("mov.b32 {}, {};", result, bits);
    writer.emit("shr.u32 {}, {}, 23;", result, result);
    writer.emit("and.b32 {}, {}, 255;", result, result);
    return result;
  };
  const std::string a = exponent(writer.operand(1));
  const std::string b = exponent(writer.operand(2));
  const std::string slow = writer.predicate();
  const std::string part = writer.predicate();
  const std::string value = writer.word();
  const auto outside = [&](const std::string& from, int least, int most) {
    writer.emit("sub.u32 {}, {}, {};", value, from, least);
    writer.emit("setp.gt.u32 {}, {}, {};", part, value, most - least);
    writer.emit("or.pred {}, {}, {};", slow, slow, part);
  };
  writer.emit("setp.ne.u32 {}, 0, 0;", slow);
  outside(a, 25, 254);
  outside(b, 1, 252);
  const std::string quotient = writer.word();
  writer.emit("sub.u32 {}, {}, {};", quotient, a, b);
  writer.emit("add.u32 {}, {}, 256;", quotient, quotient);
  outside(quotient, 256 - 124, 256 + 124);
  writer.emit_main("mov.pred {}, {};", writer.to_predicate(writer.operand(0)), slow);
  return true;
}

// MUFU.TANH.F16 d, a: of the lower half.
bool lift_half_function(InstructionWriter& writer) {
  const char* name = writer.take("TANH")  ? "tanh.approx"
                     : writer.take("EX2") ? "ex2.approx"
                                          : nullptr;
  if (name == nullptr) return false;
  const std::string low = writer.half();
  const std::string high = writer.half();
  writer.emit("mov.b32 {{{}, {}}}, {};", low, high, writer.raw(writer.operand(1)));
  if (writer.operand(1).suffix.starts_with("H1")) writer.emit("mov.b16 {}, {};", low, high);
  writer.emit_main("{}.f16 {}, {};", name, low, low);
  writer.emit("mov.b16 {}, 0;", high);
  writer.emit("mov.b32 {}, {{{}, {}}};", writer.to(writer.operand(0)), low, high);
  return true;
}

// The unit for approximations. Sines take turns, not radians.
bool lift_special_function(InstructionWriter& writer) {
  if (writer.operand_count() < 2 || writer.take("F16_V2") || writer.take("BF16")) return false;
  if (writer.take("F16")) return lift_half_function(writer);
  const Operand& to = writer.operand(0);
  const Operand& from = writer.operand(1);
  if (writer.take("RCP64H") || writer.take("RSQ64H")) {
    // The upper half of a number; an immediate is written as the whole of it.
    std::string value;
    if (from.kind == OperandKind::kNumber || from.kind == OperandKind::kInteger) {
      value = writer.f64(from);
    } else {
      value = writer.wide();
      writer.emit("mov.b64 {}, {{0, {}}};", value, writer.f32(from));
    }
    const std::string result = writer.wide();
    writer.emit_main("{}.approx.ftz.f64 {}, {};", writer.take("RCP64H") ? "rcp" : "rsqrt", result,
                     value);
    writer.emit("mov.b64 {{{}, {}}}, {};", writer.word(), writer.to(to), result);
    return true;
  }
  const std::string value = writer.f32(from);
  for (const auto& [word, name] : {std::pair{"RCP", "rcp.approx.ftz"},
                                   {"RSQ", "rsqrt.approx.ftz"},
                                   {"SQRT", "sqrt.approx.ftz"},
                                   {"EX2", "ex2.approx.ftz"},
                                   {"LG2", "lg2.approx.ftz"},
                                   {"SIN", "$sin"},
                                   {"COS", "$cos"},
                                   {"TANH", "tanh.approx"}}) {
    if (!writer.take(word)) continue;
    writer.emit_main("{}.f32 {}, {};", name, writer.to(to), value);
    return true;
  }
  return false;
}

bool lift_float_select(InstructionWriter& writer) {
  if (writer.operand_count() != 4) return false;
  writer.emit_main("selp.b32 {}, {}, {}, {};", writer.to(writer.operand(0)),
                   writer.f32(writer.operand(1)), writer.f32(writer.operand(2)),
                   writer.truth(writer.operand(3)));
  return true;
}

}  // namespace

const char* comparison_of_numbers(InstructionWriter& writer) {
  for (const auto& [word, name] : {std::pair{"EQ", "eq"},
                                   {"NE", "ne"},
                                   {"LT", "lt"},
                                   {"LE", "le"},
                                   {"GT", "gt"},
                                   {"GE", "ge"},
                                   {"EQU", "equ"},
                                   {"NEU", "neu"},
                                   {"LTU", "ltu"},
                                   {"LEU", "leu"},
                                   {"GTU", "gtu"},
                                   {"GEU", "geu"},
                                   {"NUM", "num"},
                                   {"NAN", "nan"}}) {
    if (writer.take(word)) return name;
  }
  return nullptr;
}

bool lift_float(InstructionWriter& writer) {
  std::string_view name = writer.instruction().mnemonic;
  if (name.starts_with("UF")) name.remove_prefix(1);  // the uniform datapath's
  if (name == "FADD") return lift_f32(writer, "add", 2);
  if (name == "FMUL") return lift_multiply(writer);
  if (name == "FFMA") return lift_f32(writer, "fma", 3);
  if (name == "DADD") return lift_f64(writer, "add", 2);
  if (name == "DMUL") return lift_f64(writer, "mul", 2);
  if (name == "DFMA") return lift_f64(writer, "fma", 3);
  if (name == "FMNMX") return lift_minimum(writer);
  if (name == "FMNMX3") return lift_minimum_of_three(writer);
  if (name == "FSETP") return lift_setp(writer, false);
  if (name == "DSETP") return lift_setp(writer, true);
  if (name == "FSET") return lift_set(writer);
  if (name == "FSEL") return lift_float_select(writer);
  if (name == "FCHK") return lift_division_check(writer);
  if (name == "MUFU") return lift_special_function(writer);
  return false;
}

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
    return writer_.take("BF16_V2") ? to_bfloat16(value) : to_half(value);
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
  const bool brain = writer.take("BF16_V2") || writer.take("BF16");
  std::string words = brain ? "" : writer.take("FTZ") ? ".ftz" : "";
  if (writer.take("SAT")) words += ".sat";
  if (writer.take("RELU")) words += ".relu";
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
    writer.emit("cvt.f32.{} {}, {};", writer.take("BF16_V2") ? "bf16" : "f16", value, low);
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
  const char* type = writer.take("BF16_V2") ? "bf16" : "f16";
  const char* combine = writer.take("OR") ? "or" : writer.take("XOR") ? "xor" : "and";
  std::array<std::string, 2> results;
  for (std::size_t i = 0; i < 2; ++i) {
    results[i] = writer.predicate();
    writer.emit("setp.{}.{} {}, {}, {};", name, type, results[i], halves[0][i], halves[1][i]);
    writer.emit("{}.pred {}, {}, {};", combine, results[i], results[i], p);
  }
  return results;
}

// HSET2.OP.BOP d, a, b, p: in each half all ones (.BF: the number 1) or 0.
bool lift_half_set(InstructionWriter& writer) {
  const auto holds = compared(writer, 1);
  if (!holds) return false;
  const std::uint32_t yes = !writer.take("BF")       ? 0xffff
                            : writer.take("BF16_V2") ? to_bfloat16(1)
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
bool lift_half_minimum(InstructionWriter& writer) {
  HalfOperands operands(writer, 1);
  if (writer.operand_count() < 4) return false;
  const std::string a = operands.next();
  const std::string b = operands.next();
  if (!operands.more()) return false;
  const char* type = writer.take("BF16_V2") ? "bf16x2" : "f16x2";
  const char* nan = writer.take("NAN") ? ".NaN" : "";
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
    return writer.take("F32") ? lift_widening(writer) : lift_pairs(writer, "add", 2);
  if (name == "HMUL2") return lift_pairs(writer, "mul", 2);
  if (name == "HFMA2") return lift_pairs(writer, "fma", 3);
  if (name == "HSETP2") return lift_comparison(writer);
  if (name == "HSET2") return lift_half_set(writer);
  if (name == "HMNMX2") return lift_half_minimum(writer);
  return false;
}

}  // namespace tilescope::machine
