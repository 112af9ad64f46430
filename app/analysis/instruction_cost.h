#pragma once
#include <cstdint>
#include <vector>

#include "analysis/latency_model.h"
#include "emulator/program.h"

namespace tilescope {

// The unit of a multiprocessor's quarter that executes an instruction.
enum class Pipe : std::uint8_t {
  kNone,  // nothing but an issue slot
  kFma,
  kAlu,
  kDouble,
  kSpecial,
  kTensor,
  kMemory
};
inline constexpr std::size_t kPipeCount = 7;
[[nodiscard]] const char* name_of(Pipe pipe);  // as Nsight Compute names it: "FMA", "LSU" ...

// What else an instruction does to the time of its warp.
enum class TimingEffect : std::uint8_t {
  kNone,
  kFree,         // part of the next instruction
  kBarrier,      // waits for the warps of the block
  kCommitGroup,  // ends a group of cp.async
  kWaitGroup,    // waits until no more than `groups` of them are under way
  kWaitAll,      // ends a group and waits for all (PTX ISA, cp.async.wait_all)
  kBranch
};

[[nodiscard]] TimingEffect effect_of(const StaticInstruction& instruction);

// How one instruction spends time, before its addresses are known.
struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  TimingEffect effect = TimingEffect::kNone;
  float occupies = 1;  // cycles in which its quarter's pipe takes no other instruction
  float latency = 0;   // cycles until a dependent one can issue; memory: counted apart
  std::uint8_t groups = 0;
};

// For each instruction of the program. Throughputs are those of the CUDA C++ Programming Guide's
// table "Throughput of Native Arithmetic Instructions" for the device's compute capability.
[[nodiscard]] std::vector<InstructionCost> instruction_costs(const Program& program,
                                                             const DeviceModel& device,
                                                             const LatencyModel& model);

}  // namespace tilescope
