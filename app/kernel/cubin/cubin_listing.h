#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/cubin/instruction_forms.h"

namespace tilescope {

// Which text the listing's lines lead back to: the CUDA source that the PTX names, with what was
// inlined where, or the PTX itself, under the name kPtxListingFile.
enum class ListedLines : std::uint8_t { kSource, kPtx };
inline constexpr std::string_view kPtxListingFile = ".nv_debug_ptx_txt";

// An instruction and where it stands, in bytes from the start of its function.
struct PlacedWord {
  InstructionWord word;
  std::uint64_t address = 0;
};

// Prints instructions of an architecture (90) for which there is no form
// (kernel/cubin/instruction_forms.h): one answer for each, in their order.
using WordPrinter =
    std::function<Result<std::vector<PrintedInstruction>>(int, std::span<const PlacedWord>)>;

// A kernel's machine code, the data that it names and what .nv.info says of it, in the form of
// `nvdisasm -gi` (or -gp). Labels have names of their own. `print_others` is asked at most once.
// Errors: kKernel where it is no cubin or has no such kernel; those of `print_others`.
[[nodiscard]] Result<std::string> list_kernel(std::span<const std::byte> cubin,
                                              std::string_view kernel, ListedLines lines,
                                              const WordPrinter& print_others);

}  // namespace tilescope
