#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// Destinations of an adding instruction: a register, then up to two carries; then its sources, and
// at the end up to two carries that come in.
struct Sum {
  std::vector<std::size_t> carries_out;
  std::size_t first_source = 1;
  std::vector<std::size_t> carries_in;
};
Sum sum_of(InstructionWriter& writer, std::size_t sources) {
  Sum sum;
  while (sum.first_source < writer.operand_count() &&
         is_predicate(writer.operand(sum.first_source))) {
    sum.carries_out.push_back(sum.first_source++);
  }
  for (std::size_t i = sum.first_source + sources; i < writer.operand_count(); ++i) {
    if (is_predicate(writer.operand(i))) sum.carries_in.push_back(i);
  }
  return sum;
}

bool enough(InstructionWriter& writer, const Sum& sum, std::size_t sources) {
  return writer.operand_count() >= sum.first_source + sources;
}

// A 32-bit source as 64 bits without its sign, so that the sum's upper half holds the carries.
// -x counts as ~x + 1, which the caller adds.
std::string summand(InstructionWriter& writer, const Operand& operand, int* ones) {
  Operand plain = operand;
  if (operand.negated && operand.kind != OperandKind::kInteger) {
    plain.negated = false;
    plain.inverted = true;
    ++*ones;
  }
  const std::string value = writer.integer(plain);
  const std::string wide = writer.wide();
  writer.emit("cvt.u64.u32 {}, {};", wide, value);
  return wide;
}

void add_carries_in(InstructionWriter& writer, const Sum& sum, const std::string& total) {
  for (const std::size_t index : sum.carries_in) {
    if (writer.operand(index).index == kTruePredicate && writer.operand(index).inverted) continue;
    const std::string carry = writer.wide();
    writer.emit("selp.b64 {}, 1, 0, {};", carry, writer.truth(writer.operand(index)));
    writer.emit("add.u64 {}, {}, {};", total, total, carry);
  }
}

// Of a sum of three 32-bit values, of which `ones` are still to be added: bit 32 and above count
// the carries.
void set_sum(InstructionWriter& writer, const Sum& sum, const std::string& total, int ones) {
  if (ones != 0) writer.emit("add.u64 {}, {}, {};", total, total, ones);
  add_carries_in(writer, sum, total);
  for (std::size_t i = 0; i < sum.carries_out.size(); ++i) {
    const Operand& carry = writer.operand(sum.carries_out[i]);
    const std::string out = writer.predicate();
    writer.emit("setp.ge.u64 {}, {}, {};", out, total, std::uint64_t{i + 1} << 32);
    writer.set_predicate(carry, out);
  }
  writer.emit_main("cvt.u32.u64 {}, {};", writer.to(writer.operand(0)), total);
}

// Sums of 64-bit register pairs, without carries.
bool lift_wide_sum(InstructionWriter& writer, std::size_t sources) {
  const Sum sum = sum_of(writer, sources);
  if (!enough(writer, sum, sources) || !sum.carries_out.empty()) return false;
  const std::string total = writer.wide();
  writer.emit("mov.b64 {}, 0;", total);
  for (std::size_t i = 0; i < sources; ++i) {
    writer.emit("add.u64 {}, {}, {};", total, total,
                writer.wide_integer(writer.operand(sum.first_source + i)));
  }
  const Operand& to = writer.operand(0);
  writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), total);
  return true;
}

