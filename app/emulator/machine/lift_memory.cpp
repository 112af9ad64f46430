#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// The registers that an access of this width moves, as PTX writes them.
struct Width {
  const char* type = "b32";
  std::uint32_t registers = 1;
};
Width width_of(const InstructionWriter& writer) {
  if (writer.has("128")) return {"v4.b32", 4};
  if (writer.has("64")) return {"v2.b32", 2};
  if (writer.has("U8")) return {"u8", 1};
  if (writer.has("S8")) return {"s8", 1};
  if (writer.has("U16")) return {"u16", 1};
  if (writer.has("S16")) return {"s16", 1};
  return {};
}

std::string list(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ", ") + name;
  return text + "}";
}

std::string destinations(InstructionWriter& writer, const Operand& to, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(writer.to(to, i));
  return list(names);
}

std::string sources(InstructionWriter& writer, const Operand& from, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (from.index == kZeroRegister) {
      names.push_back(writer.word());
      writer.emit("mov.b32 {}, 0;", names.back());
    } else {
      names.push_back(writer.raw(from, i));
    }
  }
  return list(names);
}

bool lift_load(InstructionWriter& writer, const char* space, bool wide_address) {
  // A predicate may follow the destination (LDG.E R0, P0, [...]): not taught.
  if (writer.operand_count() != 2 || writer.operand(1).kind != OperandKind::kAddress) return false;
  const Width width = width_of(writer);
  const std::string address = wide_address ? wide_address_of(writer, writer.operand(1))
                                           : address_of(writer, writer.operand(1));
  const std::string_view strong = writer.has("STRONG") ? ".volatile" : "";
  writer.emit_main("ld{}{}.{} {}, [{}];", strong, space, width.type,
                   destinations(writer, writer.operand(0), width.registers), address);
  return true;
}

bool lift_store(InstructionWriter& writer, const char* space, bool wide_address) {
  if (writer.operand_count() != 2 || writer.operand(0).kind != OperandKind::kAddress) return false;
  Width width = width_of(writer);
  const std::string address = wide_address ? wide_address_of(writer, writer.operand(0))
                                           : address_of(writer, writer.operand(0));
  writer.emit_main("st{}.{} [{}], {};", space, width.type, address,
                   sources(writer, writer.operand(1), width.registers));
  return true;
}

// A byte or a half of a table in constant memory, at a computed place.
bool lift_part_of_constant(InstructionWriter& writer) {
  const char* type = writer.has("U8")    ? "u8"
                     : writer.has("S8")  ? "s8"
                     : writer.has("U16") ? "u16"
                                         : "s16";
  const std::string place = writer.constant_place(writer.operand(1));
  if (place.empty()) return false;
  writer.emit_main("ld.const.{} {}, [{}];", type, writer.to(writer.operand(0)), place);
  return true;
}

// LDC, ULDC, LDCU d, c[bank][...]
bool lift_load_constant(InstructionWriter& writer) {
  if (writer.operand_count() != 2 || writer.operand(1).kind != OperandKind::kConstant) return false;
  const Operand& to = writer.operand(0);
  const Operand& from = writer.operand(1);
  if (writer.has("128")) {
    Operand upper = from;
    upper.value += 8;
    Operand second = to;
    second.index += 2;
    const std::string low = writer.wide_integer(from);
    const std::string high = writer.wide_integer(upper);
    writer.set_wide(to, low);
    writer.set_wide(second, high);
    return true;
  }
  if (writer.has("64")) {
    const std::string value = writer.wide_integer(from);
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), value);
    return true;
  }
  std::string value;
  const unsigned bits = writer.has("U8") || writer.has("S8")     ? 8
                        : writer.has("U16") || writer.has("S16") ? 16
                                                                 : 32;
  if (bits == 32 || from.index != kZeroRegister || from.uniform != kZeroRegister) {
    if (bits != 32) return lift_part_of_constant(writer);
    writer.emit_main("mov.b32 {}, {};", writer.to(to), writer.integer(from));
    return true;
  }
  Operand whole = from;
  whole.value &= ~std::int64_t{3};
  writer.emit_main("bfe.{} {}, {}, {}, {};", writer.has("S8") || writer.has("S16") ? "s32" : "u32",
                   writer.to(to), writer.integer(whole), (from.value & 3) * 8, bits);
  return true;
}

// LDGSTS.E.BYPASS.128[.ZFILL] [shared], desc[...][global][, P]. A false P turns the copy into one
// of no bytes: the destination is filled with zeros, without ZFILL too. With ZFILL the address says
// how many bytes less than all are copied: by as many it lies above what they begin at.
bool lift_async_copy(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const int bytes = writer.has("128") ? 16 : writer.has("64") ? 8 : 4;
  const std::string to = address_of(writer, writer.operand(0));
  std::string from = wide_address_of(writer, writer.operand(1));
  std::string size;
  if (writer.operand_count() > 2) {
    std::string whole = fmt::format("{}", bytes);
    if (writer.has("ZFILL")) {
      const std::string aligned = writer.wide();
      whole = writer.word();
      writer.emit("add.u64 {}, {}, 0;", aligned, from);
      writer.emit("cvt.u32.u64 {}, {};", whole, aligned);
      writer.emit("and.b32 {}, {}, {};", whole, whole, bytes - 1);
      writer.emit("sub.u32 {}, {}, {};", whole, bytes, whole);
      writer.emit("and.b64 {}, {}, {};", aligned, aligned, -bytes);
      from = aligned;
    }
    size = writer.word();
    writer.emit("selp.b32 {}, {}, 0, {};", size, whole, writer.truth(writer.operand(2)));
    size = ", " + size;
  }
  writer.emit_main("cp.async.{}.shared.global [{}], [{}], {}{};",
                   writer.has("BYPASS") ? "cg" : "ca", to, from, bytes, size);
  return true;
}

