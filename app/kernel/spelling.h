#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// What to tell a person who wrote a name that does not exist: "Did you mean TILE_M?" where one of
// the names is near (case set aside, at most a third of the letters wrong), else "It is one of A,
// B, C".
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& names);

// "A", "A or B", "A, B or C".
[[nodiscard]] std::string join_with_or(const std::vector<std::string>& words);

}  // namespace tilescope
