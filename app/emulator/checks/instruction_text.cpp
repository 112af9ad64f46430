#include "emulator/checks/instruction_text.h"

#include <algorithm>

namespace tilescope {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

InstructionParts parts_of(std::string_view text) {
  const auto skip = [&] {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  };
  const auto word = [&] {
    const auto end = std::find_if(text.begin(), text.end(), is_space);
    const std::string_view found = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(found.size());
    return found;
  };
  skip();
  if (text.starts_with('@')) {
    word();
    skip();
  }
  InstructionParts parts;
  parts.opcode = word();
  if (parts.opcode.ends_with(';')) parts.opcode.remove_suffix(1);
  skip();
  parts.operands = text;
  return parts;
}

std::string_view address_text(const InstructionParts& parts) {
  const std::size_t open = parts.operands.find('[');
  const std::size_t close = parts.operands.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return parts.operands.substr(open, close + 1 - open);
}

}  // namespace tilescope
