#include "emulator/issued_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/machine/call_graph.h"
#include "emulator/machine/lifter.h"
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
    made.machine_text.emplace_back(instruction.text);
    made.machine_code +=
        fmt::format("{}{}\n", instruction.guarded ? "  " : "      ", instruction.text);
    lines.push_back(++line);
  }
  return lines;
}

}  // namespace

Result<std::shared_ptr<const Program>> decode_machine_code(std::string_view listing,
                                                           const Program& written) {
  const std::string text(listing);
  Result<machine::Listing> read = machine::read_listing(text, written.kernel());
  if (!read) return read.error();
  name_files_as_written(*read, written.files());
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
  for (StaticInstruction& info : made.decoded.instructions) {
    const std::uint32_t at = info.ptx_line < lifted->instruction_of_line.size()
                                 ? lifted->instruction_of_line[info.ptx_line]
                                 : machine::LiftedKernel::kNoInstruction;
    info.counts = at != machine::LiftedKernel::kNoInstruction;
    info.ptx_line = info.counts ? lines[at] : 0;
    if (!info.counts) continue;
    info.text = made.machine_text[at];
    info.variant = variant_of(read->instructions[at], info.variant);
  }
  return std::shared_ptr<const Program>(*std::move(program));
}

}  // namespace tilescope
