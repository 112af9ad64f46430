#pragma once

#include <optional>
#include <string>

#include "kernel/source/kernel_signature.h"

namespace tilescope {

[[nodiscard]] bool is_tensor_map(const ParameterText& parameter);

// What a tensor map parameter may be handed, as `tensormap:` with this behind it:
// "bf16+box64x128+swizzle128[1024x1024]=random:1". By the host code that encodes the map, else by
// the shared array that its boxes fill. `handed`: how the launch names the argument. nullopt: the
// parameter is none.
[[nodiscard]] std::optional<std::string> guessed_tensor(const std::string& source,
                                                        const ParameterText& parameter,
                                                        const std::string& handed,
                                                        std::size_t seed);

}  // namespace tilescope
