#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "emulator/machine/lifter.h"
#include "emulator/memory_map.h"

namespace tilescope::machine {
namespace {

std::string register_name(const Operand& operand, std::uint32_t offset) {
  return fmt::format("{}{}", operand.kind == OperandKind::kUniform ? "%UR" : "%R",
                     operand.index + offset);
}

bool is_zero(const Operand& operand) { return operand.index == kZeroRegister; }

// Where the driver puts what every launch needs into constant bank 0, as seen in code of sm_75 to
// sm_120, whose kernels say by the offset of their parameters which layout they have.
struct LaunchConstant {
  std::int64_t offset = 0;
  const char* value = nullptr;  // in PTX, of 32 bits; or one of the following
};
constexpr const char* kIsExplicit = "%is_explicit_cluster";
constexpr const char* kInverseX = "1 / %cluster_nctaid.x";  // as f32
constexpr const char* kInverseY = "1 / %cluster_nctaid.y";
constexpr const char* kInverseZ = "1 / %cluster_nctaid.z";
constexpr LaunchConstant kBefore100[] = {
    {0x0, "%ntid.x"},
    {0x4, "%ntid.y"},
    {0x8, "%ntid.z"},
    {0xc, "%nctaid.x"},
    {0x10, "%nctaid.y"},
    {0x14, "%nctaid.z"},
    {0x20, "0"},  // lower half of the generic address of local memory
    {0x2c, "%dynamic_smem_size"},
    {0x10c, "%nsmid"}};
// Descriptors move no address: any value does.
constexpr LaunchConstant kBefore90[] = {{0x118, "0"},
                                        {0x11c, "0"},
                                        {0x120, "%reserved_smem_offset_end"},
                                        {0x124, "%reserved_smem_offset_1"}};
constexpr LaunchConstant kOf90[] = {{0x68, "%reserved_smem_offset_end"},
                                    {0x6c, "%reserved_smem_offset_1"},
                                    {0x140, kIsExplicit},
                                    {0x144, "%cluster_nctaid.x"},
                                    {0x148, "%cluster_nctaid.y"},
                                    {0x14c, "%cluster_nctaid.z"},
                                    {0x150, kInverseX},
                                    {0x154, kInverseY},
                                    {0x158, kInverseZ},
                                    {0x15c, "%nclusterid.x"},
                                    {0x160, "%nclusterid.y"},
                                    {0x164, "%nclusterid.z"},
                                    {0x188, "%cluster_nctarank"},
                                    {0x208, "0"},
                                    {0x20c, "0"}};
constexpr LaunchConstant kFrom100[] = {
    {0x2d0, "%nsmid"},    {0x358, "0"},         {0x35c, "0"},  // a descriptor
    {0x360, "%ntid.x"},   {0x364, "%ntid.y"},   {0x368, "%ntid.z"},  {0x36c, kIsExplicit},
    {0x370, "%nctaid.x"}, {0x374, "%nctaid.y"}, {0x378, "%nctaid.z"}};

struct LaunchConstants {
  std::span<const LaunchConstant> words;
  std::span<const LaunchConstant> more_words;
  std::int64_t stack = 0;         // top of the thread's stack
  std::int64_t local_window = 0;  // upper half of the generic address of local memory
  std::int64_t grid_number = 0;   // %gridid, 8 bytes
  std::int64_t parameters = 0;    // generic address of a place of bank 0, 8 bytes
  std::int64_t addressed = 0;     // that place

