#include "core/joined.h"

namespace tilescope {

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? std::string(last) : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace tilescope
