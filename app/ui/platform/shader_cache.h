#pragma once
#include <filesystem>

namespace tilescope {

// Before the first OpenGL context. Mesa maps the index of its shader cache without having written
// it: where its disk is full, the first use ends the process (SIGBUS). There it has to do without.
void spare_full_disk_of_shader_cache();

// Whether the disk of this folder, which need not be there yet, has room for that index.
[[nodiscard]] bool has_room_for_shader_cache(const std::filesystem::path& folder);

}  // namespace tilescope
