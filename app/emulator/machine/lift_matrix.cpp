#include <array>

#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// A matrix instruction's shape and the registers of its fragments.
struct Fragments {
  const char* shape;
  std::uint32_t d, a, b, c;
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
  const bool wide = writer.has("F32");
  const std::uint32_t accumulators = wide ? 4 : 2;
  const char* result = wide ? "f32" : "f16";
  const char* input = writer.has("TF32") ? "tf32" : writer.has("BF16") ? "bf16" : "f16";
  const std::string types = fmt::format("{}.{}.{}.{}", result, input, input, result);
  if (writer.has("SP")) return false;
  if (writer.has("16816"))
    return emit_mma(writer, {"m16n8k16", accumulators, 4, 2, accumulators}, types);
  if (writer.has("1688")) {
    const std::uint32_t a = writer.has("TF32") ? 4 : 2;
    return emit_mma(writer, {"m16n8k8", accumulators, a, a / 2, accumulators}, types);
  }
  if (writer.has("1684"))
    return emit_mma(writer, {"m16n8k4", accumulators, 2, 1, accumulators}, types);
  return false;
}

// IMMA.16832.S8.S8[.SAT] d, a.ROW, b.COL, c
bool lift_integer_mma(InstructionWriter& writer) {
  std::array<const char*, 2> types{"s8", "s8"};
  std::size_t found = 0;
  for (const std::string_view word : writer.modifiers()) {
    if (word == "SP") return false;
    if ((word == "S8" || word == "U8") && found < 2) types[found++] = word == "S8" ? "s8" : "u8";
  }
  if (found != 2) return false;
  const std::string names = fmt::format("s32.{}.{}.s32", types[0], types[1]);
  if (writer.has("16832")) return emit_mma(writer, {"m16n8k32", 4, 4, 2, 4}, names);
  if (writer.has("16816")) return emit_mma(writer, {"m16n8k16", 4, 2, 1, 4}, names);
  if (writer.has("8816")) return emit_mma(writer, {"m8n8k16", 2, 1, 1, 2}, names);
  return false;
}

// DMMA.884 d, a, b, c
bool lift_double_mma(InstructionWriter& writer) {
  if (!writer.has("884") && !writer.has("8x8x4")) return false;
  const Operand& to = writer.operand(0);
  const std::string a = writer.wide_integer(writer.operand(1));
  const std::string b = writer.wide_integer(writer.operand(2));
  const std::string c = registers(writer, writer.operand(3), 2, true, false);
  const std::string low = writer.wide();
  const std::string high = writer.wide();
  writer.emit_main(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{}, {}}}, {{{}}}, {{{}}}, {};", low, high,
      a, b, c);
  writer.set_wide(to, low);
  Operand second = to;
  second.index += to.index == kZeroRegister ? 0 : 2;
  writer.set_wide(second, high);
  return true;
}

}  // namespace

bool lift_matrix(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "MOVM" && writer.has("MT88")) {
    writer.emit_main("movmatrix.sync.aligned.m8n8.trans.b16 {}, {};", writer.to(writer.operand(0)),
                     writer.raw(writer.operand(1)));
    return true;
  }
  if (writer.operand_count() < 4) return false;
  if (name == "HMMA") return lift_half_mma(writer);
  if (name == "IMMA") return lift_integer_mma(writer);
  if (name == "DMMA") return lift_double_mma(writer);
  return false;
}

}  // namespace tilescope::machine