bool lift_iadd3(InstructionWriter& writer) {
  if (writer.take("64")) return lift_wide_sum(writer, 3);
  const Sum sum = sum_of(writer, 3);
  if (!enough(writer, sum, 3)) return false;
  if (sum.carries_out.empty() && sum.carries_in.empty()) {
    const std::string first = writer.integer(writer.operand(sum.first_source));
    const std::string second = writer.integer(writer.operand(sum.first_source + 1));
    const std::string third = writer.integer(writer.operand(sum.first_source + 2));
    if (third == "0") {
      writer.emit_main("add.u32 {}, {}, {};", writer.to(writer.operand(0)), first, second);
      return true;
    }
    const std::string partial = writer.word();
    writer.emit("add.u32 {}, {}, {};", partial, first, second);
    writer.emit_main("add.u32 {}, {}, {};", writer.to(writer.operand(0)), partial, third);
    return true;
  }
  int ones = 0;
  const std::string total = writer.wide();
  writer.emit("mov.b64 {}, 0;", total);
  for (std::size_t i = 0; i < 3; ++i) {
    writer.emit("add.u64 {}, {}, {};", total, total,
                summand(writer, writer.operand(sum.first_source + i), &ones));
  }
  set_sum(writer, sum, total, ones);
  return true;
}

// a * b + c on 32 bits, with a carry that comes in for .X.
bool lift_imad_low(InstructionWriter& writer) {
  const Sum sum = sum_of(writer, 3);
  if (!enough(writer, sum, 3)) return false;
  const std::string a = writer.integer(writer.operand(sum.first_source));
  const std::string b = writer.integer(writer.operand(sum.first_source + 1));
  const Operand& addend = writer.operand(sum.first_source + 2);
  if (sum.carries_out.empty() && sum.carries_in.empty()) {
    const std::string c = writer.integer(addend);
    const std::string to = writer.to(writer.operand(0));
    if (a == "0" || b == "0") {
      writer.emit_main("mov.b32 {}, {};", to, c);
    } else if (b == "1") {
      writer.emit_main("add.u32 {}, {}, {};", to, a, c);
    } else {
      writer.emit_main("mad.lo.u32 {}, {}, {}, {};", to, a, b, c);
    }
    return true;
  }
  const std::string product = writer.word();
  writer.emit("mul.lo.u32 {}, {}, {};", product, a, b);
  int ones = 0;
  const std::string total = writer.wide();
  writer.emit("cvt.u64.u32 {}, {};", total, product);
  writer.emit("add.u64 {}, {}, {};", total, total, summand(writer, addend, &ones));
  set_sum(writer, sum, total, ones);
  return true;
}

// a * b + c with 64 bits of product and of c; .HI keeps the upper half.
bool lift_imad_wide(InstructionWriter& writer) {
  const Sum sum = sum_of(writer, 3);
  if (!enough(writer, sum, 3)) return false;
  const char* type = writer.take("U32") ? "u32" : "s32";
  const std::string a = writer.integer(writer.operand(sum.first_source));
  const std::string b = writer.integer(writer.operand(sum.first_source + 1));
  const std::string c = writer.wide_integer(writer.operand(sum.first_source + 2));
  const std::string product = writer.wide();
  writer.emit("mul.wide.{} {}, {}, {};", type, product, a, b);
  const std::string total = writer.wide();
  writer.emit("add.u64 {}, {}, {};", total, product, c);
  std::string carried = writer.predicate();
  if (!sum.carries_out.empty()) writer.emit("setp.lt.u64 {}, {}, {};", carried, total, product);
  for (const std::size_t index : sum.carries_in) {
    const Operand& in = writer.operand(index);
    if (in.index == kTruePredicate && in.inverted) continue;
    const std::string carry = writer.wide();
    const std::string next = writer.wide();
    writer.emit("selp.b64 {}, 1, 0, {};", carry, writer.truth(in));
    writer.emit("add.u64 {}, {}, {};", next, total, carry);
    if (!sum.carries_out.empty()) {
      const std::string again = writer.predicate();
      writer.emit("setp.lt.u64 {}, {}, {};", again, next, carry);
      writer.emit("or.pred {}, {}, {};", carried, carried, again);
    }
    writer.emit("mov.b64 {}, {};", total, next);
  }
  if (!sum.carries_out.empty()) writer.set_predicate(writer.operand(sum.carries_out[0]), carried);
  const Operand& to = writer.operand(0);
  if (writer.take("HI")) {
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.word(), writer.to(to), total);
  } else {
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), total);
  }
  return true;
}

