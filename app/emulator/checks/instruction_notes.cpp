#include "emulator/checks/instruction_notes.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/checks/address_origin.h"
#include "emulator/checks/hoisted_loads.h"
#include "emulator/checks/instruction_order.h"
#include "emulator/checks/unset_registers.h"
#include "emulator/checks/value_flow.h"
#include "emulator/finding_place.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

bool has_type(const StaticInstruction& instruction, std::initializer_list<DataType> types) {
  return std::ranges::any_of(types,
                             [&](DataType type) { return instruction.modifiers.has_type(type); });
}

std::uint32_t element_bytes(const StaticInstruction& instruction) {
  if (instruction.is(Mnemonic::kWmma)) {  // which may take the elements of a register apart
    if (has_type(instruction, {DataType::kF16, DataType::kBf16})) return 2;
    if (has_type(instruction, {DataType::kF32, DataType::kS32, DataType::kTf32})) return 4;
    return has_type(instruction, {DataType::kF64}) ? 8 : 1;
  }
  return instruction.bytes_per_lane / instruction.vector;
}

InstructionNote::Fence fence_of(const StaticInstruction& instruction) {
  switch (instruction.synchronisation) {
    case Synchronisation::kBlockFence:
      return InstructionNote::Fence::kBlock;
    case Synchronisation::kDeviceFence:
      return InstructionNote::Fence::kDevice;
    default:
      return InstructionNote::Fence::kNone;
  }
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

// Which loads read one place again and again in their loop: to wait for something is to do that;
// one after the other is a sum.
class SteadyAddresses {
 public:
  explicit SteadyAddresses(const Program& program)
      : program_(program),
        edges_(edges_of(program.implementation().code())),
        loops_(edges_.size(), 0),
        writers_(program.loops().size() + 1) {
    const auto& instructions = program.instructions();
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      if (instructions[i].basic_block < loops_.size())
        loops_[instructions[i].basic_block] = instructions[i].loop;
      for (std::uint16_t loop = instructions[i].loop; loop != 0;
           loop = program.loops()[loop - 1u].parent) {
        for (const std::uint32_t number : instructions[i].writes)
          writers_[loop][number].push_back(i);
      }
    }
  }
  // No register of the address is written in the loop; or there is a way round on which nothing
  // changes it, as that of a loop that goes on to the next place when it has found something.
  [[nodiscard]] bool holds(const StaticInstruction& load) const {
    const PtxOperand* const address = load.address();
    if (address == nullptr || load.loop == 0) return true;
    std::unordered_set<std::uint32_t> changes;  // instructions
    load.for_registers(*address,
                       [&](std::uint32_t number) { add_changes(load.loop, number, changes); });
    return changes.empty() || has_way_round(load, changes);
  }

 private:
  using Writers = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;  // by register

  // What gives the register another value from round to round: all that it is computed from in the
  // loop, but for what is computed from the same values each time.
  void add_changes(std::uint16_t loop, std::uint32_t number,
                   std::unordered_set<std::uint32_t>& changes) const {
    const Writers& writers = writers_[loop];
    std::unordered_set<std::uint32_t> seen{number};
    std::vector<std::uint32_t> left{number};
    while (!left.empty()) {
      const std::uint32_t at = left.back();
      left.pop_back();
      const auto found = writers.find(at);
      if (found == writers.end()) continue;
      for (const std::uint32_t writer : found->second) {
        const StaticInstruction& instruction = program_.instructions()[writer];
        const bool computes = instruction.access == AccessKind::kNone &&
                              instruction.control == Control::kNext && found->second.size() == 1 &&
                              !depends_on_itself(writers, at);
        if (!computes) {
          changes.insert(writer);
          continue;
        }
        for (const std::uint32_t read : instruction.reads) {
          if (seen.insert(read).second) left.push_back(read);
        }
      }
    }
  }

  [[nodiscard]] bool depends_on_itself(const Writers& writers, std::uint32_t number) const {
    std::unordered_set<std::uint32_t> seen;
    std::vector<std::uint32_t> left{number};
    while (!left.empty()) {
      const std::uint32_t at = left.back();
      left.pop_back();
      const auto found = writers.find(at);
      if (found == writers.end()) continue;
      for (const std::uint32_t writer : found->second) {
        for (const std::uint32_t read : program_.instructions()[writer].reads) {
          if (read == number) return true;
          if (seen.insert(read).second) left.push_back(read);
        }
      }
    }
    return false;
  }

  [[nodiscard]] bool lies_in(std::uint32_t block, std::uint16_t loop) const {
    std::uint16_t of = loops_[block];
    while (of != 0 && of != loop) of = program_.loops()[of - 1u].parent;
    return of == loop;
  }

  // From the load's block back to it, in its loop and past no block with one of these instructions.
  [[nodiscard]] bool has_way_round(const StaticInstruction& load,
                                   const std::unordered_set<std::uint32_t>& changes) const {
    std::unordered_set<std::uint32_t> closed;  // blocks
    for (const std::uint32_t change : changes)
      closed.insert(program_.instructions()[change].basic_block);
    if (closed.contains(load.basic_block)) return false;
    std::vector<std::uint32_t> left = edges_[load.basic_block];
    while (!left.empty()) {
      const std::uint32_t block = left.back();
      left.pop_back();
      if (block == load.basic_block) return true;
      if (!lies_in(block, load.loop) || !closed.insert(block).second) continue;
      left.insert(left.end(), edges_[block].begin(), edges_[block].end());
    }
    return false;
  }

  const Program& program_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::uint16_t> loops_;  // by block
  std::vector<Writers> writers_;      // instructions, by loop
};

