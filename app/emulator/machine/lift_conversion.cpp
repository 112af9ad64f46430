#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

std::string integer_rounding(InstructionWriter& writer) {
  return writer.take("TRUNC")   ? ".rzi"
         : writer.take("FLOOR") ? ".rmi"
         : writer.take("CEIL")  ? ".rpi"
                                : ".rni";
}

std::string rounding(InstructionWriter& writer) {
  return writer.take("RZ") ? ".rz" : writer.take("RM") ? ".rm" : writer.take("RP") ? ".rp" : ".rn";
}

// The half that "R3.H1_H1" or "R3" means, in a 16-bit register.
std::string half_of(InstructionWriter& writer, const Operand& operand) {
  const std::string low = writer.half();
  const std::string high = writer.half();
  writer.emit("mov.b32 {{{}, {}}}, {};", low, high, writer.raw(operand));
  return operand.suffix.starts_with("H1") ? high : low;
}

// A source number of the width that the modifiers name, and its PTX type.
std::pair<std::string, const char*> number(InstructionWriter& writer, const Operand& operand) {
  if (writer.take("F64")) return {writer.f64(operand), "f64"};
  if (writer.take("F16")) return {half_of(writer, operand), "f16"};
  return {writer.f32(operand), "f32"};
}

// F2I[.FTZ][.U32|.S64|.U64][.F64][.TRUNC].NTZ d, a
bool lift_number_to_integer(InstructionWriter& writer) {
  if (writer.operand_count() < 2 || writer.take("BF16")) return false;
  const auto [value, type] = number(writer, writer.operand(1));
  const bool wide = writer.take("U64") || writer.take("S64");
  const bool is_signed =
      !(writer.take("U64") || writer.take("U32") || writer.take("U16") || writer.take("U8"));
  const std::string words = integer_rounding(writer) + (writer.take("FTZ") ? ".ftz" : "");
  if (wide) {
    const std::string result = writer.wide();
    writer.emit_main("cvt{}.{}.{} {}, {};", words, is_signed ? "s64" : "u64", type, result, value);
    writer.set_wide(writer.operand(0), result);
    return true;
  }
  const char* whole = is_signed ? "s32" : "u32";
  const std::string to = writer.to(writer.operand(0));
  for (const auto& [word, least, most] :
       {std::tuple{"S16", -32768, 32767}, {"U16", 0, 65535}, {"S8", -128, 127}, {"U8", 0, 255}}) {
    if (!writer.take(word)) continue;
    const std::string result = writer.word();
    writer.emit("cvt{}.{}.{} {}, {};", words, whole, type, result, value);
    writer.emit("max.{} {}, {}, {};", whole, result, result, least);
    writer.emit_main("min.{} {}, {}, {};", whole, to, result, most);
    return true;
  }
  writer.emit_main("cvt{}.{}.{} {}, {};", words, whole, type, to, value);
  return true;
}

// I2F[.F64|.F16|.BF16][.U32|.U64|.S64|.U16|.U8 ...][.RP] d, a; I2FP.F32.S32
bool lift_integer_to_number(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const Operand& from = writer.operand(1);
  std::string value;
  std::string type = "s32";
  if (writer.take("U64") || writer.take("S64")) {
    type = writer.take("U64") ? "u64" : "s64";
    value = writer.wide_integer(from);
  } else {
    value = writer.integer(from);
    if (writer.take("U32")) type = "u32";
    for (const auto& [word, bits, is_signed] :
         {std::tuple{"U16", 16, false}, {"S16", 16, true}, {"U8", 8, false}, {"S8", 8, true}}) {
      if (!writer.take(word)) continue;
      // "R3.B2", "R3.H1": the part of the register
      const unsigned part =
          from.suffix.size() >= 2 ? static_cast<unsigned>(from.suffix[1] - '0') : 0;
      const std::string field = writer.word();
      writer.emit("bfe.{} {}, {}, {}, {};", is_signed ? "s32" : "u32", field, value,
                  part * static_cast<unsigned>(bits), bits);
      value = field;
      type = is_signed ? "s32" : "u32";
    }
  }
  const std::string words = rounding(writer);
  if (writer.take("F64")) {
    const std::string result = writer.wide();
    writer.emit_main("cvt{}.f64.{} {}, {};", words, type, result, value);
    writer.set_wide(writer.operand(0), result);
  } else if (const bool is_bfloat = writer.take("BF16"); is_bfloat || writer.take("F16")) {
    const std::string result = writer.half();
    writer.emit_main("cvt{}.{}.{} {}, {};", words, is_bfloat ? "bf16" : "f16", type, result, value);
    const std::string zero = writer.half();
    writer.emit("mov.b16 {}, 0;", zero);
    writer.emit("mov.b32 {}, {{{}, {}}};", writer.to(writer.operand(0)), result, zero);
  } else {
    writer.emit_main("cvt{}.f32.{} {}, {};", words, type, writer.to(writer.operand(0)), value);
  }
  return true;
}

