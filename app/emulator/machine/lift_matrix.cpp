#include <fmt/ranges.h>

#include <array>
#include <charconv>

#include "core/number_text.h"
#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// A matrix instruction's shape and the registers, or pairs of them, of its fragments.
struct Fragments {
  const char* shape = nullptr;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;
};

std::string registers(InstructionWriter& writer, const Operand& operand, std::uint32_t count,
                      bool wide, bool destination) {
  std::string text = "{";
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name;
    if (wide && operand.index == kZeroRegister) {
      name = writer.wide();
      writer.emit("mov.b64 {}, 0;", name);
    } else if (wide) {
      name = writer.wide();
      writer.emit("mov.b64 {}, {{{}, {}}};", name, writer.raw(operand, 2 * i),
                  writer.raw(operand, 2 * i + 1));
    } else if (operand.index == kZeroRegister) {
      name = writer.word();
      if (!destination) writer.emit("mov.b32 {}, 0;", name);
    } else {
      name = writer.raw(operand, i);
    }
    text += (i == 0 ? "" : ", ") + name;
  }
  return text + "}";
}

bool emit_mma(InstructionWriter& writer, const Fragments& form, const std::string& types) {
  const std::string a = registers(writer, writer.operand(1), form.a, false, false);
  const std::string b = registers(writer, writer.operand(2), form.b, false, false);
  const std::string c = registers(writer, writer.operand(3), form.c, false, false);
  const std::string d = registers(writer, writer.operand(0), form.d, false, true);
  writer.emit_main("mma.sync.aligned.{}.row.col.{} {}, {}, {}, {};", form.shape, types, d, a, b, c);
  return true;
}

// HMMA.16816.F32.BF16 d, a, b, c
bool lift_half_mma(InstructionWriter& writer) {
  const bool wide = writer.take("F32");
  const std::uint32_t accumulators = wide ? 4 : 2;
  const char* result = wide ? "f32" : "f16";
  const char* input = writer.take("TF32") ? "tf32" : writer.take("BF16") ? "bf16" : "f16";
  const std::string types = fmt::format("{}.{}.{}.{}", result, input, input, result);
  if (writer.take("SP")) return false;
  if (writer.take("16816"))
    return emit_mma(writer, {"m16n8k16", accumulators, 4, 2, accumulators}, types);
  if (writer.take("1688")) {
    const std::uint32_t a = writer.take("TF32") ? 4 : 2;
    return emit_mma(writer, {"m16n8k8", accumulators, a, a / 2, accumulators}, types);
  }
  if (writer.take("1684"))
    return emit_mma(writer, {"m16n8k4", accumulators, 2, 1, accumulators}, types);
  return false;
}

// IMMA.16832.S8.S8[.SAT] d, a.ROW, b.COL, c
bool lift_integer_mma(InstructionWriter& writer) {
  std::array<const char*, 2> types{"s8", "s8"};
  std::size_t found = 0;
  for (const std::string_view word : writer.take_modifiers()) {
    if (word == "SP") return false;
    if ((word == "S8" || word == "U8") && found < 2) types[found++] = word == "S8" ? "s8" : "u8";
  }
  if (found != 2) return false;
  const std::string names = fmt::format("s32.{}.{}.s32", types[0], types[1]);
  if (writer.take("16832")) return emit_mma(writer, {"m16n8k32", 4, 4, 2, 4}, names);
  if (writer.take("16816")) return emit_mma(writer, {"m16n8k16", 4, 2, 1, 4}, names);
  if (writer.take("8816")) return emit_mma(writer, {"m8n8k16", 2, 1, 1, 2}, names);
  return false;
}

// BMMA.168256.AND.POPC d, a.ROW, b.COL, c
bool lift_bit_mma(InstructionWriter& writer) {
  const bool ands = writer.take("AND");
  if (!writer.take("POPC") || (!ands && !writer.take("XOR"))) return false;
  const std::string types = fmt::format("s32.b1.b1.s32.{}.popc", ands ? "and" : "xor");
  if (writer.take("168256")) return emit_mma(writer, {"m16n8k256", 4, 4, 2, 4}, types);
  if (writer.take("168128")) return emit_mma(writer, {"m16n8k128", 4, 2, 1, 4}, types);
  if (writer.take("88128")) return emit_mma(writer, {"m8n8k128", 2, 1, 1, 2}, types);
  return false;
}

