#include "emulator/checks/instruction_notes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "emulator/checks/address_origin.h"
#include "emulator/checks/instruction_text.h"
#include "emulator/checks/same_address.h"
#include "emulator/checks/volatile_tickets.h"
#include "emulator/finding_place.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

std::uint32_t element_bytes(const StaticInstruction& instruction, const InstructionParts& parts) {
  if (parts.is("wmma")) {  // which may take the elements of a register apart
    if (parts.has("f16") || parts.has("bf16")) return 2;
    if (parts.has("f32") || parts.has("s32") || parts.has("tf32")) return 4;
    return parts.has("f64") ? 8 : 1;
  }
  const std::uint32_t elements = parts.has("v8")   ? 8
                                 : parts.has("v4") ? 4
                                 : parts.has("v2") ? 2
                                                   : 1;
  return instruction.bytes_per_lane / elements;
}

InstructionNote::Fence fence_of(const InstructionParts& parts) {
  if (parts.is("membar")) {
    return parts.has("cta") ? InstructionNote::Fence::kBlock : InstructionNote::Fence::kDevice;
  }
  if (parts.is("fence") && !parts.has("proxy") && !parts.has("mbarrier_init")) {
    return parts.has("cta") ? InstructionNote::Fence::kBlock : InstructionNote::Fence::kDevice;
  }
  return InstructionNote::Fence::kNone;
}

// shfl.sync and its like hold lanes until all the named ones have come.
InstructionNote::Members members_of(const InstructionParts& parts) {
  using Members = InstructionNote::Members;
  if (!parts.has("sync")) return Members::kNone;
  if (parts.is("shfl")) return Members::kFurther;
  if (parts.is("vote") || parts.is("redux")) return Members::kRow2;
  if (parts.is("match")) return Members::kRow3;
  return Members::kNone;
}

// Loops that neither store nor synchronise: what they load, they wait for.
std::vector<bool> waiting_loops(const Program& program) {
  const auto& loops = program.loops();
  std::vector<bool> waits(loops.size() + 1, true);
  waits[0] = false;
  for (const StaticInstruction& instruction : program.instructions()) {
    const bool acts = instruction.access == AccessKind::kStore ||
                      instruction.access == AccessKind::kStmatrix ||
                      instruction.access == AccessKind::kAsyncCopy || instruction.is_barrier;
    if (!acts) continue;
    for (std::uint16_t loop = instruction.loop; loop != 0; loop = loops[loop - 1u].parent) {
      waits[loop] = false;
    }
  }
  return waits;
}

// Which loads read one place again and again in their loop: no register of their address is written
// there. To wait for something is to do that; one after the other is a sum.
class SteadyAddresses {
 public:
  explicit SteadyAddresses(const Program& program) : written_(program.loops().size() + 1) {
    for (const StaticInstruction& instruction : program.instructions()) {
      if (instruction.loop == 0) continue;
      const std::string_view operands = parts_of(instruction.text).operands;
      if (operands.starts_with('[')) continue;  // a store
      const std::size_t end = operands.starts_with('{') ? operands.find('}') : operands.find(',');
      for_registers(operands.substr(0, end), [&](std::string_view name) {
        for (std::uint16_t loop = instruction.loop; loop != 0;
             loop = program.loops()[loop - 1u].parent) {
          written_[loop].insert(name);
        }
      });
    }
  }
  [[nodiscard]] bool holds(const StaticInstruction& load, const InstructionParts& parts) const {
    bool steady = true;
    for_registers(address_text(parts), [&](std::string_view name) {
      steady = steady && !written_[load.loop].contains(name);
    });
    return steady;
  }

 private:
  std::vector<std::unordered_set<std::string_view>> written_;  // registers, by loop
};

void note_memory(const StaticInstruction& instruction, const InstructionParts& parts,
                 const std::vector<bool>& waits, const SteadyAddresses& steady,
                 InstructionNote& note) {
  const bool atomic = instruction.access == AccessKind::kAtomic;
  const bool acquires = parts.has("acquire");
  const bool load = instruction.access == AccessKind::kLoad;
  // Loads that pass by the L1 read what others have written; the weak ones are used to wait for it.
  const bool waits_past_l1 =
      load && waits[instruction.loop] && (parts.has("cg") || parts.has("cv"));
  note.publishes = parts.has("release") || parts.has("acq_rel");
  note.strong = atomic || acquires || note.publishes || parts.has("volatile") ||
                parts.has("relaxed") || parts.has("mmio") || waits_past_l1;
  note.of_block = note.strong && parts.has("cta");
  note.polls = load && note.strong && waits[instruction.loop] && steady.holds(instruction, parts);
  note.exchanges = atomic && parts.has("exch");
}