// LDSM.16.[M|MT]88[.2|.4] d, [a]
bool lift_matrix_load(InstructionWriter& writer, bool store) {
  if (writer.operand_count() != 2) return false;
  const bool transposed = writer.has("MT88");
  if (!transposed && !writer.has("M88")) return false;
  const std::uint32_t count = writer.has("4") ? 4 : writer.has("2") ? 2 : 1;
  const Operand& address = writer.operand(store ? 0 : 1);
  const Operand& data = writer.operand(store ? 1 : 0);
  const std::string place = address_of(writer, address);
  std::string registers = store ? sources(writer, data, count) : destinations(writer, data, count);
  if (count == 1) registers = "{" + registers + "}";
  const std::string form =
      fmt::format("{}.sync.aligned.m8n8.x{}{}.shared.b16", store ? "stmatrix" : "ldmatrix", count,
                  transposed ? ".trans" : "");
  if (store) {
    writer.emit_main("{} [{}], {};", form, place, registers);
  } else {
    writer.emit_main("{} {}, [{}];", form, registers, place);
  }
  return true;
}

}  // namespace

std::string address_of(InstructionWriter& writer, const Operand& operand) {
  std::string base = operand.index == kZeroRegister ? "" : fmt::format("%R{}", operand.index);
  if (operand.suffix.starts_with('X') && !base.empty()) {  // scaled: X4, X8, X16
    const std::string scaled = writer.word();
    writer.emit("mul.lo.u32 {}, {}, {};", scaled, base, operand.suffix.substr(1));
    base = scaled;
  }
  if (operand.uniform != kZeroRegister) {
    const std::string uniform = fmt::format("%UR{}", operand.uniform);
    if (base.empty()) {
      base = uniform;
    } else {
      const std::string sum = writer.word();
      writer.emit("add.u32 {}, {}, {};", sum, base, uniform);
      base = sum;
    }
  }
  if (base.empty()) return fmt::format("{}", operand.value);
  return operand.value == 0 ? base : fmt::format("{}+{}", base, operand.value);
}

std::string wide_address_of(InstructionWriter& writer, const Operand& operand) {
  std::string base;
  const bool has_register = operand.index != kZeroRegister;
  const bool has_uniform = operand.uniform != kZeroRegister;
  if (has_register) {
    base = writer.wide();
    if (operand.suffix == "U32") {
      writer.emit("cvt.u64.u32 {}, %R{};", base, operand.index);
    } else if (operand.suffix == "64" || !has_uniform) {
      writer.emit("mov.b64 {}, {{%R{}, %R{}}};", base, operand.index, operand.index + 1);
    } else {
      writer.emit("cvt.s64.s32 {}, %R{};", base, operand.index);
    }
  }
  if (has_uniform) {
    // A register pair is displaced by one uniform register; anything narrower by a pair.
    const std::string uniform = writer.wide();
    if (has_register && operand.suffix == "64") {
      writer.emit("cvt.s64.s32 {}, %UR{};", uniform, operand.uniform);
    } else {
      writer.emit("mov.b64 {}, {{%UR{}, %UR{}}};", uniform, operand.uniform, operand.uniform + 1);
    }
    if (has_register) {
      writer.emit("add.u64 {}, {}, {};", uniform, uniform, base);
    }
    base = uniform;
  }
  if (base.empty()) {
    base = writer.wide();
    writer.emit("mov.b64 {}, 0;", base);
  }
  return operand.value == 0 ? base : fmt::format("{}+{}", base, operand.value);
}

bool lift_memory(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "LDG") return lift_load(writer, ".global", true);
  if (name == "STG") return lift_store(writer, ".global", true);
  if (name == "LDS" || name == "LDSU") return lift_load(writer, ".shared", false);
  if (name == "STS") return lift_store(writer, ".shared", false);
  if (name == "LDL") return lift_load(writer, ".local", false);
  if (name == "STL") return lift_store(writer, ".local", false);
  if (name == "LD") return lift_load(writer, "", true);
  if (name == "ST") return lift_store(writer, "", true);
  if (name == "LDC" || name == "ULDC" || name == "LDCU") return lift_load_constant(writer);
  if (name == "LDGSTS") return lift_async_copy(writer);
  if (name == "LDSM") return lift_matrix_load(writer, false);
  if (name == "STSM") return lift_matrix_load(writer, true);
  return false;
}

}  // namespace tilescope::machine
