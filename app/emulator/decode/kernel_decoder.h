#pragma once
#include <string_view>
#include <vector>

#include "core/result.h"
#include "emulator/code.h"
#include "emulator/executors/instruction_set.h"
#include "emulator/program.h"
#include "ptx/syntax.h"

namespace tilescope {

struct DecodeOptions {
  FindExecutor find = nullptr;  // of the instruction set to run on
  bool keep_registers_apart = false;
  bool converges_at_barriers = false;  // lifted machine code: lanes that part meet only there
};

// A kernel with the functions it calls, as code and as the analyses see it.
struct DecodedKernel {
  // A register that an instruction names.
  struct Operand {
    std::uint32_t instruction = 0;  // static index
    std::uint32_t row = 0;          // equal for equal registers
    bool is_written = false;        // else read
  };
  Code code;
  std::vector<StaticInstruction> instructions;
  std::vector<Loop> loops;
  std::vector<std::uint32_t> unsupported;
  std::vector<KernelParameter> parameters;
  std::vector<std::uint32_t> locations;  // of each instruction, into PtxModule::locations
  std::vector<Operand> operands;         // with keep_registers_apart alone
};

// `entry` is an index into module.functions. Errors (kKernel): more memory than can be had.
[[nodiscard]] Result<DecodedKernel> decode_kernel(const PtxModule& module, std::uint32_t entry,
                                                  const DecodeOptions& options);

}  // namespace tilescope
