#pragma once
#include <string_view>

namespace tilescope {

// Whether a layout in Dear ImGui's ini form can be loaded without harm: only windows and one
// docking tree, whole numbers in range, every node's parent above it, none or two children each,
// every docked window in a node of the tree. Dear ImGui trusts its files; those of others must not
// be.
[[nodiscard]] bool is_sound_layout(std::string_view text);

}  // namespace tilescope
