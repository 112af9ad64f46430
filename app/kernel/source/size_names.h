#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/source/kernel_signature.h"

namespace tilescope {

// What the names of a kernel's whole numbers, and what the kernel does with these, say of them.

// Whether it says how much there is.
[[nodiscard]] bool is_size(const ParameterText& parameter);

// Of a line of elements, how far apart neighbours are: it says not how many there are.
[[nodiscard]] bool is_stride(const ParameterText& parameter, bool is_plane);

// What a number of this name is whatever the problem's size: the extent of a filter, the features
// of an attention head, its heads, a batch and its sequence. nullopt: it has no such name.
[[nodiscard]] std::optional<std::uint32_t> usual_extent(const ParameterText& parameter);

// A size of the problem, and not of what each of its elements takes.
[[nodiscard]] bool counts_elements(const ParameterText& parameter);

// Whether a buffer of whole numbers that has this name says where each row begins: row_ptr,
// offsets.
[[nodiscard]] bool names_offsets(std::string_view name);

// Whether a kernel reads name[... + 1], too: where what begins at name[...] ends.
[[nodiscard]] bool reads_next(const std::string& kernel_text, std::string_view name);

}  // namespace tilescope
