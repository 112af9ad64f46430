#include "core/result.h"

#include <fmt/format.h>

namespace tilescope {

std::string to_string(const Error& error) {
  std::string text;
  if (!error.place.file.empty()) {
    text = error.place.file;
    if (error.place.line > 0) text += fmt::format(":{}", error.place.line);
    if (error.place.line > 0 && error.place.column > 0) {
      text += fmt::format(":{}", error.place.column);
    }
    text += ": ";
  }
  text += error.message;
  if (!error.remedy.empty()) text += (text.ends_with('.') ? " " : ". ") + error.remedy;
  return text;
}

}  // namespace tilescope
