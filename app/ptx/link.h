#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tilescope {

// The PTX of translation units that were compiled apart (nvcc -rdc=true) as one module, as nvlink
// joins their machine code: a function or variable that several units define is the first unit's,
// names that are a unit's own ("$str") stay apart, places in the source keep their files. The
// version and target are the first unit's.
[[nodiscard]] std::string link_ptx(std::span<const std::string_view> units);

}  // namespace tilescope