void note_memory(const StaticInstruction& instruction, const std::vector<bool>& waits,
                 const SteadyAddresses& steady, InstructionNote& note) {
  const auto has = [&](Modifier word) { return instruction.has(word); };
  const bool atomic = instruction.access == AccessKind::kAtomic;
  const bool acquires = has(Modifier::kAcquire);
  const bool load = instruction.access == AccessKind::kLoad;
  // Loads that pass by the L1 read what others have written; the weak ones are used to wait for it.
  const bool waits_past_l1 =
      load && waits[instruction.loop] && (has(Modifier::kCg) || has(Modifier::kCv));
  note.publishes = has(Modifier::kRelease) || has(Modifier::kAcqRel);
  note.strong = atomic || acquires || note.publishes || has(Modifier::kVolatile) ||
                has(Modifier::kRelaxed) || has(Modifier::kMmio) || waits_past_l1;
  note.of_block = note.strong && has(Modifier::kScopeCta);
  note.polls = load && note.strong && waits[instruction.loop] && steady.holds(instruction);
  note.exchanges = atomic && has(Modifier::kExch);
}

// st.param in all its spellings.
bool passes_parameter(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kSt) &&
         (instruction.has(Modifier::kParam) || instruction.has(Modifier::kParamFunc) ||
          instruction.has(Modifier::kParamEntry));
}

// Loads whose registers only ever appear as the data of stores. Copies of structures are compiled
// to these, with the gaps between members; into a function's parameter these gaps go byte by byte.
void find_copies(const Program& program, InstructionNotes& notes) {
  struct Use {
    bool named = false;  // by anything but the loads that bring it
    bool stored = true;  // as the data of stores alone
    bool passed = true;  // of stores to parameters alone
  };
  std::vector<Use> uses(program.register_count());
  for (const StaticInstruction& instruction : program.instructions()) {
    const bool passes = passes_parameter(instruction);
    const bool is_store = passes || instruction.access == AccessKind::kStore;
    const bool is_load = instruction.access == AccessKind::kLoad;
    const PtxOperand* const address = instruction.address();
    for (const PtxOperand& operand : instruction.operands) {
      if (is_load && address != nullptr && &operand < address) continue;  // loaded here
      const bool good = is_store && &operand > address;
      instruction.for_registers(operand, [&](std::uint32_t number) {
        Use& use = uses[number];
        use.named = true;
        use.stored = use.stored && good;
        use.passed = use.passed && good && passes;
      });
    }
  }
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& load = program.instructions()[i];
    if (load.access != AccessKind::kLoad) continue;
    bool stored = true;
    bool passed = true;
    for (const std::uint32_t number : load.writes) {
      stored = stored && uses[number].named && uses[number].stored;
      passed = passed && uses[number].named && uses[number].passed;
    }
    const DataType type = load.modifiers.last_type();
    const bool is_float = type == DataType::kF32 || type == DataType::kF64;
    notes.of[i].only_stored = stored && !is_float;
    notes.of[i].passes_bytes = passed && element_bytes(load) == 1;
  }
}

