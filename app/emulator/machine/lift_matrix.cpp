#include <fmt/ranges.h>

#include <array>

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

// BMMA.168256.AND.POPC d, a.ROW, b.COL, c
bool lift_bit_mma(InstructionWriter& writer) {
  const bool ands = writer.has("AND");
  if (!writer.has("POPC") || (!ands && !writer.has("XOR"))) return false;
  const std::string types = fmt::format("s32.b1.b1.s32.{}.popc", ands ? "and" : "xor");
  if (writer.has("168256")) return emit_mma(writer, {"m16n8k256", 4, 4, 2, 4}, types);
  if (writer.has("168128")) return emit_mma(writer, {"m16n8k128", 4, 2, 1, 4}, types);
  if (writer.has("88128")) return emit_mma(writer, {"m8n8k128", 2, 1, 1, 2}, types);
  return false;
}

// DMMA.16x8x8 d, a, b, c: registers in pairs.
bool lift_double_mma(InstructionWriter& writer) {
  const Fragments form = writer.has("16x8x16")  ? Fragments{"m16n8k16", 4, 8, 4, 4}
                         : writer.has("16x8x8") ? Fragments{"m16n8k8", 4, 4, 2, 4}
                         : writer.has("16x8x4") ? Fragments{"m16n8k4", 4, 2, 1, 4}
                         : writer.has("8x8x4") || writer.has("884")
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
  if (name == "MOVM" && writer.has("MT88")) {
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

}  // namespace tilescope::machine
