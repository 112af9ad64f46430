#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "kernel/host/host_code.h"
#include "kernel/text/token_range.h"

namespace tilescope {

// The members that host code sets in a structure which it passes to a kernel by value, by their
// names in it: "width", "corner.x".
struct HostMembers {
  std::map<std::string, std::string> values;  // numbers as they are written in C
  std::map<std::string, std::int64_t> bytes;  // that are allocated behind a pointer
};

// The members set before `place` in the structure that `range` names: by m.width = 3;
// Matrix m{3, 3, p}; cudaMalloc(&m.cells, n); none: it is no name, or no member is set.
[[nodiscard]] HostMembers members_of(const HostCode& code, const TokenRange& range,
                                     std::size_t place);

}  // namespace tilescope