// DMMA.16x8x8 d, a, b, c: registers in pairs.
bool lift_double_mma(InstructionWriter& writer) {
  const Fragments form = writer.take("16x8x16")  ? Fragments{"m16n8k16", 4, 8, 4, 4}
                         : writer.take("16x8x8") ? Fragments{"m16n8k8", 4, 4, 2, 4}
                         : writer.take("16x8x4") ? Fragments{"m16n8k4", 4, 2, 1, 4}
                         : writer.take("8x8x4") || writer.take("884")
                             ? Fragments{"m8n8k4", 2, 1, 1, 2}
                             : Fragments{};
  if (form.shape == nullptr) return false;
  const std::string a = registers(writer, writer.operand(1), form.a, true, false);
  const std::string b = registers(writer, writer.operand(2), form.b, true, false);
  const std::string c = registers(writer, writer.operand(3), form.c, true, false);
  std::vector<std::string> results;
  for (std::uint32_t i = 0; i < form.d; ++i) results.push_back(writer.wide());
  writer.emit_main("mma.sync.aligned.{}.row.col.f64.f64.f64.f64 {{{}}}, {}, {}, {};", form.shape,
                   fmt::join(results, ", "), a, b, c);
  Operand to = writer.operand(0);
  for (const std::string& result : results) {
    writer.set_wide(to, result);
    to.index += to.index == kZeroRegister ? 0 : 2;
  }
  return true;
}

}  // namespace

bool lift_matrix(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "MOVM" && writer.take("MT88")) {
    writer.emit_main("movmatrix.sync.aligned.m8n8.trans.b16 {}, {};", writer.to(writer.operand(0)),
                     writer.raw(writer.operand(1)));
    return true;
  }
  if (writer.operand_count() < 4) return false;
  if (name == "HMMA") return lift_half_mma(writer);
  if (name == "IMMA") return lift_integer_mma(writer);
  if (name == "BMMA") return lift_bit_mma(writer);
  if (name == "DMMA") return lift_double_mma(writer);
  return false;
}