  // nullptr: none of the words.
  [[nodiscard]] const char* value_at(std::int64_t offset) const {
    for (const auto& part : {words, more_words}) {
      const auto known = std::ranges::find(part, offset, &LaunchConstant::offset);
      if (known != part.end()) return known->value;
    }
    return nullptr;
  }
};
LaunchConstants launch_constants(std::uint32_t parameter_base) {
  if (parameter_base >= 0x380) return {kFrom100, {}, 0x37c, -1, 0x140, 0x348, parameter_base};
  if (parameter_base >= 0x210) return {kBefore100, kOf90, 0x28, 0x24, 0x30, 0x198, parameter_base};
  return {kBefore100, kBefore90, 0x28, 0x24, 0x30, 0x40, 0};
}

// What follows from the cluster that the kernel asks for, in PTX.
std::string value_of(const char* value, const Listing& listing) {
  const std::string_view name = value;
  if (name == kIsExplicit) return listing.explicit_cluster ? "1" : "0";
  for (const auto& [inverse, extent] : {std::pair{kInverseX, listing.cluster.x},
                                        {kInverseY, listing.cluster.y},
                                        {kInverseZ, listing.cluster.z}}) {
    if (name != inverse) continue;
    const float quotient = 1.0f / static_cast<float>(extent);
    return fmt::format("0f{:08X}", std::bit_cast<std::uint32_t>(quotient));
  }
  return value;
}

constexpr std::int64_t kLastPlace = 0xffff;  // of bank 0

// Modifiers that change nothing of what their instruction computes.
constexpr std::pair<std::string_view, std::string_view> kSaysNothing[] = {
    {"DSETP", "AND"}, {"F2F", "F32"},    {"F2FP", "F32"}, {"F2I", "F32"},   {"F2I", "NTZ"},
    {"F2IP", "NTZ"},  {"F2I", "S32"},    {"FSET", "AND"}, {"FSETP", "AND"}, {"HFMA2", "MMA"},
    {"HSET2", "AND"}, {"HSETP2", "AND"}, {"I2F", "F32"},  {"I2F", "S32"},   {"I2FP", "F32"},
    {"I2FP", "S32"},  {"I2I", "S32"},    {"IADD3", "X"},  {"IMAD", "IADD"}, {"IMAD", "MOV"},
    {"IMAD", "SHL"},  {"IMAD", "U32"},   {"IMAD", "X"},   {"IMNMX", "S32"}, {"ISETP", "AND"},
    {"ISETP", "S32"}, {"LEA", "X"},      {"LOP3", "LUT"}, {"PLOP3", "LUT"}, {"SHF", "R"},
    {"SHF", "U32"},   {"VIMNMX", "S32"}};

}  // namespace

std::string symbol_at(const Listing& listing, std::size_t place) {
  const std::string& name = listing.symbols[place];
  for (const GlobalData& global : listing.globals) {
    if (global.name == name) return name;
  }
  if (name == "vprintf") return std::to_string(kPrintFunction);
  if (name == "__assertfail") return std::to_string(kAssertFunction);
  return std::to_string(kAssertFunction + 1 + place);
}

void InstructionWriter::begin(const Instruction& instruction) {
  instruction_ = &instruction;
  taken_ = 0;
  lines_.clear();
  main_ = static_cast<std::size_t>(-1);
  words_ = wides_ = halves_ = predicates_ = 0;
  guard_.clear();
  if (!instruction.guarded) return;
  // An instruction may write its own guard: a copy stands for it then.
  std::string name = raw(instruction.guard);
  const bool written = std::any_of(
      instruction.operands.begin(), instruction.operands.end(), [&](const Operand& operand) {
        return operand.kind == instruction.guard.kind && operand.index == instruction.guard.index &&
               operand.index != kTruePredicate;
      });
  if (written) {
    const std::string copy = predicate();
    emit("mov.pred {}, {};", copy, name);
    name = copy;
  }
  guard_ = fmt::format("@{}{} ", instruction.guard.inverted ? "!" : "", name);
  guard_name_ = std::move(name);
}

bool InstructionWriter::take(std::string_view modifier) {
  bool found = false;
  for (std::size_t i = 0; i < instruction_->modifiers.size(); ++i) {
    if (instruction_->modifiers[i] != modifier) continue;
    taken_ |= std::uint64_t{1} << std::min<std::size_t>(i, 63);
    found = true;
  }
  return found;
}

const std::vector<std::string_view>& InstructionWriter::take_modifiers() {
  taken_ = ~std::uint64_t{0};
  return instruction_->modifiers;
}

bool InstructionWriter::left_a_modifier() const {
  std::string_view name = instruction_->mnemonic;
  if (name.starts_with('U')) name.remove_prefix(1);  // of the uniform datapath
  for (std::size_t i = 0; i < instruction_->modifiers.size(); ++i) {
    if ((taken_ >> std::min<std::size_t>(i, 63) & 1) != 0) continue;
    const std::pair said(name, instruction_->modifiers[i]);
    if (std::ranges::find(kSaysNothing, said) == std::end(kSaysNothing)) return true;
  }
  return false;
}

std::string InstructionWriter::guard_truth() {
  if (!instruction_->guarded) return "%true";
  if (!instruction_->guard.inverted) return guard_name_;
  std::string holds = predicate();
  append_for_all(fmt::format("not.pred {}, {};", holds, guard_name_));
  return holds;
}

void InstructionWriter::narrow_to(const std::string& condition) {
  std::string both = condition;
  if (instruction_->guarded) {
    const std::string guard = guard_truth();
    both = predicate();
    append_for_all(fmt::format("and.pred {}, {}, {};", both, condition, guard));
  }
  guard_ = fmt::format("@{} ", both);
}

void InstructionWriter::append(const std::string& statement) {
  lines_.push_back(guard_ + statement);
}

std::string InstructionWriter::word() {
  most_words_ = std::max(most_words_, ++words_);
  return fmt::format("%w{}", words_ - 1);
}
std::string InstructionWriter::wide() {
  most_wides_ = std::max(most_wides_, ++wides_);
  return fmt::format("%d{}", wides_ - 1);
}
std::string InstructionWriter::half() {
  most_halves_ = std::max(most_halves_, ++halves_);
  return fmt::format("%h{}", halves_ - 1);
}
std::string InstructionWriter::predicate() {
  most_predicates_ = std::max(most_predicates_, ++predicates_);
  return fmt::format("%q{}", predicates_ - 1);
}

std::string InstructionWriter::raw(const Operand& operand, std::uint32_t offset) {
  switch (operand.kind) {
    case OperandKind::kPredicate:
      return operand.index == kTruePredicate ? "%true" : fmt::format("%P{}", operand.index);
    case OperandKind::kUniformPredicate:
      return operand.index == kTruePredicate ? "%true" : fmt::format("%UP{}", operand.index);
    default:
      return is_zero(operand) ? "0" : register_name(operand, offset);
  }
}

std::int64_t InstructionWriter::shift_at(std::int64_t place) const {
  // The machine's parameters begin at a base, those of PTX at 0, and both align them: one of 64
  // bytes, as a tensor map needs, may lie elsewhere from its neighbours.
  const auto aligned = [](std::int64_t at, std::int64_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
  };
  std::int64_t machine = listing_.parameter_base;
  std::int64_t ptx = 0;
  std::int64_t shift = machine;
  for (const KernelParameter& parameter : parameters_) {
    const std::int64_t alignment = std::max(parameter.alignment, 1u);
    machine = aligned(machine, alignment);
    ptx = aligned(ptx, alignment);
    if (machine > place) break;
    shift = machine - ptx;
    machine += parameter.bytes;
    ptx += parameter.bytes;
  }
  return shift;
}

std::string InstructionWriter::launch_constant(std::int64_t offset, bool wide_value) {
  const LaunchConstants places = launch_constants(listing_.parameter_base);
  const std::string low = word();
  const auto read = [&](std::int64_t at, const std::string& into) {
    if (const char* value = places.value_at(at)) {
      emit("mov.b32 {}, {};", into, value_of(value, listing_));
    } else if (at == places.stack) {
      emit("mov.u32 {}, {};", into, listing_.local_bytes);
    } else if (at == places.local_window) {
      emit("mov.u32 {}, {};", into, kLocalWindow >> 32);
    } else if (at == places.parameters || at == places.parameters + 4) {
      // Code takes the address of structures; they lie behind the first parameter that is shifted.
      const std::uint64_t address =
          kParameterWindow + static_cast<std::uint64_t>(places.addressed - shift_at(kLastPlace));
      emit("mov.b32 {}, {};", into,
           static_cast<std::uint32_t>(at == places.parameters ? address : address >> 32));
    } else if (at == places.grid_number || at == places.grid_number + 4) {
      const std::string number = wide();
      const std::string other = word();
      emit("mov.u64 {}, %gridid;", number);
      emit("mov.b64 {{{}, {}}}, {};", at == places.grid_number ? into : other,
           at == places.grid_number ? other : into, number);
    } else {
      refuse();
    }
  };
  read(offset, low);
  if (!wide_value) return low;
  const std::string high = word();
  read(offset + 4, high);
  const std::string both = wide();
  emit("mov.b64 {}, {{{}, {}}};", both, low, high);
  return both;
}

std::string InstructionWriter::constant(const Operand& operand, bool wide_value) {
  const char* type = wide_value ? "b64" : "b32";
  const bool indexed = !is_zero(operand) || operand.uniform != kZeroRegister;
  if (operand.bank == 4 && !indexed) {
    const auto symbol = static_cast<std::size_t>(operand.value / 8);
    if (symbol < listing_.symbols.size()) {
      const std::string address = wide();
      emit("mov.u64 {}, {};", address, symbol_at(listing_, symbol));
      if (wide_value) return address;
      const std::string part = word();
      const std::string other = word();
      emit("mov.b64 {{{}, {}}}, {};", operand.value % 8 == 0 ? part : other,
           operand.value % 8 == 0 ? other : part, address);
      return part;
    }
  }
  const std::string value = wide_value ? wide() : word();
  const bool is_before_parameters = operand.bank == 0 && operand.value < listing_.parameter_base;
  if (operand.bank == 0 && !indexed && (is_before_parameters || parameters_.empty()))
    return launch_constant(operand.value, wide_value);
  if (const auto place = constant_place(operand); place && !is_before_parameters) {
    emit("ld.{}.{} {}, [{}];", place->space, type, value, place->address);
  } else {
    refuse();
  }
  return value;
}

std::optional<InstructionWriter::ConstantPlace> InstructionWriter::constant_place(
    const Operand& operand) {
  const bool is_argument = operand.bank == 0 && !parameters_.empty();
  const bool is_there = is_argument || listing_.banks.contains(operand.bank) ||
                        (operand.bank == 4 && !listing_.symbols.empty());
  if (!is_there) return std::nullopt;
  const char* space = is_argument ? "param" : "const";
  const std::string start =
      is_argument ? parameters_.front().name : fmt::format("bank{}", operand.bank);
  // An argument is read where it lies: a wide read may cover two of them.
  const std::int64_t at = operand.value - (is_argument ? shift_at(operand.value) : 0);
  if (is_zero(operand) && operand.uniform == kZeroRegister)
    return ConstantPlace{space, fmt::format("{}+{}", start, at)};
  const std::string index = word();
  emit("add.u32 {}, {}, {};", index, is_zero(operand) ? "0" : fmt::format("%R{}", operand.index),
       operand.uniform == kZeroRegister ? "0" : fmt::format("%UR{}", operand.uniform));
  const std::string address = wide();
  emit("cvt.u64.u32 {}, {};", address, index);
  const std::string first = wide();
  emit("mov.b64 {}, {};", first, start);
  emit("add.u64 {}, {}, {};", address, address, first);
  return ConstantPlace{space, fmt::format("{}+{}", address, at)};
}

std::string InstructionWriter::integer(const Operand& operand) {
  std::string value;
  switch (operand.kind) {
    case OperandKind::kInteger:
      value = fmt::format("{}", static_cast<std::uint32_t>(operand.value));
      break;
    case OperandKind::kNumber:
      value =
          fmt::format("{}", static_cast<std::uint32_t>(static_cast<std::int64_t>(operand.number)));
      break;
    case OperandKind::kConstant:
      value = constant(operand, false);
      break;
    default:
      value = raw(operand);
      break;
  }
  if (operand.absolute) {
    const std::string result = word();
    emit("abs.s32 {}, {};", result, value);
    value = result;
  }
  if (operand.negated || operand.inverted) {
    const std::string result = word();
    emit("{} {}, {};", operand.negated ? "neg.s32" : "not.b32", result, value);
    value = result;
  }
  return value;
}

std::string InstructionWriter::wide_integer(const Operand& operand) {
  std::string value;
  if (operand.kind == OperandKind::kInteger) return fmt::format("{}", operand.value);
  if (operand.kind == OperandKind::kConstant) {
    value = constant(operand, true);
  } else if (is_zero(operand)) {
    return "0";
  } else {
    value = wide();
    emit("mov.b64 {}, {{{}, {}}};", value, raw(operand), raw(operand, 1));
  }
  if (operand.negated || operand.inverted) {
    const std::string result = wide();
    emit("{} {}, {};", operand.negated ? "neg.s64" : "not.b64", result, value);
    value = result;
  }
  return value;
}

std::string InstructionWriter::signed_number(std::string value, const Operand& operand,
                                             bool wide_value) {
  const char* type = wide_value ? "b64" : "b32";
  if (value.starts_with('0')) {  // RZ
    if (!operand.negated) return value;
    return wide_value ? "0d8000000000000000" : "0f80000000";
  }
  const auto apply = [&](const char* operation, std::uint64_t bits) {
    const std::string result = wide_value ? wide() : word();
    emit("{}.{} {}, {}, {};", operation, type, result, value, wide_value ? bits : bits >> 32);
    value = result;
  };
  if (operand.absolute) apply("and", 0x7fffffffffffffff);
  if (operand.negated) apply("xor", 0x8000000000000000);
  return value;
}

std::string InstructionWriter::f32(const Operand& operand) {
  if (operand.kind == OperandKind::kNumber) {
    return fmt::format("0f{:08X}",
                       std::bit_cast<std::uint32_t>(static_cast<float>(operand.number)));
  }
  if (operand.kind == OperandKind::kInteger) {
    return fmt::format("0f{:08X}", static_cast<std::uint32_t>(operand.value));
  }
  const std::string value =
      operand.kind == OperandKind::kConstant ? constant(operand, false) : raw(operand);
  return signed_number(value == "0" ? "0f00000000" : value, operand, false);
}

std::string InstructionWriter::f64(const Operand& operand) {
  if (operand.kind == OperandKind::kNumber) {
    return fmt::format("0d{:016X}", std::bit_cast<std::uint64_t>(operand.number));
  }
  if (operand.kind == OperandKind::kInteger) {  // the upper half of the number
    return fmt::format("0d{:08X}00000000", static_cast<std::uint32_t>(operand.value));
  }
  std::string value;
  if (operand.kind == OperandKind::kConstant) {
    value = constant(operand, true);
  } else if (is_zero(operand)) {
    value = "0d0000000000000000";
  } else {
    value = wide();
    emit("mov.b64 {}, {{{}, {}}};", value, raw(operand), raw(operand, 1));
  }
  return signed_number(value, operand, true);
}

std::string InstructionWriter::truth(const Operand& operand) {
  const std::string value = raw(operand);
  if (!operand.inverted) return value;
  const std::string result = predicate();
  emit("not.pred {}, {};", result, value);
  return result;
}

std::string InstructionWriter::to(const Operand& operand, std::uint32_t offset) {
  return is_zero(operand) ? word() : register_name(operand, offset);
}

std::string InstructionWriter::to_predicate(const Operand& operand) {
  return operand.index == kTruePredicate ? predicate() : raw(operand);
}

void InstructionWriter::set(const Operand& operand, const std::string& value) {
  if (!is_zero(operand)) emit("mov.b32 {}, {};", raw(operand), value);
}

void InstructionWriter::set_wide(const Operand& operand, const std::string& value) {
  if (!is_zero(operand)) emit("mov.b64 {{{}, {}}}, {};", raw(operand), raw(operand, 1), value);
}

void InstructionWriter::set_predicate(const Operand& operand, const std::string& value) {
  if (operand.index != kTruePredicate) emit("mov.pred {}, {};", raw(operand), value);
}

void InstructionWriter::refuse() {
  // Not an instruction of PTX: the decoder refuses it by this name.
  std::string name(instruction_->mnemonic);
  for (const std::string_view modifier : instruction_->modifiers) {
    if (modifier.empty() || std::isalpha(static_cast<unsigned char>(modifier.front())) == 0) break;
    name += fmt::format(".{}", modifier);
  }
  emit_main("{};", name);
}

}  // namespace tilescope::machine
