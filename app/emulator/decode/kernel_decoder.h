#pragma once
#include <string_view>
#include <vector>

#include "core/result.h"
#include "emulator/code.h"
#include "emulator/executors/instruction_set.h"
#include "emulator/module_variables.h"
#include "emulator/program.h"
#include "ptx/syntax.h"

namespace tilescope {

struct DecodeOptions {
  FindExecutor find = nullptr;         // of the instruction set to run on
  bool converges_at_barriers = false;  // lifted machine code: lanes that part meet only there
  const ProgramPlacement* placement = nullptr;
};

// A kernel with the functions it calls, as code and as the analyses see it.
struct DecodedKernel {
  Code code;
  std::vector<StaticInstruction> instructions;
  std::vector<Loop> loops;
  std::vector<std::uint32_t> unsupported;
  std::vector<KernelParameter> parameters;
  std::vector<std::uint32_t> locations;       // of each instruction, into PtxModule::locations
  std::vector<std::uint32_t> first_register;  // by function: the number of its register 0
  std::uint32_t register_count = 0;
  std::vector<std::uint32_t> registers;  // what StaticInstruction::reads and writes refer to
};

// `entry` is an index into module.functions. Errors (kKernel): more memory than can be had.
[[nodiscard]] Result<DecodedKernel> decode_kernel(const PtxModule& module, std::uint32_t entry,
                                                  const DecodeOptions& options);

}  // namespace tilescope
