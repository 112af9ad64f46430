#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tilescope {

// How many of `sizes` an expression of this text multiplies with one another: 4 in
// total = n * c * h * w, 3 in a[((i * c + j) * h + y) * w + x], 2 in n * n; 0: none is named. A
// variable that the text has set counts as what it was set to. Text that is no expression is passed
// over.
[[nodiscard]] int size_degree(std::string_view text, const std::set<std::string>& sizes);

}  // namespace tilescope
