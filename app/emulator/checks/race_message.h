#pragma once
#include <cstdint>
#include <string>

#include "emulator/checks/instruction_notes.h"

namespace tilescope {

// Who runs side by side: the threads of a block, the blocks of a cluster on shared memory, or the
// blocks of a grid on global memory.
enum class RaceScope : std::uint8_t { kBlock, kCluster, kGrid };

// A race as its message needs it, whoever found it.
struct RaceFacts {
  struct Access {
    std::uint32_t instruction = 0;
    bool writes = false;
    bool atomic = false;
  };
  RaceScope scope = RaceScope::kBlock;
  Access main;  // where it is reported
  Access other;
  std::string place;          // what both access: "tile[1][0]"
  std::string by;             // who makes the other access: "thread (3,0,0)", "block (1,0,0)"
  std::string barrier;        // what puts the two in order: "__syncthreads()"
  unsigned bytes = 4;         // of the place, at most
  bool shared = false;        // memory
  bool one_step = false;      // two lanes of a warp that execute one instruction together
  bool one_change = false;    // both read the place and write what they made of it
  bool mixed = false;         // only one of the two is an atomic or volatile
  bool has_released = false;  // the writing block has told others that it is done
  bool announced = false;     // ... by an atomic that the reader has seen, but without a fence
  // Where an atomic or a strong store announces the writes of threads whose fences it does not wait
  // for; 0: nowhere.
  std::uint32_t flag_line = 0;
};

// What is wrong and what to do: "reads tile[1][0], which thread (0,1,0) writes (line 22) with no
// barrier between them: put __syncthreads() between the write and this read".
[[nodiscard]] std::string race_message(const RaceFacts& facts, const Program& program,
                                       const InstructionNotes& notes);

}  // namespace tilescope
