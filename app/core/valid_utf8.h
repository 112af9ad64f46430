#pragma once
#include <string>

namespace tilescope {

// The text with a '?' for each byte that belongs to no character of UTF-8 (RFC 3629), as in files
// of older encodings. Lines and columns stay where they are.
[[nodiscard]] std::string valid_utf8(std::string text);

}  // namespace tilescope
