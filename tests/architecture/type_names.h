#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// Classes and enumerations that a header defines at namespace scope, with their namespace
// ("tilescope::Launch"). Read line by line: clang-format leaves such a definition, and no other,
// unindented. Templates and forward declarations are left out.
std::vector<std::string> defined_types(std::string_view header);

}  // namespace tilescope