// Loads whose registers only ever appear as the data of stores. Copies of structures are compiled
// to these, with the gaps between members; into a function's parameter these gaps go byte by byte.
void find_copies(const Program& program, InstructionNotes& notes) {
  struct Use {
    bool stored = true;  // as the data of stores alone
    bool passed = true;  // of stores to parameters alone
  };
  std::unordered_map<std::string_view, Use> uses;  // by register
  for (const StaticInstruction& instruction : program.instructions()) {
    const InstructionParts parts = parts_of(instruction.text);
    const bool passes = parts.opcode.starts_with("st.param");
    const bool is_store = passes || instruction.access == AccessKind::kStore;
    const std::size_t data = is_store ? parts.operands.find(']') : 0;
    const std::size_t result =
        instruction.access == AccessKind::kLoad ? parts.operands.find('[') : std::string_view::npos;
    std::size_t begin = 0;
    for_registers(parts.operands, [&](std::string_view name) {
      begin = static_cast<std::size_t>(name.data() - parts.operands.data());
      if (result != std::string_view::npos && begin < result) return;  // loaded here
      const bool good = is_store && begin > data;
      Use& use = uses[name];
      use.stored = use.stored && good;
      use.passed = use.passed && good && passes;
    });
  }
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (program.instructions()[i].access != AccessKind::kLoad) continue;
    const InstructionParts parts = parts_of(program.instructions()[i].text);
    Use all;
    for_registers(parts.operands.substr(0, parts.operands.find('[')), [&](std::string_view name) {
      const auto found = uses.find(name);
      all.stored = all.stored && found != uses.end() && found->second.stored;
      all.passed = all.passed && found != uses.end() && found->second.passed;
    });
    const bool is_float = parts.opcode.ends_with(".f32") || parts.opcode.ends_with(".f64");
    notes.of[i].only_stored = all.stored && !is_float;
    notes.of[i].passes_bytes = all.passed && element_bytes(program.instructions()[i], parts) == 1;
  }
}

// No frames that move, and no parameter whose address is taken.
bool local_is_arrays(const Program& program) {
  const PtxModule& module = program.implementation().module;
  if (program.implementation().code().frame_bytes != 0) return false;
  const auto takes_address = [&](const PtxFunction& function, const PtxInstruction& instruction) {
    const std::string_view name = instruction.mnemonic;
    if (name == "ld" || name == "st" || name == "call") return false;
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      const PtxOperand& operand = function.operands[instruction.first_operand + i];
      const bool names = operand.kind == OperandKind::kVariable && operand.index != kNoIndex;
      if (names && module.variables[operand.index].space == MemorySpace::kParameter) return true;
    }
    return false;
  };
  return std::none_of(
      module.functions.begin(), module.functions.end(), [&](const PtxFunction& function) {
        return !function.is_entry &&
               std::any_of(
                   function.instructions.begin(), function.instructions.end(),
                   [&](const PtxInstruction& each) { return takes_address(function, each); });
      });
}

}  // namespace

InstructionNotes note_instructions(const Program& program) {
  InstructionNotes notes;
  const std::vector<bool> waits = waiting_loops(program);
  const SteadyAddresses steady(program);
  const FindingPlaces places(program);
  const std::vector<std::uint64_t> arrays = shared_arrays_of(program);
  notes.of.resize(program.instructions().size());
  for (std::uint32_t i = 0; i < notes.of.size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    const InstructionParts parts = parts_of(instruction.text);
    InstructionNote& note = notes.of[i];
    note.line = places.line_of(i);
    note.arrays = arrays[i];
    note.fence = fence_of(parts);
    note.members = members_of(parts);
    note.shuffle = parts.has("up")     ? Modifier::kUp
                   : parts.has("down") ? Modifier::kDown
                   : parts.has("bfly") ? Modifier::kBfly
                                       : Modifier::kIdx;
    note.guarded = instruction.text.find('@') != std::string_view::npos;
    note.waits_for_copies = parts.is("cp") && (parts.has("wait_group") || parts.has("wait_all"));
    note.tests = parts.is("mbarrier") && (parts.has("test_wait") || parts.has("try_wait"));
    note.arrives = !note.tests &&
                   (parts.is("mbarrier") || parts.opcode.starts_with("cp.async.mbarrier.arrive"));
    note.names_parameter = parts.has("param");
    note.starts = parts.is("mbarrier.init");
    note.needs_warp = parts.is("wmma") || parts.is("wgmma") || parts.is("mma") ||
                      parts.is("ldmatrix") || parts.is("stmatrix") || parts.is("movmatrix");
    note.whole_warp = parts.is("wmma") || parts.is("wgmma");
    note.stores_fragment = parts.is("wmma.store");
    note.plain_store = parts.is("st") && element_bytes(instruction, parts) <= 8;
    note.copies = instruction.access == AccessKind::kAsyncCopy;
    const bool memory = instruction.access != AccessKind::kNone;
    if (memory) note_memory(instruction, parts, waits, steady, note);
    note.watched = memory || note.fence != InstructionNote::Fence::kNone ||
                   note.members != InstructionNote::Members::kNone || note.waits_for_copies ||
                   note.arrives || note.tests || note.needs_warp ||
                   parts.opcode.starts_with("cp.async.bulk.shared");
    notes.device_fences |= note.fence == InstructionNote::Fence::kDevice || note.publishes;
    if (!memory) continue;
    const std::uint32_t bytes = std::max(1u, element_bytes(instruction, parts));
    const bool global =
        instruction.space != MemorySpace::kShared && instruction.space != MemorySpace::kLocal;
    if (instruction.space == MemorySpace::kShared || instruction.space == MemorySpace::kGeneric)
      notes.shared_cell_bytes = std::min(notes.shared_cell_bytes, bytes);
    if (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric)
      notes.global_cell_bytes = std::min(notes.global_cell_bytes, bytes);
    notes.takes_tickets |= global && parts.is("atom");
  }
  notes.local_is_arrays = local_is_arrays(program);
  note_same_addresses(program, notes);
  find_copies(program, notes);
  note_volatile_tickets(program, notes);
  return notes;
}

}  // namespace tilescope
