#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Which text the listing's lines lead back to: the CUDA source that the PTX names, with what was
// inlined where, or the PTX itself, under the name kPtxListingFile.
enum class ListedLines : std::uint8_t { kSource, kPtx };
inline constexpr std::string_view kPtxListingFile = ".nv_debug_ptx_txt";

// A cubin's machine code and the data it names, as `nvdisasm -gi` (or -gp) prints them, debug
// sections left out. About half a second the first time; the answer is kept on disk beside compiled
// kernels. Errors: kMachine when there is no nvdisasm, with how to get it, or when it refuses the
// cubin; kCancelled. Thread-safe.
[[nodiscard]] Result<std::string> disassemble(std::span<const std::byte> cubin, ListedLines lines,
                                              const std::stop_token& stop);

// The program that is used (kernel/cuda_tool.h); $TILESCOPE_NVDISASM names another. kMachine when
// there is none.
[[nodiscard]] Result<std::filesystem::path> disassembler();

}  // namespace tilescope
