#pragma once

#include <optional>
#include <string>

#include "kernel/source/kernel_signature.h"

namespace tilescope {

// What a texture or surface parameter may be handed, as `texture:` or `surface:` with this behind
// it: "f32x4+linear[1024x1024]=random:1". By the functions of the text that read or write through
// it, and by what the host says of textures. nullopt: the parameter is none.
struct TextureGuess {
  std::string kind;   // "texture", "surface"
  std::string value;  // the rest
};
[[nodiscard]] std::optional<TextureGuess> guessed_texture(const std::string& source,
                                                          const ParameterText& parameter,
                                                          std::size_t seed);

}  // namespace tilescope