// Products of a warp group: HGMMA, QGMMA, IGMMA, BGMMA, and WARPGROUP, which waits for them.
namespace {

// "gdesc[UR4].negA.tnspB": two descriptors in four uniform registers. Of A in registers the first
// two mean nothing.
struct Descriptors {
  Operand first;
  bool negates_a = false, negates_b = false, transposes_a = false, transposes_b = false;
};

bool read_descriptors(std::string_view text, Descriptors* to) {
  constexpr std::string_view kBegin = "gdesc[UR";
  const std::size_t end = text.find(']');
  if (!text.starts_with(kBegin) || end == std::string_view::npos) return false;
  to->first.kind = OperandKind::kUniform;
  const std::string_view index = text.substr(kBegin.size(), end - kBegin.size());
  const auto number = parse_number<std::uint32_t>(index);
  if (!number && index != "Z") return false;
  to->first.index = number.value_or(kZeroRegister);
  for (std::string_view rest = text.substr(end + 1); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(word.size());
    bool* flag = word == "negA"    ? &to->negates_a
                 : word == "negB"  ? &to->negates_b
                 : word == "tnspA" ? &to->transposes_a
                 : word == "tnspB" ? &to->transposes_b
                                   : nullptr;
    if (flag == nullptr) return false;
    *flag = true;
  }
  return true;
}

std::string descriptor(InstructionWriter& writer, const Operand& first, std::uint32_t offset) {
  std::string name = writer.wide();
  if (first.index == kZeroRegister) {
    writer.emit("mov.b64 {}, 0;", name);
  } else {
    writer.emit("mov.b64 {}, {{{}, {}}};", name, writer.raw(first, offset),
                writer.raw(first, offset + 1));
  }
  return name;
}

std::string list_of(InstructionWriter& writer, const Operand& first, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(writer.raw(first, i));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

// "64x128x16" of the modifiers: n and k.
bool read_shape(InstructionWriter& writer, std::uint32_t* n, std::uint32_t* k) {
  for (const std::string_view word : writer.take_modifiers()) {
    if (!word.starts_with("64x")) continue;
    const char* const end = word.data() + word.size();
    const auto first = std::from_chars(word.data() + 3, end, *n);
    return first.ptr != end && std::from_chars(first.ptr + 1, end, *k).ptr == end;
  }
  return false;
}

// "f32.bf16.bf16", "s32.u8.s8.satfinite"; empty: not known.
std::string types_of(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  const char* sums = writer.take("F32") ? "f32" : "f16";
  if (name == "HGMMA") {
    const char* type = writer.take("TF32") ? "tf32" : writer.take("BF16") ? "bf16" : "f16";
    return fmt::format("{}.{}.{}", sums, type, type);
  }
  if (name == "BGMMA") return writer.take("AND") ? "s32.b1.b1.and.popc" : "";
  std::vector<std::string_view> types;
  for (const std::string_view word : writer.take_modifiers()) {
    for (const auto& [machine, ptx] :
         {std::pair{"S8", "s8"}, {"U8", "u8"}, {"E4M3", "e4m3"}, {"E5M2", "e5m2"}}) {
      if (word == machine) types.emplace_back(ptx);
    }
  }
  if (types.size() != 2) return {};
  if (name == "QGMMA") return fmt::format("{}.{}", sums, fmt::join(types, "."));
  return fmt::format("s32.{}{}", fmt::join(types, "."), writer.take("SAT") ? ".satfinite" : "");
}

// HGMMA.64xNxK... d, [a,] gdesc[UR], c [, p] [, gsb0]
bool lift_product(InstructionWriter& writer) {
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  const std::string types = types_of(writer);
  if (writer.take("SP") || types.empty() || !read_shape(writer, &n, &k) ||
      writer.operand_count() < 3)
    return false;
  const bool a_in_registers = writer.operand(1).kind == OperandKind::kRegister;
  const std::size_t at = a_in_registers ? 2 : 1;
  Descriptors names;
  if (writer.operand_count() < at + 2 || !read_descriptors(writer.operand(at).text, &names))
    return false;
  const Operand& d = writer.operand(0);
  const Operand& c = writer.operand(at + 1);
  if (d.index == kZeroRegister) {  // multiplies for nobody, to be waited for
    writer.emit_main("wgmma.fence.sync.aligned;");
    return true;
  }
  const std::string b = descriptor(writer, names.first, 2);
  const std::string a =
      a_in_registers ? list_of(writer, writer.operand(1), 4) : descriptor(writer, names.first, 0);
  std::string adds = "1";
  if (c.index == kZeroRegister) {
    adds = "0";
  } else if (c.index != d.index) {
    return false;
  } else if (writer.operand_count() > at + 2 && is_predicate(writer.operand(at + 2))) {
    adds = writer.truth(writer.operand(at + 2));
  }
  std::string scales;
  if (types.starts_with('f')) {
    const bool negates_a = names.negates_a || (a_in_registers && writer.operand(1).negated);
    scales = fmt::format(", {}, {}", negates_a ? -1 : 1, names.negates_b ? -1 : 1);
    if (k == 16) {
      if (!a_in_registers) scales += names.transposes_a ? ", 1" : ", 0";
      scales += names.transposes_b ? ", 1" : ", 0";
    }
  }
  const std::uint32_t count = types.starts_with("f16") ? n / 4 : n / 2;
  writer.emit_main("wgmma.mma_async.sync.aligned.m64n{}k{}.{} {}, {}, {}, {}{};", n, k, types,
                   list_of(writer, d, count), a, b, adds, scales);
  if (writer.operand(writer.operand_count() - 1).text == "gsb0")
    writer.emit("wgmma.commit_group.sync.aligned;");
  return true;
}

}  // namespace

bool lift_warpgroup(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "WARPGROUP" && writer.take("ARRIVE")) {
    writer.emit_main("wgmma.fence.sync.aligned;");
    return true;
  }
  if (name == "WARPGROUP" && writer.take("DEPBAR") && writer.operand_count() == 2) {
    writer.emit_main("wgmma.wait_group.sync.aligned {};", writer.operand(1).value);
    return true;
  }
  return (name == "HGMMA" || name == "QGMMA" || name == "IGMMA" || name == "BGMMA") &&
         lift_product(writer);
}

}  // namespace tilescope::machine
