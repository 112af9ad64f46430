#include "kernel/text/include_paths.h"

#include <algorithm>

namespace tilescope {
namespace {

// Where the path of an #include line begins, behind its quote; npos: it is no such line.
std::size_t path_begin(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::size_t at = line.find_first_not_of(kBlanks);
  if (at == std::string_view::npos || line[at] != '#') return std::string_view::npos;
  at = line.find_first_not_of(kBlanks, at + 1);
  constexpr std::string_view kInclude = "include";
  if (at == std::string_view::npos || !line.substr(at).starts_with(kInclude))
    return std::string_view::npos;
  at = line.find_first_not_of(kBlanks, at + kInclude.size());
  if (at == std::string_view::npos || (line[at] != '"' && line[at] != '<'))
    return std::string_view::npos;
  return at + 1;
}

}  // namespace

std::string with_forward_slashes(std::string_view text) {
  std::string result(text);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (const std::size_t at = path_begin(line); at != std::string_view::npos) {
      const std::size_t stop = std::min(line.find_first_of("\">", at), line.size());
      std::replace(result.begin() + static_cast<std::ptrdiff_t>(begin + at),
                   result.begin() + static_cast<std::ptrdiff_t>(begin + stop), '\\', '/');
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace tilescope
