#pragma once
#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Writes the files of a zip archive below a folder, which is made; a wheel of Python is such an
// archive. The archive says which may be executed. kUsage: the bytes are no whole zip archive, or
// one with what wheels do not have (encryption, 4 GB and more, names that lead out of the folder).
// kMachine: a file cannot be written. After an error some files may be there.
Status unpack_zip(std::string_view archive, const std::filesystem::path& folder);

}  // namespace tilescope
