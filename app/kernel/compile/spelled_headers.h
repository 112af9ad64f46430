#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

// A header may be included under a name that only Windows or macOS finds: MatrixAdd.h as
// "matrixAdd.h", "..\common\timer.h", <Windows.h>. Returns a folder of the cache where a header of
// just that name includes the one that is meant: beside `folder`, in one of header_folders(), or
// one of Tilescope's sample_headers(). Empty: there is none.
[[nodiscard]] std::filesystem::path folder_of_spelling(const std::filesystem::path& folder,
                                                       const std::string& header);

}  // namespace tilescope
