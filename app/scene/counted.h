#pragma once
#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/quantity.h"

namespace tilescope {

// "1 thread", "1,024 threads". `noun` in the singular; its plural ends with an s.
// Precondition: count >= 0.
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(static_cast<std::uint64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

}  // namespace tilescope
