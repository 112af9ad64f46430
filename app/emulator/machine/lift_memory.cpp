#include <tuple>

#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

// The registers that an access of this width moves, as PTX writes them.
struct Width {
  const char* type = "b32";
  std::uint32_t registers = 1;
};
Width width_of(InstructionWriter& writer) {
  if (writer.take("128")) return {"v4.b32", 4};
  if (writer.take("64")) return {"v2.b32", 2};
  if (writer.take("U8")) return {"u8", 1};
  if (writer.take("S8")) return {"s8", 1};
  if (writer.take("U16")) return {"u16", 1};
  if (writer.take("S16")) return {"s16", 1};
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
  const std::string_view strong = writer.take("STRONG") ? ".volatile" : "";
  writer.emit_main("ld{}{}.{} {}, [{}];", strong, space, width.type,
                   destinations(writer, writer.operand(0), width.registers), address);
  return true;
}

bool lift_store(InstructionWriter& writer, const char* space, bool wide_address) {
  if (writer.operand_count() != 2 || writer.operand(0).kind != OperandKind::kAddress) return false;
  Width width = width_of(writer);
  const std::string address = wide_address ? wide_address_of(writer, writer.operand(0))
                                           : address_of(writer, writer.operand(0));
  const std::string_view strong = writer.take("STRONG") ? ".volatile" : "";
  writer.emit_main("st{}{}.{} [{}], {};", strong, space, width.type, address,
                   sources(writer, writer.operand(1), width.registers));
  return true;
}

// A byte or a half of an array among the arguments or in constant memory, at a computed place.
bool lift_part_of_constant(InstructionWriter& writer) {
  const char* type = writer.take("U8")    ? "u8"
                     : writer.take("S8")  ? "s8"
                     : writer.take("U16") ? "u16"
                                          : "s16";
  const auto place = writer.constant_place(writer.operand(1));
  if (!place) return false;
  writer.emit_main("ld.{}.{} {}, [{}];", place->space, type, writer.to(writer.operand(0)),
                   place->address);
  return true;
}

// LDC, ULDC, LDCU d, c[bank][...]
bool lift_load_constant(InstructionWriter& writer) {
  if (writer.operand_count() != 2 || writer.operand(1).kind != OperandKind::kConstant) return false;
  const Operand& to = writer.operand(0);
  const Operand& from = writer.operand(1);
  if (writer.take("128")) {
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
  if (writer.take("64")) {
    const std::string value = writer.wide_integer(from);
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), value);
    return true;
  }
  std::string value;
  const unsigned bits = writer.take("U8") || writer.take("S8")     ? 8
                        : writer.take("U16") || writer.take("S16") ? 16
                                                                   : 32;
  if (bits == 32 || from.index != kZeroRegister || from.uniform != kZeroRegister) {
    if (bits != 32) return lift_part_of_constant(writer);
    writer.emit_main("mov.b32 {}, {};", writer.to(to), writer.integer(from));
    return true;
  }
  Operand whole = from;
  whole.value &= ~std::int64_t{3};
  writer.emit_main("bfe.{} {}, {}, {}, {};",
                   writer.take("S8") || writer.take("S16") ? "s32" : "u32", writer.to(to),
                   writer.integer(whole), (from.value & 3) * 8, bits);
  return true;
}

