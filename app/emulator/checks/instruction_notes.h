#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// What the checks have to know about one static instruction beside what it does.
struct InstructionNote {
  enum class Fence : std::uint8_t { kNone, kBlock, kDevice };
  // How a place changes by what was loaded from it; kChosen: that decides whether it does;
  // kExtreme: ... compared with what is stored then.
  enum class Update : std::uint8_t {
    kNone,
    kAdd,
    kScale,  // a product, a quotient, a shift
    kMin,
    kMax,
    kOr,
    kAnd,
    kXor,
    kOther,
    kChosen,
    kExtreme
  };

  std::uint32_t line = 0;    // of the source
  std::uint64_t arrays = 0;  // shared variables its address is made from, a bit each; 0: not known
  std::uint64_t constants = 0;  // constant variables, likewise
  // Of the memory that it accesses, as far as the instruction says; kNone: it accesses none.
  MemorySpace space = MemorySpace::kNone;
  bool strong = false;     // volatile, relaxed, acquire, release, atomic: no data race among these
  bool of_block = false;   // ... those of one block's threads only (.cta)
  bool publishes = false;  // .release, .acq_rel: no fence needed before it
  bool polls = false;      // a strong load in a loop that neither stores nor synchronises
  // A plain load whose value matters only if an instruction that picks it takes it.
  bool is_hoisted = false;
  bool picks_hoisted = false;  // takes the value of such a load or not: InstructionNotes::choices
  bool rechecked = false;  // a plain load of what an atomic at the same address then looks at again
  bool only_stored = false;    // a load of integers that go to memory and nowhere else: a copy
  bool passes_bytes = false;   // ... bytes that go to a function's parameter: maybe a gap
  bool kept_volatile = false;  // a strong load of global memory, once, whose value is kept
  bool answers = false;        // an atomic whose result is used
  bool signals = false;        // a strong store to global memory that a loop polls
  bool exchanges = false;      // an atomic that does not care what was there
  Fence fence = Fence::kNone;
  bool ignores_answer = false;    // a test of an mbarrier, on whose result nothing depends
  bool plain_store = false;       // st, whose rows stored_value() knows
  Update update = Update::kNone;  // of a load and the store that it leads to
  std::uint32_t update_load = 0;  // ... their lines
  std::uint32_t update_store = 0;
  std::uint32_t partner = 0;  // of such a load: the store
  std::uint32_t spins = 0;    // of a plain load that waits for its value: the loop's branch
  std::uint32_t lock = 0;     // index + 1 of the atomic that takes a lock which is held here

  // May it access memory of this space?
  [[nodiscard]] bool may_access(MemorySpace that) const {
    return space == that || space == MemorySpace::kGeneric;
  }
};

[[nodiscard]] inline bool is_choice(InstructionNote::Update update) {
  return update >= InstructionNote::Update::kChosen;
}

// Are two instructions, each in a thread of its own, halves of one change of x, as x += 1 is?
[[nodiscard]] inline bool update_one_place(const InstructionNote& a, const InstructionNote& b) {
  return a.update != InstructionNote::Update::kNone && a.update == b.update &&
         a.update_load == b.update_load && a.update_store == b.update_store;
}

struct InstructionNotes {
  struct Choice {
    std::uint32_t load = 0;
    std::uint32_t operand = 0;  // of the instruction: what was made of the load's value
  };
  std::vector<InstructionNote> of;               // by static instruction
  std::multimap<std::uint32_t, Choice> choices;  // by instruction
  std::uint32_t shared_cell_bytes = 4;  // the smallest piece that the kernel accesses: 1, 2 or 4
  std::uint32_t global_cell_bytes = 4;
  // Puts some warps in order and not the whole block: named barriers, mbarriers, flags.
  bool orders_some_warps = false;
  bool meets_in_groups = false;   // named barriers, mbarriers
  bool reads_flags = false;       // looks at what strong stores and atomics of others leave behind
  bool takes_tickets = false;     // uses results of atomics on global memory
  bool local_is_arrays = false;   // but for what ld.param and st.param name
  bool volatile_tickets = false;  // has kept_volatile, answers or polls, strong stores
  bool device_fences = false;     // membar.gl, fence.*.gpu, st.release ...
  std::vector<std::uint32_t> unset_rows;  // see find_unset_registers()
};

// Reads a program's instructions once; nothing of this is done while a kernel runs.
[[nodiscard]] InstructionNotes note_instructions(const Program& program);

}  // namespace tilescope
