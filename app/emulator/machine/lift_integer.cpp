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
Sum sum_of(const InstructionWriter& writer, std::size_t sources) {
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

bool enough(const InstructionWriter& writer, const Sum& sum, std::size_t sources) {
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

// Of a sum of three 32-bit values: bit 32 and above count the carries.
void set_sum(InstructionWriter& writer, const Sum& sum, const std::string& total) {
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
  if (writer.has("64")) return lift_wide_sum(writer, 3);
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
  if (ones != 0) writer.emit("add.u64 {}, {}, {};", total, total, ones);
  add_carries_in(writer, sum, total);
  set_sum(writer, sum, total);
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
  if (ones != 0) writer.emit("add.u64 {}, {}, {};", total, total, ones);
  add_carries_in(writer, sum, total);
  set_sum(writer, sum, total);
  return true;
}

// a * b + c with 64 bits of product and of c; .HI keeps the upper half.
bool lift_imad_wide(InstructionWriter& writer) {
  const Sum sum = sum_of(writer, 3);
  if (!enough(writer, sum, 3)) return false;
  const char* type = writer.has("U32") ? "u32" : "s32";
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
  if (writer.has("HI")) {
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.word(), writer.to(to), total);
  } else {
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), total);
  }
  return true;
}

bool lift_imad(InstructionWriter& writer) {
  if (writer.has("WIDE") || writer.has("HI")) return lift_imad_wide(writer);
  return lift_imad_low(writer);
}

// (a << s) + b; .HI: the upper half of the 64-bit shift. Without c, a is extended by zeros, or by
// its sign for .SX32.
bool lift_lea(InstructionWriter& writer) {
  Sum sum = sum_of(writer, 3);
  const bool high = writer.has("HI");
  const bool extended = writer.has("SX32");
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
    const std::string shifted = writer.word();
    writer.emit("shl.b32 {}, {}, {};", shifted, writer.integer(a), shift);
    writer.emit("cvt.u64.u32 {}, {};", total, shifted);
  }
  int ones = 0;
  writer.emit("add.u64 {}, {}, {};", total, total, summand(writer, b, &ones));
  if (ones != 0) writer.emit("add.u64 {}, {}, {};", total, total, ones);
  add_carries_in(writer, sum, total);
  set_sum(writer, sum, total);
  return true;
}

const char* comparison(const InstructionWriter& writer) {
  for (const auto& [word, name] : {std::pair{"EQ", "eq"},
                                   {"NE", "ne"},
                                   {"LT", "lt"},
                                   {"LE", "le"},
                                   {"GT", "gt"},
                                   {"GE", "ge"}}) {
    if (writer.has(word)) return name;
  }
  return nullptr;
}

// P, Q = (a op b) bop p, !(a op b) bop p. .EX: of 64-bit values whose lower halves were compared
// into the last operand.
bool lift_isetp(InstructionWriter& writer) {
  if (writer.operand_count() < 5) return false;
  const char* type = writer.has("U32") ? "u32" : "s32";
  const std::string a = writer.integer(writer.operand(2));
  const std::string b = writer.integer(writer.operand(3));
  const std::string result = writer.predicate();
  const char* name = comparison(writer);
  if (name == nullptr) {
    writer.emit("setp.{}.u32 {}, 0, 0;", writer.has("T") ? "eq" : "ne", result);
  } else if (writer.has("EX") && writer.operand_count() > 5) {
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
  writer.emit_main("bfind{}.{} {}, {};", writer.has("SH") ? ".shiftamt" : "",
                   writer.has("U32") ? "u32" : "s32", writer.to(writer.operand(0)),
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
  const char* combine = writer.has("OR") ? "or" : writer.has("XOR") ? "xor" : "and";
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
    if (writer.has("64")) return lift_wide_sum(writer, 2);
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

}  // namespace tilescope::machine
