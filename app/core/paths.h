#pragma once
#include <filesystem>
#include <string_view>

namespace tilescope {

// Folder that holds kernels/, shaders/ and assets/: $TILESCOPE_RESOURCES, else beside the installed
// program (../lib/tilescope), else the source tree it was built from.
[[nodiscard]] std::filesystem::path resource_directory();

// Compiled kernels and other things that can be made again: $XDG_CACHE_HOME/tilescope.
[[nodiscard]] std::filesystem::path cache_directory();

// The user's own things: history, sessions, settings: $XDG_DATA_HOME/tilescope.
[[nodiscard]] std::filesystem::path data_directory();

// For what is gone again at the end: $TMPDIR, else /tmp. Nothing may be writable there.
[[nodiscard]] std::filesystem::path temporary_directory();

// Folder with the stand-in for CUDA's runtime library: $TILESCOPE_RUNTIME_DIRECTORY, else runtime/
// beside the program, else ../lib/tilescope.
[[nodiscard]] std::filesystem::path runtime_directory();

// The running program's own file, for starting its worker.
[[nodiscard]] std::filesystem::path program_file();

}  // namespace tilescope