// No frames that move, and no parameter whose address is taken.
bool local_is_arrays(const Program& program) {
  const PtxModule& module = program.implementation().module;
  if (program.implementation().code().frame_bytes != 0) return false;
  const auto takes_address = [&](const PtxFunction& function, const PtxInstruction& instruction) {
    using enum Mnemonic;
    if (instruction.is(kLd) || instruction.is(kSt) || instruction.is(kCall)) return false;
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

// A cp.async accesses global and shared memory; ld.param in a function is a load of local memory;
// products of a warp group read shared memory by themselves.
MemorySpace accessed_space(const StaticInstruction& instruction) {
  const bool accesses =
      instruction.access != AccessKind::kNone || instruction.warp_use == WarpUse::kTogether;
  if (!accesses) return MemorySpace::kNone;
  const bool is_one = instruction.space == MemorySpace::kShared ||
                      instruction.space == MemorySpace::kGlobal ||
                      instruction.space == MemorySpace::kLocal;
  return is_one && instruction.access != AccessKind::kAsyncCopy ? instruction.space
                                                                : MemorySpace::kGeneric;
}

// What it is by itself, wherever it stands.
void note_instruction(const StaticInstruction& instruction, InstructionNote& note) {
  note.fence = fence_of(instruction);
  note.plain_store = instruction.is(Mnemonic::kSt) && element_bytes(instruction) <= 8;
  note.space = accessed_space(instruction);
}

}  // namespace

InstructionNotes note_instructions(const Program& program) {
  InstructionNotes notes;
  const std::vector<bool> waits = waiting_loops(program);
  const SteadyAddresses steady(program);
  const FindingPlaces places(program);
  const std::vector<AddressArrays> arrays = arrays_of(program);
  notes.of.resize(program.instructions().size());
  for (std::uint32_t i = 0; i < notes.of.size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    InstructionNote& note = notes.of[i];
    note.line = places.line_of(i);
    note.arrays = arrays[i].shared;
    note.constants = arrays[i].constant;
    note_instruction(instruction, note);
    const bool memory = instruction.access != AccessKind::kNone;
    if (memory) note_memory(instruction, waits, steady, note);
    const bool counts_threads =
        instruction.is_barrier &&
        (instruction.modifiers.has(Modifier::kArrive) || instruction.operands.size() > 1);
    const bool arrives = instruction.synchronisation == Synchronisation::kStartMbarrier ||
                         instruction.synchronisation == Synchronisation::kArriveMbarrier;
    notes.meets_in_groups |= counts_threads || arrives;
    notes.orders_some_warps |=
        counts_threads || arrives || note.publishes || note.fence != InstructionNote::Fence::kNone;
    notes.device_fences |= note.fence == InstructionNote::Fence::kDevice || note.publishes;
    if (!memory) continue;
    const std::uint32_t bytes = std::max(1u, element_bytes(instruction));
    const bool global =
        instruction.space != MemorySpace::kShared && instruction.space != MemorySpace::kLocal;
    if (instruction.space == MemorySpace::kShared || instruction.space == MemorySpace::kGeneric)
      notes.shared_cell_bytes = std::min(notes.shared_cell_bytes, bytes);
    if (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric)
      notes.global_cell_bytes = std::min(notes.global_cell_bytes, bytes);
    notes.takes_tickets |= global && instruction.is(Mnemonic::kAtom);
  }
  notes.local_is_arrays = local_is_arrays(program);
  find_copies(program, notes);
  note_values(program, notes);
  find_hoisted_loads(program, notes);
  notes.unset_rows = find_unset_registers(program);
  return notes;
}

}  // namespace tilescope
