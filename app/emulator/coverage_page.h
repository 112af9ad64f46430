#pragma once
#include <string>

namespace tilescope {

// docs/ptx_coverage.md: the instruction table as a page. A test holds the file against it.
[[nodiscard]] std::string coverage_page();

}  // namespace tilescope