// F2F.TO.FROM d, a; FRND.FLOOR d, a: the same type rounded to an integer.
bool lift_number_to_number(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  std::vector<std::string_view> types;
  for (const std::string_view word : writer.take_modifiers()) {
    if (word == "F64" || word == "F32" || word == "F16" || word == "BF16") types.push_back(word);
  }
  const Operand& to = writer.operand(0);
  const Operand& from = writer.operand(1);
  const bool rounds = writer.instruction().mnemonic == "FRND";
  const std::string_view target = types.empty() ? "F32" : types[0];
  const std::string_view source = rounds ? target : types.size() > 1 ? types[1] : "F32";
  std::string value;
  std::string type;
  if (source == "F64") {
    value = writer.f64(from);
    type = "f64";
  } else if (source == "F32") {
    value = writer.f32(from);
    type = "f32";
  } else if (source == "F16") {
    value = half_of(writer, from);
    type = "f16";
  } else {
    return false;
  }
  const std::string ftz = writer.take("FTZ") && source != "F64" ? ".ftz" : "";
  if (rounds) {
    if (target == "F64") {
      const std::string result = writer.wide();
      writer.emit_main("cvt{}.f64.f64 {}, {};", integer_rounding(writer), result, value);
      writer.set_wide(to, result);
    } else if (target == "F32") {
      writer.emit_main("cvt{}{}.f32.f32 {}, {};", integer_rounding(writer), ftz, writer.to(to),
                       value);
    } else {
      const std::string result = writer.half();
      const std::string zero = writer.half();
      writer.emit_main("cvt{}.f16.f16 {}, {};", integer_rounding(writer), result, value);
      writer.emit("mov.b16 {}, 0;", zero);
      writer.emit("mov.b32 {}, {{{}, {}}};", writer.to(to), result, zero);
    }
    return true;
  }
  if (target == "F64") {
    const std::string result = writer.wide();
    writer.emit_main("cvt{}.f64.{} {}, {};", ftz, type, result, value);
    writer.set_wide(to, result);
  } else if (target == "F32") {
    const std::string words = source == "F64" ? rounding(writer) : "";
    writer.emit_main("cvt{}{}.f32.{} {}, {};", words, ftz, type, writer.to(to), value);
  } else if (target == "F16" || target == "BF16") {
    const std::string result = writer.half();
    const std::string zero = writer.half();
    writer.emit_main("cvt{}.{}.{} {}, {};", rounding(writer), target == "F16" ? "f16" : "bf16",
                     type, result, value);
    writer.emit("mov.b16 {}, 0;", zero);
    writer.emit("mov.b32 {}, {{{}, {}}};", writer.to(to), result, zero);
  } else {
    return false;
  }
  return true;
}

// F2FP.TF32.F32.PACK_B d, a
bool lift_tf32(InstructionWriter& writer) {
  if (writer.operand_count() != 2 || !writer.take("PACK_B")) return false;
  writer.emit_main("cvt{}{}.tf32.f32 {}, {};", writer.take("RZ") ? ".rz" : ".rn",
                   writer.take("RELU") ? ".relu" : "", writer.to(writer.operand(0)),
                   writer.f32(writer.operand(1)));
  return true;
}

// F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C d, high, low, c: two bytes, below the upper half of c.
// F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C d, a, c: the same of two halves.
// F2FP.F16.E4M3.UNPACK_B d, a: both bytes of the lower half.
bool lift_byte_floats(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const char* format = writer.take("E4M3") ? "e4m3x2" : "e5m2x2";
  const Operand& to = writer.operand(0);
  const std::string low = writer.half();
  if (writer.take("UNPACK_B")) {
    if (writer.operand_count() != 2 || !writer.take("F16")) return false;
    const std::string high = writer.half();
    const bool upper = writer.operand(1).suffix.starts_with("H1");
    writer.emit("mov.b32 {{{}, {}}}, {};", low, high, writer.raw(writer.operand(1)));
    writer.emit_main("cvt.rn.f16x2.{} {}, {};", format, writer.to(to), upper ? high : low);
    return true;
  }
  if (!writer.take("SATFINITE")) return false;
  const char* relu = writer.take("RELU") ? ".relu" : "";
  const bool is_of_halves = writer.take("UNPACK_B_MERGE_C") && writer.take("F16");
  if (is_of_halves && writer.operand_count() == 3) {
    writer.emit("cvt.rn.satfinite{}.{}.f16x2 {}, {};", relu, format, low,
                writer.raw(writer.operand(1)));
  } else if (writer.take("PACK_AB_MERGE_C") && writer.take("F32") && writer.operand_count() == 4) {
    writer.emit("cvt.rn.satfinite{}.{}.f32 {}, {}, {};", relu, format, low,
                writer.f32(writer.operand(1)), writer.f32(writer.operand(2)));
  } else {
    return false;
  }
  const std::string bits = writer.word();
  writer.emit("cvt.u32.u16 {}, {};", bits, low);
  const std::string merged = writer.word();
  writer.emit("and.b32 {}, {}, 0xffff0000;", merged,
              writer.raw(writer.operand(is_of_halves ? 2 : 3)));
  writer.emit_main("or.b32 {}, {}, {};", writer.to(to), merged, bits);
  return true;
}

