#include "emulator/issued_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "emulator/machine/lifter.h"
#include "emulator/machine_text.h"
#include "emulator/program_implementation.h"
#include "kernel/compile/assemble.h"
#include "kernel/source/device_source.h"

namespace tilescope {
namespace {

// Of a kernel whose calls nobody can follow, so that it is not known how much it needs: what a
// driver gives unless the host asks for more (cudaLimitStackSize, CUDA Runtime API).
constexpr std::uint32_t kDefaultStackBytes = 1024;

// What the lifted PTX cannot say.
AccessVariant variant_of(const machine::Instruction& instruction, AccessVariant lifted) {
  if (instruction.mnemonic == "ATOMS" && instruction.has("POPC")) {
    return AccessVariant::kLanesCounted;
  }
  if (instruction.mnemonic == "ATOMS" && instruction.has("CAST")) return AccessVariant::kSpin;
  if (instruction.mnemonic == "LDGSTS") {
    return instruction.has("BYPASS") ? AccessVariant::kBypass : AccessVariant::kPlain;
  }
  return lifted;
}

// What the mnemonic alone says of the unit.
struct MachineUnit {
  std::string_view mnemonic;
  ExecutionUnit unit;
};
constexpr auto kMachineUnits = [] {
  using enum ExecutionUnit;
  return std::to_array<MachineUnit>({
      {"SHFL", kMemory},  {"LDS", kMemory},    {"STS", kMemory},   {"LDG", kMemory},
      {"STG", kMemory},   {"LDGSTS", kMemory}, {"LDL", kMemory},   {"STL", kMemory},
      {"ATOM", kMemory},  {"ATOMG", kMemory},  {"ATOMS", kMemory}, {"RED", kMemory},
      {"LDSM", kMemory},  {"STSM", kMemory},   {"R2UR", kNone},    {"S2UR", kNone},
      {"NOP", kNone},     {"BSSY", kNone},     {"MUFU", kSpecial}, {"I2F", kSpecial},
      {"F2I", kSpecial},  {"F2F", kSpecial},   {"POPC", kSpecial}, {"FLO", kSpecial},
      {"BREV", kSpecial}, {"DFMA", kDouble},   {"DADD", kDouble},  {"DMUL", kDouble},
      {"DSETP", kDouble}, {"DMNMX", kDouble},
  });
}();

// Of an instruction whose PTX runs on `lifted`.
ExecutionUnit unit_of(const machine::Instruction& instruction, const StaticInstruction& lifted) {
  if (lifted.unit == ExecutionUnit::kMemory && lifted.access != AccessKind::kNone)
    return lifted.unit;
  const std::string_view name = instruction.mnemonic;
  const auto* const known = std::ranges::find(kMachineUnits, name, &MachineUnit::mnemonic);
  if (known != kMachineUnits.end()) return known->unit;
  if (name.starts_with('U')) return ExecutionUnit::kNone;  // the uniform data path
  switch (lifted.instruction_class) {
    case InstructionClass::kTensor:
      return ExecutionUnit::kTensor;
    case InstructionClass::kFloat:
      return name.starts_with('D')   ? ExecutionUnit::kDouble
             : name.starts_with('H') ? ExecutionUnit::kHalf
                                     : ExecutionUnit::kFma;
    case InstructionClass::kInteger:
    case InstructionClass::kMove:
    case InstructionClass::kConvert:
    case InstructionClass::kWarp:
      return name == "IMAD" ? ExecutionUnit::kMultiply : ExecutionUnit::kAlu;
    default:
      return ExecutionUnit::kNone;
  }
}

void take_from_machine(const machine::Instruction& instruction, StaticInstruction& info) {
  info.issued = &instruction;
  info.text = instruction.text;
  info.mnemonic = instruction.mnemonic;
  info.opcode = instruction.opcode();
  info.unit = unit_of(instruction, info);
  info.variant = variant_of(instruction, info.variant);
  info.ptx_mnemonic = Mnemonic::kUnknown;
  if (instruction.mnemonic == "RET") info.control = Control::kReturn;  // a branch, as lifted
}

// A cubin names its files with the folder that the compiler ran in; the PTX has their own names.
void name_files_as_written(machine::Listing& listing, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const std::string plain = plain_name(file);  // as the compiler was told
    const std::string ending = "/" + plain;
    for (std::vector<machine::Place>& chain : listing.places) {
      for (machine::Place& place : chain) {
        const bool is_own = place.file == plain || place.file.ends_with(ending);
        if (is_own || place.file == kPtxListingFile) place.file = file;
      }
    }
  }
}

// Of PTX that was made from the machine code: its lines.
void place_in_text(machine::Listing& listing, std::string_view text, const Program& written) {
  std::map<std::uint32_t, std::uint32_t> lines;  // by address
  for (const auto& [line, address] : machine_instructions(text, written.kernel())) {
    lines.emplace(address, line);
  }
  const auto file =
      std::ranges::find_if(written.files(), [](const std::string& name) { return !name.empty(); });
  listing.places = {{}};
  for (machine::Instruction& instruction : listing.instructions) {
    const auto line = lines.find(instruction.address);
    instruction.place = 0;
    if (line == lines.end() || file == written.files().end()) continue;
    instruction.place = static_cast<std::uint32_t>(listing.places.size());
    listing.places.push_back({{*file, line->second}});
  }
}

// The code as a person reads it; returns the line of each instruction.
std::vector<std::uint32_t> write_code(const machine::Listing& listing,
                                      Program::Implementation& made) {
  std::multimap<std::uint32_t, std::string_view> labels;
  for (const auto& [name, at] : listing.labels) {
    if (name.starts_with(".L") || name.starts_with('$')) labels.emplace(at, name);
  }
  std::vector<std::uint32_t> lines;
  std::uint32_t line = 0;
  for (std::uint32_t at = 0; at < listing.instructions.size(); ++at) {
    const auto [first, last] = labels.equal_range(at);
    for (auto label = first; label != last; ++label) {
      made.machine_code += fmt::format("{}:\n", label->second);
      ++line;
    }
    const machine::Instruction& instruction = listing.instructions[at];
    made.machine_code +=
        fmt::format("{}{}\n", instruction.guarded ? "  " : "      ", instruction.text);
    lines.push_back(++line);
  }
  return lines;
}

}  // namespace