bool lift_imad(InstructionWriter& writer) {
  if (writer.take("WIDE") || writer.take("HI")) return lift_imad_wide(writer);
  return lift_imad_low(writer);
}

// (a << s) + b; .HI: the upper half of the 64-bit shift. Without c, a is extended by zeros, or by
// its sign for .SX32.
bool lift_lea(InstructionWriter& writer) {
  Sum sum = sum_of(writer, 3);
  const bool high = writer.take("HI");
  const bool extended = writer.take("SX32");
  // The shift is the integer after the sources: there are two of them, or three.
  std::size_t shift_at = sum.first_source + 2;
  while (shift_at < writer.operand_count() &&
         writer.operand(shift_at).kind != OperandKind::kInteger) {
    ++shift_at;
  }
  if (shift_at >= writer.operand_count()) return false;
  sum.carries_in.clear();
  for (std::size_t i = shift_at + 1; i < writer.operand_count(); ++i) sum.carries_in.push_back(i);
  const std::int64_t shift = writer.operand(shift_at).value & 31;
  const Operand& a = writer.operand(sum.first_source);
  const Operand& b = writer.operand(sum.first_source + 1);
  if (!high && sum.carries_out.empty() && sum.carries_in.empty()) {
    const std::string shifted = writer.word();
    writer.emit("shl.b32 {}, {}, {};", shifted, writer.integer(a), shift);
    writer.emit_main("add.u32 {}, {}, {};", writer.to(writer.operand(0)), shifted,
                     writer.integer(b));
    return true;
  }
  const std::string total = writer.wide();
  int ones = 0;
  if (high) {
    const std::string low = writer.integer(a);
    const std::string whole = writer.wide();
    if (extended) {
      writer.emit("cvt.s64.s32 {}, {};", whole, low);
    } else {
      const bool has_high = shift_at > sum.first_source + 2;
      const std::string upper =
          has_high ? writer.integer(writer.operand(sum.first_source + 2)) : "0";
      writer.emit("mov.b64 {}, {{{}, {}}};", whole, low, upper);
    }
    writer.emit("shl.b64 {}, {}, {};", whole, whole, shift);
    writer.emit("shr.u64 {}, {}, 32;", total, whole);
  } else {
    // -x is ~x + 1 after the shift too: of 0 it carries.
    Operand plain = a;
    plain.negated = false;
    const std::string shifted = writer.word();
    writer.emit("shl.b32 {}, {}, {};", shifted, writer.integer(plain), shift);
    if (a.negated) {
      writer.emit("not.b32 {}, {};", shifted, shifted);
      ++ones;
    }
    writer.emit("cvt.u64.u32 {}, {};", total, shifted);
  }
  writer.emit("add.u64 {}, {}, {};", total, total, summand(writer, b, &ones));
  set_sum(writer, sum, total, ones);
  return true;
}

const char* comparison(InstructionWriter& writer) {
  for (const auto& [word, name] : {std::pair{"EQ", "eq"},
                                   {"NE", "ne"},
                                   {"LT", "lt"},
                                   {"LE", "le"},
                                   {"GT", "gt"},
                                   {"GE", "ge"}}) {
    if (writer.take(word)) return name;
  }
  return nullptr;
}

// P, Q = (a op b) bop p, !(a op b) bop p. .EX: of 64-bit values whose lower halves were compared
// into the last operand.
bool lift_isetp(InstructionWriter& writer) {
  if (writer.operand_count() < 5) return false;
  const char* type = writer.take("U32") ? "u32" : "s32";
  const std::string a = writer.integer(writer.operand(2));
  const std::string b = writer.integer(writer.operand(3));
  const std::string result = writer.predicate();
  const char* name = comparison(writer);
  if (name == nullptr) {
    writer.emit("setp.{}.u32 {}, 0, 0;", writer.take("T") ? "eq" : "ne", result);
  } else if (writer.take("EX") && writer.operand_count() > 5) {
    const std::string_view op = name;
    const std::string strict(op == "ge" ? "gt" : op == "le" ? "lt" : op == "eq" ? "ne" : op);
    const std::string equal = writer.predicate();
    const std::string low = writer.truth(writer.operand(5));
    writer.emit("setp.eq.u32 {}, {}, {};", equal, a, b);
    writer.emit("and.pred {}, {}, {};", equal, equal, low);
    if (op == "eq") {
      writer.emit("mov.pred {}, {};", result, equal);
    } else {
      writer.emit("setp.{}.{} {}, {}, {};", strict, type, result, a, b);
      writer.emit("or.pred {}, {}, {};", result, result, equal);
    }
  } else {
    writer.emit("setp.{}.{} {}, {}, {};", name, type, result, a, b);
  }
  write_comparison(writer, result);
  return true;
}