// F2FP.F16.F32.PACK_AB d, high, low
bool lift_pack(InstructionWriter& writer) {
  if (writer.operand_count() < 3 || !writer.take("PACK_AB") || writer.take("F8")) return false;
  const char* type = writer.take("BF16") ? "bf16x2" : "f16x2";
  if (!writer.take("BF16") && !writer.take("F16")) return false;
  writer.emit_main("cvt{}{}.{}.f32 {}, {}, {};", writer.take("RZ") ? ".rz" : ".rn",
                   writer.take("RELU") ? ".relu" : "", type, writer.to(writer.operand(0)),
                   writer.f32(writer.operand(1)), writer.f32(writer.operand(2)));
  return true;
}

// I2I.S8 and such: the field, extended; .SAT clamps.
bool lift_integer_to_integer(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const char* type = writer.take("S8")    ? "s8"
                     : writer.take("U8")  ? "u8"
                     : writer.take("S16") ? "s16"
                     : writer.take("U16") ? "u16"
                                          : nullptr;
  if (type == nullptr) return false;
  const std::string value = writer.integer(writer.operand(1));
  const std::string narrow = writer.word();
  writer.emit("cvt{}.{}.s32 {}, {};", writer.take("SAT") ? ".sat" : "", type, narrow, value);
  writer.emit_main("mov.b32 {}, {};", writer.to(writer.operand(0)), narrow);
  return true;
}

// I2IP.S16.S32.SAT d, a, b, c: a above b, each clamped to its field; bytes above the bytes of c.
bool lift_integer_pack(InstructionWriter& writer) {
  if (writer.operand_count() != 4 || !writer.take("SAT") || !writer.take("S32")) return false;
  const char* type = writer.take("S16")   ? "s16"
                     : writer.take("U16") ? "u16"
                     : writer.take("S8")  ? "s8"
                     : writer.take("U8")  ? "u8"
                                          : nullptr;
  if (type == nullptr) return false;
  const std::string a = writer.integer(writer.operand(1));
  const std::string b = writer.integer(writer.operand(2));
  const std::string to = writer.to(writer.operand(0));
  if (writer.take("S8") || writer.take("U8")) {
    writer.emit_main("cvt.pack.sat.{}.s32.b32 {}, {}, {}, {};", type, to, a, b,
                     writer.integer(writer.operand(3)));
  } else {
    writer.emit_main("cvt.pack.sat.{}.s32 {}, {}, {};", type, to, a, b);
  }
  return true;
}

// F2IP.U8.F32.NTZ d, a, b, c: a above b, each rounded and clamped to a byte, above them c.
bool lift_number_pack(InstructionWriter& writer) {
  const bool is_signed = writer.take("S8");
  if (writer.operand_count() != 4 || !writer.take("F32")) return false;
  if (!is_signed && !writer.take("U8")) return false;
  const std::string words = integer_rounding(writer) + (writer.take("FTZ") ? ".ftz" : "");
  std::string whole[2];
  for (std::size_t i = 0; i < 2; ++i) {
    whole[i] = writer.word();
    writer.emit("cvt{}.s32.f32 {}, {};", words, whole[i], writer.f32(writer.operand(i + 1)));
  }
  writer.emit_main("cvt.pack.sat.{}.s32.b32 {}, {}, {}, {};", is_signed ? "s8" : "u8",
                   writer.to(writer.operand(0)), whole[0], whole[1],
                   writer.integer(writer.operand(3)));
  return true;
}

}  // namespace

bool lift_conversion(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "F2I") return lift_number_to_integer(writer);
  if (name == "I2F" || name == "I2FP" || name == "UI2FP" || name == "UI2F") {
    return lift_integer_to_number(writer);
  }
  if (name == "F2F" || name == "FRND") return lift_number_to_number(writer);
  if (name == "F2FP" && writer.take("TF32")) return lift_tf32(writer);
  if (name == "F2FP" && (writer.take("E4M3") || writer.take("E5M2")))
    return lift_byte_floats(writer);
  if (name == "F2FP" || name == "UF2FP") return lift_pack(writer);
  if (name == "I2I") return lift_integer_to_integer(writer);
  if (name == "I2IP") return lift_integer_pack(writer);
  if (name == "F2IP") return lift_number_pack(writer);
  return false;
}

}  // namespace tilescope::machine