Result<std::shared_ptr<const Program>> decode_machine_code(std::string_view listing,
                                                           const Program& written,
                                                           std::string_view made_from) {
  auto text = std::make_unique<const std::string>(listing);
  Result<machine::Listing> read = machine::read_listing(*text, written.kernel());
  if (!read) return read.error();
  if (made_from.empty()) {
    name_files_as_written(*read, written.files());
  } else {
    place_in_text(*read, made_from, written);
  }
  read->cluster = written.cluster();
  read->explicit_cluster = written.implementation().code().explicit_cluster;
  const machine::CallGraph calls = machine::call_graph_of(*read);
  if (calls.recursive || calls.through_registers) {
    read->local_bytes = std::max(read->local_bytes, kDefaultStackBytes);
  }
  const auto lifted =
      machine::lift(*read, written.kernel(), written.target(), written.parameters());
  if (!lifted) return lifted.error();
  Result<std::shared_ptr<Program>> program =
      decode_module(lifted->ptx, written.kernel(), "", best_instruction_set(), true);
  if (!program) return program.error();
  Program::Implementation& made = (*program)->implementation();
  const std::vector<std::uint32_t> lines = write_code(*read, made);
  made.listing = std::move(text);
  made.issued = std::move(read->instructions);
  for (StaticInstruction& info : made.decoded.instructions) {
    const std::uint32_t at = info.ptx_line < lifted->instruction_of_line.size()
                                 ? lifted->instruction_of_line[info.ptx_line]
                                 : machine::LiftedKernel::kNoInstruction;
    info.counts = at != machine::LiftedKernel::kNoInstruction;
    info.ptx_line = info.counts ? lines[at] : 0;
    if (!info.counts) continue;
    take_from_machine(made.issued[at], info);
  }
  return std::shared_ptr<const Program>(*std::move(program));
}

}  // namespace tilescope
