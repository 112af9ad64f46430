#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilescope {

// Which text the listing's lines lead back to: the CUDA source that the PTX names, with what was
// inlined where, or the PTX itself, under the name kPtxListingFile.
enum class ListedLines : std::uint8_t { kSource, kPtx };
inline constexpr std::string_view kPtxListingFile = ".nv_debug_ptx_txt";

// A kernel's machine code, the data that it names and what .nv.info says of it, in the form of
// `nvdisasm -gi` (or -gp). Labels have names of their own. nullopt: it is no cubin, has no such
// kernel, or an instruction that no form of its architecture prints
// (kernel/cubin/instruction_forms.h), or one that jumps to a register, whose targets nvdisasm works
// out.
[[nodiscard]] std::optional<std::string> list_kernel(std::span<const std::byte> cubin,
                                                     std::string_view kernel, ListedLines lines);

}  // namespace tilescope