// Finds the leading bit: -1 where there is none; .SH gives the shift that brings it to the top.
bool lift_find_leading(InstructionWriter& writer) {
  const std::size_t source = writer.operand_count() - 1;
  if (writer.operand_count() < 2) return false;
  writer.emit_main("bfind{}.{} {}, {};", writer.take("SH") ? ".shiftamt" : "",
                   writer.take("U32") ? "u32" : "s32", writer.to(writer.operand(0)),
                   writer.integer(writer.operand(source)));
  return true;
}

bool lift_unary(InstructionWriter& writer, const char* statement) {
  if (writer.operand_count() < 2) return false;
  writer.emit_main("{} {}, {};", statement, writer.to(writer.operand(0)),
                   writer.integer(writer.operand(writer.operand_count() - 1)));
  return true;
}

}  // namespace

void write_comparison(InstructionWriter& writer, const std::string& result) {
  const char* combine = writer.take("OR") ? "or" : writer.take("XOR") ? "xor" : "and";
  const Operand& last = writer.operand(4);
  const std::string other = writer.truth(last);
  const bool second = writer.operand(1).index != kTruePredicate;
  const std::string inverse = writer.predicate();
  if (second) {
    writer.emit("not.pred {}, {};", inverse, result);
    writer.emit("{}.pred {}, {}, {};", combine, inverse, inverse, other);
  }
  if (other != "%true" || combine != std::string_view("and")) {
    writer.emit("{}.pred {}, {}, {};", combine, result, result, other);
  }
  if (second) writer.set_predicate(writer.operand(1), inverse);
  writer.emit_main("mov.pred {}, {};", writer.to_predicate(writer.operand(0)), result);
}

