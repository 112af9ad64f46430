#pragma once
#include <string>
#include <string_view>

namespace tilescope {

// A text as the content of an XML element: what XML 1.0 does not allow, control
// characters and what is not UTF-8, becomes U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace tilescope