// LDGSTS.E.BYPASS.128[.ZFILL] [shared], desc[...][global][, P]. A false P turns the copy into one
// of no bytes: the destination is filled with zeros, without ZFILL too. With ZFILL the address says
// how many bytes less than all are copied: by as many it lies above what they begin at.
bool lift_async_copy(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const int bytes = writer.take("128") ? 16 : writer.take("64") ? 8 : 4;
  const std::string to = address_of(writer, writer.operand(0));
  std::string from = wide_address_of(writer, writer.operand(1));
  std::string size;
  if (writer.operand_count() > 2) {
    std::string whole = fmt::format("{}", bytes);
    if (writer.take("ZFILL")) {
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
                   writer.take("BYPASS") ? "cg" : "ca", to, from, bytes, size);
  return true;
}

// LDSM.16.[M|MT]88[.2|.4] d, [a]
bool lift_matrix_load(InstructionWriter& writer, bool store) {
  if (writer.operand_count() != 2) return false;
  const bool transposed = writer.take("MT88");
  if (!transposed && !writer.take("M88")) return false;
  const std::uint32_t count = writer.take("4") ? 4 : writer.take("2") ? 2 : 1;
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

const char* atomic_operation_of(InstructionWriter& writer) {
  for (const auto& [word, name] : {std::pair{"ADD", "add"},
                                   {"MIN", "min"},
                                   {"MAX", "max"},
                                   {"INC", "inc"},
                                   {"DEC", "dec"},
                                   {"AND", "and"},
                                   {"OR", "or"},
                                   {"XOR", "xor"},
                                   {"EXCH", "exch"},
                                   {"CAS", "cas"}}) {
    if (writer.take(word)) return name;
  }
  return nullptr;
}

std::string atomic_type_of(InstructionWriter& writer, std::string_view operation) {
  if (writer.take("F32")) return "f32";
  if (writer.take("F64")) return "f64";
  if (writer.take("F16x2")) return "noftz.f16x2";
  if (writer.take("BF16_V2") || writer.take("BF16x2")) return "noftz.bf16x2";
  const bool wide = writer.take("64") || writer.take("S64");
  const bool bits = operation == "and" || operation == "or" || operation == "xor" ||
                    operation == "exch" || operation == "cas";
  if (bits) return wide ? "b64" : "b32";
  if (operation == "add") return wide ? "u64" : "u32";
  const bool is_signed = writer.take("S32") || writer.take("S64");
  return fmt::format("{}{}", is_signed ? 's' : 'u', wide ? 64 : 32);
}

namespace {

bool is_wide(const std::string& type) { return type.ends_with("64"); }

// A value of the atomic's type from the registers that hold it.
std::string value_of(InstructionWriter& writer, const Operand& operand, bool wide) {
  if (wide) return writer.wide_integer(operand);
  return writer.integer(operand);
}

// ".v4.f32" and its 4 registers of ADD.F32x4, ".noftz.v2.f16x2" and 2 of ADD.F16x4.
struct VectorForm {
  std::string type;
  std::uint32_t registers = 0;  // 0: no vector
};
VectorForm vector_form(InstructionWriter& writer) {
  for (const auto& [word, type, registers] : {std::tuple{"F32x2", "v2.f32", 2U},
                                              {"F32x4", "v4.f32", 4U},
                                              {"F16x4", "noftz.v2.f16x2", 2U},
                                              {"F16x8", "noftz.v4.f16x2", 4U},
                                              {"BF16x4", "noftz.v2.bf16x2", 2U},
                                              {"BF16x8", "noftz.v4.bf16x2", 4U}}) {
    if (writer.take(word)) return {type, registers};
  }
  return {};
}

// "{%R4, %R5}"
std::string registers_of(InstructionWriter& writer, const Operand& first, std::uint32_t count) {
  std::string list = "{";
  for (std::uint32_t i = 0; i < count; ++i) {
    list += (i == 0 ? "" : ", ") + writer.raw(first, i);
  }
  return list + "}";
}

// RED, REDG: [address], value
bool lift_reduction(InstructionWriter& writer, const char* space) {
  const char* operation = atomic_operation_of(writer);
  if (operation == nullptr || writer.operand_count() != 2) return false;
  if (const VectorForm form = vector_form(writer); form.registers != 0) {
    writer.emit_main("red{}.{}.{} [{}], {};", space, operation, form.type,
                     wide_address_of(writer, writer.operand(0)),
                     registers_of(writer, writer.operand(1), form.registers));
    return true;
  }
  const std::string type = atomic_type_of(writer, operation);
  const std::string address = wide_address_of(writer, writer.operand(0));
  writer.emit_main("red{}.{}.{} [{}], {};", space, operation, type, address,
                   value_of(writer, writer.operand(1), is_wide(type)));
  return true;
}

// An address of shared memory, in a register of its own.
std::string shared_word(InstructionWriter& writer, const Operand& operand) {
  Operand base = operand;
  base.value = 0;
  std::string address = writer.word();
  writer.emit("mov.b32 {}, {};", address, address_of(writer, base));
  writer.emit("add.u32 {}, {}, {};", address, address, static_cast<std::uint32_t>(operand.value));
  return address;
}

// Whether a lane is the first of those here whose words lie in one bank; words of 64 bits are
// served by halves of the warp. (Measured on an H200: tests/corpus, probe_atomic_add_f32_stride_2.)
std::string first_of_bank(InstructionWriter& writer, const std::string& address, bool wide) {
  const std::string bank = writer.word();
  const std::string mask = writer.word();
  const std::string below = writer.word();
  writer.emit("bfe.u32 {}, {}, {}, {};", bank, address, wide ? 3 : 2, wide ? 4 : 5);
  if (wide) {
    const std::string half = writer.word();
    writer.emit("mov.u32 {}, %laneid;", half);
    writer.emit("and.b32 {}, {}, 16;", half, half);
    writer.emit("or.b32 {}, {}, {};", bank, bank, half);
  }
  writer.emit("activemask.b32 {};", mask);
  writer.emit("match.any.sync.b32 {}, {}, {};", mask, bank, mask);
  writer.emit("mov.u32 {}, %lanemask_lt;", below);
  writer.emit("and.b32 {}, {}, {};", below, below, mask);
  std::string first = writer.predicate();
  writer.emit("setp.eq.u32 {}, {}, 0;", first, below);
  return first;
}

// Before a compare-and-swap of shared memory: all warps of a block load what they expect before the
// first of them swaps, one whose word another has swapped since tries again, and the lowest warp
// comes first (measured on an H200: tests/corpus, h_packed_atoms).
void let_others_load(InstructionWriter& writer) { writer.append_for_all("$pause;"); }

// ATOMS.CAST.SPIN[.64] d, [address], old, new: 1 when memory held `old` and now holds `new`. Serves
// one lane a bank; the others get 0 and try again. ATOM.CAST.SPIN PT, d, [address], old, new does
// the same to the shared memory of a cluster, lane by lane.
bool lift_spin(InstructionWriter& writer) {
  const bool of_cluster = writer.operand_count() == 5;
  if (writer.operand_count() != (of_cluster ? 5 : 4)) return false;
  const std::size_t at = of_cluster ? 1 : 0;
  if (!of_cluster) let_others_load(writer);
  const bool wide = writer.take("64");
  const std::string old = value_of(writer, writer.operand(at + 2), wide);
  const std::string value = value_of(writer, writer.operand(at + 3), wide);
  const std::string found = wide ? writer.wide() : writer.word();
  const std::string expected = wide ? writer.wide() : writer.word();
  const char* type = wide ? "b64" : "b32";
  writer.emit("mov.{} {}, {};", type, expected, old);
  const std::string address = of_cluster ? wide_address_of(writer, writer.operand(2))
                                         : shared_word(writer, writer.operand(1));
  const std::string first = of_cluster ? "%true" : first_of_bank(writer, address, wide);
  const std::string next = wide ? writer.wide() : writer.word();
  writer.emit("selp.{} {}, {}, {}, {};", type, next, value, expected, first);
  writer.emit_main("atom{}.cas.{} {}, [{}], {}, {};", of_cluster ? "" : ".shared", type, found,
                   address, expected, next);
  const std::string held = writer.predicate();
  writer.emit("setp.eq.{} {}, {}, {};", wide ? "u64" : "u32", held, found, expected);
  writer.emit("and.pred {}, {}, {};", held, held, first);
  const Operand& to = writer.operand(at);
  if (to.kind == OperandKind::kPredicate) {
    writer.set_predicate(to, held);
  } else {
    writer.emit("selp.b32 {}, 1, 0, {};", writer.to(to), held);
    if (wide) writer.emit("mov.b32 {}, 0;", writer.to(to, 1));
  }
  return true;
}

// EXCH.128 and CAS.128 of registers in fours.
void lift_exchange_128(InstructionWriter& writer, const char* space, const char* operation,
                       std::size_t at, const std::string& address) {
  const auto pairs = [&](const Operand& first) {
    std::string low = writer.wide();
    std::string high = writer.wide();
    writer.emit("mov.b64 {}, {{{}, {}}};", low, writer.raw(first), writer.raw(first, 1));
    writer.emit("mov.b64 {}, {{{}, {}}};", high, writer.raw(first, 2), writer.raw(first, 3));
    return std::pair{low, high};
  };
  writer.append_for_all("{ .reg .b128 %before, %value0, %value1;");
  std::string values;
  for (std::size_t i = at + 2; i < writer.operand_count(); ++i) {
    const auto [low, high] = pairs(writer.operand(i));
    const std::string value = fmt::format("%value{}", i - at - 2);
    writer.emit("mov.b128 {}, {{{}, {}}};", value, low, high);
    values += (values.empty() ? "" : ", ") + value;
  }
  writer.emit_main("atom{}.{}.b128 %before, [{}], {};", space, operation, address, values);
  const std::string low = writer.wide();
  const std::string high = writer.wide();
  writer.emit("mov.b128 {{{}, {}}}, %before;", low, high);
  const Operand& to = writer.operand(at);
  if (to.index != kZeroRegister) {
    writer.emit("mov.b64 {{{}, {}}}, {};", writer.raw(to), writer.raw(to, 1), low);
    writer.emit("mov.b64 {{{}, {}}}, {};", writer.raw(to, 2), writer.raw(to, 3), high);
  }
  writer.append_for_all("}");
}

bool is_integer(InstructionWriter& writer) {
  return !writer.take("F32") && !writer.take("F64") && !writer.take("F16x2") &&
         !writer.take("BF16_V2") && !writer.take("BF16x2") && vector_form(writer).registers == 0;
}

// `holds` also where the address lies in the shared memory of a block of the cluster, its own too.
void or_in_cluster(InstructionWriter& writer, const std::string& holds,
                   const std::string& address) {
  const std::string cluster = writer.predicate();
  writer.emit("isspacep.shared::cluster {}, {};", cluster, address);
  writer.emit("or.pred {}, {}, {};", holds, holds, cluster);
}

// ATOM, ATOMG, ATOMS: [P,] d, [address], value [, second].
bool lift_exchange(InstructionWriter& writer, const char* space, bool wide_address) {
  const char* operation = atomic_operation_of(writer);
  const bool has_predicate = writer.operand(0).kind == OperandKind::kPredicate;
  const std::size_t at = has_predicate ? 1 : 0;
  if (operation == nullptr || writer.operand_count() < at + 2) return false;
  if (has_predicate && writer.operand(0).index != kTruePredicate) {
    // ATOM P0: done where the address is global, of integers in a cluster also where it is shared
    // memory, and P0 says where.
    const std::string is_global = writer.predicate();
    writer.emit("isspacep.global {}, {};", is_global,
                wide_address_of(writer, writer.operand(at + 1)));
    if (writer.listing().has_clusters() && is_integer(writer))
      or_in_cluster(writer, is_global, wide_address_of(writer, writer.operand(at + 1)));
    writer.set_predicate(writer.operand(0), is_global);
    writer.narrow_to(is_global);
  }
  if (operation == std::string_view("cas") && space == std::string_view(".shared")) {
    let_others_load(writer);
  }
  const std::string type = atomic_type_of(writer, operation);
  const bool wide = is_wide(type);
  const std::string address = wide_address ? wide_address_of(writer, writer.operand(at + 1))
                                           : address_of(writer, writer.operand(at + 1));
  if (writer.take("128")) {
    lift_exchange_128(writer, space, operation, at, address);
    return true;
  }
  if (const VectorForm form = vector_form(writer); form.registers != 0) {
    const Operand& old = writer.operand(at);
    std::string results = "{";
    for (std::uint32_t i = 0; i < form.registers; ++i) {
      results += (i == 0 ? "" : ", ") + writer.to(old, i);
    }
    writer.emit_main("atom{}.{}.{} {}}}, [{}], {};", space, operation, form.type, results, address,
                     registers_of(writer, writer.operand(at + 2), form.registers));
    return true;
  }
  std::string values(writer.take("POPC") ? "1" : "");  // every lane adds one
  for (std::size_t i = at + 2; i < writer.operand_count(); ++i) {
    if (!values.empty()) values += ", ";
    values += value_of(writer, writer.operand(i), wide);
  }
  const Operand& to = writer.operand(at);
  const char* name = writer.take("POPC") ? "add" : operation;
  const std::string result = wide ? writer.wide() : writer.word();
  writer.emit_main("atom{}.{}.{} {}, [{}], {};", space, name, type, result, address, values);
  if (wide) {
    writer.set_wide(to, result);
  } else {
    writer.set(to, result);
  }
  return true;
}

}  // namespace

bool lift_atomic(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (writer.operand_count() < 2) return false;
  if (name == "RED" || name == "REDG")
    return lift_reduction(writer, name == "RED" ? "" : ".global");
  if (writer.take("CAST")) return lift_spin(writer);
  if (name == "ATOM") return lift_exchange(writer, "", true);
  if (name == "ATOMG") return lift_exchange(writer, ".global", true);
  if (name == "ATOMS") return lift_exchange(writer, ".shared", false);
  return false;
}

}  // namespace tilescope::machine
