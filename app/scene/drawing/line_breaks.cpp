#include "scene/drawing/line_breaks.h"

#include <algorithm>
#include <cctype>

namespace tilescope {

std::size_t unbroken_end(std::string_view words, std::size_t from) {
  while (true) {
    const std::size_t space = std::min(words.find(' ', from), words.size());
    if (space == words.size()) return space;
    const std::string_view before = words.substr(0, space);
    const bool is_number =
        !before.empty() && std::isdigit(static_cast<unsigned char>(before.back())) != 0;
    if (!is_number && !before.ends_with("×")) return space;
    from = space + 1;
  }
}

}  // namespace tilescope
