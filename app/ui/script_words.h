#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ui/script.h"

namespace tilescope {

struct ScriptTarget {
  Desk& desk;
  const ScriptHost& host;
  ScriptProgress& progress;
};

// A mistake that shows when the command acts.
[[nodiscard]] Error script_error(int line, const std::string& name, const std::string& why);

// The words of a command as values, each mistake with the command's line.

[[nodiscard]] Error wrong(const ScriptCommand& command, const std::string& why);
// "there is no view bank. Did you mean banks?": a word that is none of these.
[[nodiscard]] Error unknown(const ScriptCommand& command, const std::string& kind,
                            const std::string& word, const std::vector<std::string>& known);
[[nodiscard]] Result<std::int64_t> whole(const ScriptCommand& command, std::size_t word);
[[nodiscard]] float real(const ScriptCommand& command);  // the first after the name
// The words from this one on, as one text.
[[nodiscard]] std::string words_from(const ScriptCommand& command, std::size_t first);

// Does something with the whole number that stands at `word`.
template <class F>
Status with_whole(const ScriptCommand& command, std::size_t word, F act) {
  const Result<std::int64_t> number = whole(command, word);
  if (!number.ok()) return number.error();
  act(*number);
  return ok_status();
}

}  // namespace tilescope