bool lift_integer(InstructionWriter& writer) {
  std::string_view name = writer.instruction().mnemonic;
  if (name.starts_with('U') && name != "UMOV") name.remove_prefix(1);  // the uniform datapath's
  if (name == "IADD3") return lift_iadd3(writer);
  if (name == "VIADD" || name == "IADD") {
    if (writer.take("64")) return lift_wide_sum(writer, 2);
    if (writer.operand_count() < 3) return false;
    writer.emit_main("add.u32 {}, {}, {};", writer.to(writer.operand(0)),
                     writer.integer(writer.operand(1)), writer.integer(writer.operand(2)));
    return true;
  }
  if (name == "IMAD") return lift_imad(writer);
  if (name == "LEA") return lift_lea(writer);
  if (name == "ISETP") return lift_isetp(writer);
  if (name == "FLO") return lift_find_leading(writer);
  if (name == "IABS") return lift_unary(writer, "abs.s32");
  if (name == "POPC") return lift_unary(writer, "popc.b32");
  if (name == "BREV") return lift_unary(writer, "brev.b32");
  return false;
}

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
      writer.emit("{}.pred {}, {}, {};", writer.take("PAND") ? "and" : "or", some, some,
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
  const bool wide = writer.take("U64") || writer.take("S64");
  const bool arithmetic = writer.take("S32") || writer.take("S64");
  const std::string low = writer.integer(writer.operand(1));
  const std::string amount = writer.integer(writer.operand(2));
  const std::string high = writer.integer(writer.operand(3));
  const std::string shift = writer.word();
  const int width = wide ? 64 : 32;
  if (writer.take("W")) {
    writer.emit("and.b32 {}, {}, {};", shift, amount, width - 1);
  } else {
    writer.emit("min.u32 {}, {}, {};", shift, amount, width);
  }
  const std::string value = writer.wide();
  writer.emit("mov.b64 {}, {{{}, {}}};", value, low, high);
  const bool left = writer.take("L");
  writer.emit("{} {}, {}, {};",
              left         ? "shl.b64"
              : arithmetic ? "shr.s64"
                           : "shr.u64",
              value, value, shift);
  const std::string unused = writer.word();
  const std::string to = writer.to(writer.operand(0));
  const bool upper = writer.take("HI");
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
    if (writer.take(word)) mode = name;
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
  for (const std::string_view word : writer.take_modifiers()) {
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
    return lift_mask(writer, writer.take("W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32");
  if (name == "SGXT") {
    return lift_mask(writer, std::string(writer.take("W") ? "szext.wrap." : "szext.clamp.") +
                                 (writer.take("U32") ? "u32" : "s32"));
  }
  if (name == "R2P" || name == "R2UP") return lift_register_to_predicates(writer);
  if (name == "P2R" || name == "P2UR") return lift_predicates_to_register(writer);
  return false;
}

// Minima and maxima, and what works on the halves and bytes of words.
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
    const char* relu = writer.take("RELU") && i + 1 == values.size() ? ".relu" : "";
    const std::string next_least = writer.word();
    const std::string next_most = writer.word();
    writer.emit("min{}.{} {}, {}, {};", relu, type, next_least, least, values[i]);
    writer.emit("max{}.{} {}, {}, {};", relu, type, next_most, most, values[i]);
    least = next_least;
    most = next_most;
  }
  writer.emit_main("selp.b32 {}, {}, {}, {};", to, least, most, writer.truth(smaller));
}

const char* minimum_type(InstructionWriter& writer) {
  if (writer.take("U16x2")) return "u16x2";
  if (writer.take("S16x2") || writer.take("16x2")) return "s16x2";
  return writer.take("U32") ? "u32" : "s32";
}

// [V]IMNMX d, [P, Q,] a, b, p; VIMNMX3 d, a, b, c, p
bool lift_minimum(InstructionWriter& writer, std::size_t sources) {
  if (writer.operand_count() < 4 || writer.take("64")) return false;
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
  for (const std::string_view word : writer.take_modifiers()) {
    if (word.starts_with('S') || word.starts_with('U')) types.push_back(word);
  }
  if (types.size() != 2) return false;
  const auto type = [](std::string_view word) { return word.front() == 'S' ? "s32" : "u32"; };
  const char* form = writer.take("4A") ? "dp4a" : writer.take("LO") ? "dp2a.lo" : "dp2a.hi";
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
  if (bytes && !writer.take("U8")) return false;
  const char* name = bytes ? "vabsdiff4.u32.u32.u32" : writer.take("U32") ? "sad.u32" : "sad.s32";
  writer.emit_main("{}{} {}, {}, {}, {};", name, bytes && writer.take("ACC") ? ".add" : "",
                   writer.to(writer.operand(0)), writer.integer(writer.operand(1)),
                   writer.integer(writer.operand(2)), writer.integer(writer.operand(3)));
  return true;
}

}  // namespace

bool lift_video(InstructionWriter& writer) {
  std::string_view name = writer.instruction().mnemonic;
  if (name.starts_with('U')) name.remove_prefix(1);  // the uniform datapath's
  if (name == "VIADD" && writer.take("16x2")) return lift_sum_of_halves(writer);
  if (name == "IMNMX" || name == "VIMNMX") return lift_minimum(writer, 2);
  if (name == "VIMNMX3") return lift_minimum(writer, 3);
  if (name == "VIADDMNMX") return lift_add_minimum(writer);
  if (name == "VABSDIFF4" || name == "VABSDIFF") return lift_absolute_difference(writer);
  if (name == "IDP") return lift_dot_product(writer);
  return false;
}

}  // namespace tilescope::machine
