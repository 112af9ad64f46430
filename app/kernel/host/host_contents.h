#pragma once

#include <string>
#include <vector>

namespace tilescope {

// What host code puts into each of the arrays that a launch hands over under these names, as the
// contents of a buffer (BufferRecipe): "0" after cudaMemset, "random % 100" where it copies what a
// loop filled with rand() % 100. Followed into the host function that an array is handed to. Empty:
// nothing is known, or it is no expression of whole numbers.
[[nodiscard]] std::vector<std::string> written_contents(const std::string& source,
                                                        const std::vector<std::string>& handed);

}  // namespace tilescope
