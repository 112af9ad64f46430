#pragma once
#include <cctype>
#include <cstddef>
#include <string_view>

namespace tilescope {

// "@%p1 ld.volatile.shared.u32 %r1, [%r2+4];" in its parts.
struct InstructionParts {
  std::string_view opcode;    // "ld.volatile.shared.u32"
  std::string_view operands;  // "%r1, [%r2+4];"

  [[nodiscard]] bool is(std::string_view mnemonic) const {
    return opcode.starts_with(mnemonic) &&
           (opcode.size() == mnemonic.size() || opcode[mnemonic.size()] == '.');
  }
  [[nodiscard]] bool has(std::string_view word) const {
    for (std::size_t at = opcode.find(word); at != std::string_view::npos;
         at = opcode.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.'))
        return true;
    }
    return false;
  }
};

[[nodiscard]] bool is_space(char c);
[[nodiscard]] InstructionParts parts_of(std::string_view text);

// "[%r2+4]" among the operands; empty: none.
[[nodiscard]] std::string_view address_text(const InstructionParts& parts);

// The registers that a piece of text names.
template <class F>
void for_registers(std::string_view text, F see) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '$')) {
      ++end;
    }
    see(text.substr(at, end - at));
  }
}

}  // namespace tilescope
