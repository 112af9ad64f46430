#pragma once
#include <span>
#include <string_view>

namespace tilescope {

// Families that are known and not executed: a launch that reaches one says what it misses.
struct UnsupportedFamily {
  std::string_view mnemonic;
  std::string_view word;     // somewhere in what follows the mnemonic; empty: always
  std::string_view missing;  // "...: <missing> is not supported"
  std::string_view name;     // for the coverage page
};
[[nodiscard]] std::span<const UnsupportedFamily> unsupported_families();
// nullptr: not known.
[[nodiscard]] const UnsupportedFamily* find_unsupported(std::string_view mnemonic,
                                                        std::string_view suffix);

}  // namespace tilescope
