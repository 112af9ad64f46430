#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tilescope {

// A PNG with texts by keyword put behind its header (https://www.w3.org/TR/png-3/#11textinfo): as
// tEXt where Latin-1 holds them, else as iTXt. Precondition: `png` begins with an IHDR chunk.
[[nodiscard]] std::string with_texts(std::string_view png,
                                     std::span<const std::pair<std::string, std::string>> texts);

}  // namespace tilescope
