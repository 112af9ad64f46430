#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "core/result.h"

namespace tilescope {

// A cubin's machine code and the data it names, as `nvdisasm -gi` prints them, debug sections left
// out. About half a second the first time; the answer is kept on disk beside compiled kernels.
// Errors: kMachine when there is no nvdisasm, with how to get it, or when it refuses the cubin;
// kCancelled. Thread-safe.
[[nodiscard]] Result<std::string> disassemble(std::span<const std::byte> cubin,
                                              const std::stop_token& stop);

// The program that is used: the one $TILESCOPE_NVDISASM names, else the build's, else CUDA's, else
// what $PATH finds. kMachine when there is none.
[[nodiscard]] Result<std::filesystem::path> disassembler();

}  // namespace tilescope
