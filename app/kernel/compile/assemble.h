#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/cubin/cubin_listing.h"

namespace tilescope {

struct AssembledPtx {
  std::vector<std::byte> cubin;
  std::string log;  // what ptxas -v says of its kernels (kernel/compile/compile_log.h)
};

// Has ptxas make PTX that was handed in into machine code, whose lines lead back to the PTX
// (ListedLines::kPtx). PTX that is newer than the first ptxas goes to the others that are there.
// `architecture`: "sm_90". Kept on disk beside compiled kernels. Errors:
// kMachine when there is no ptxas; kKernel with ptxas's first complaint and its line in the PTX, or
// line 0; kCancelled. Thread-safe.
[[nodiscard]] Result<AssembledPtx> assemble(std::string_view ptx, const std::string& architecture,
                                            const std::stop_token& stop);

// The architecture that PTX for `target` ("sm_80", "sm_90a") can be assembled for, as near as may
// be to compute capability `wanted`: that itself where the target allows it, else the target's own
// (PTX ISA, ".target": PTX runs on its target and later ones, that of sm_NNa on sm_NNa alone).
[[nodiscard]] std::string assembled_architecture(std::string_view target, int wanted);

// The program that is used (kernel/compile/cuda_tool.h); $TILESCOPE_PTXAS names another. kMachine
// when there is none.
[[nodiscard]] Result<std::filesystem::path> assembler();

// A kernel's machine code and the data it names, with the lines of `lines`: list_kernel(), with
// nvdisasm for the instructions that have no form; its answer is kept on disk beside compiled
// kernels. Errors: as there; kMachine where nvdisasm is needed and there is none, with how to get
// it, or when it refuses an instruction; kCancelled. Thread-safe.
[[nodiscard]] Result<std::string> disassemble(std::span<const std::byte> cubin,
                                              std::string_view kernel, ListedLines lines,
                                              const std::stop_token& stop);

// The program that is used (kernel/compile/cuda_tool.h); $TILESCOPE_NVDISASM names another.
// kMachine when there is none.
[[nodiscard]] Result<std::filesystem::path> disassembler();

}  // namespace tilescope
