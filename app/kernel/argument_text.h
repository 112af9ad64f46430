#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/instance.h"

namespace tilescope {

// The kernel's parameter of that index, as parse_argument_spec() reads it, or a structure of such:
// "{i32:4, f32[16]=zero, pad:8}", each member aligned to its size as C does, pad:N for N bytes that
// no member takes, braces in braces for structures in structures. Its members in order.
[[nodiscard]] Result<std::vector<Argument>> file_arguments(std::string_view text,
                                                           std::uint32_t parameter);

}  // namespace tilescope
