#include "ui/script_words.h"

#include <charconv>
#include <cstdlib>
#include <system_error>

#include "kernel/spelling.h"

namespace tilescope {

Error script_error(int line, const std::string& name, const std::string& why) {
  return {ErrorCode::kUsage,
          "script, line " + std::to_string(line) + ", " + name + ": " + why,
          "",
          {"", line, 0}};
}

Error wrong(const ScriptCommand& command, const std::string& why) {
  return script_error(command.line, command.words.front(), why);
}

Error unknown(const ScriptCommand& command, const std::string& kind, const std::string& word,
              const std::vector<std::string>& known) {
  return wrong(command, "there is no " + kind + " " + word + ". " + did_you_mean(word, known));
}

Result<std::int64_t> whole(const ScriptCommand& command, std::size_t word) {
  const std::string& text = command.words[word];
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return wrong(command, text + " is not a whole number");
  return value;
}

float real(const ScriptCommand& command) { return std::strtof(command.words[1].c_str(), nullptr); }

std::string words_from(const ScriptCommand& command, std::size_t first) {
  std::string words;
  for (std::size_t i = first; i < command.words.size(); ++i) {
    words += (words.empty() ? "" : " ") + command.words[i];
  }
  return words;
}

}  // namespace tilescope
