#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "core/result.h"

namespace tilescope {

// What is wrong with the words of a command line, as the parser of `app` found it: the option, what
// was typed, and what to write instead. Of the command that was named, else of the program.
[[nodiscard]] Error option_error(const CLI::App& app, const CLI::ParseError& problem);

// Why `typed` is no value of this type from `least` to `most`; empty: it is one.
template <typename Number>
[[nodiscard]] std::string why_not_between(Number least, Number most, const std::string& typed) {
  Number value{};
  if (!CLI::detail::lexical_cast(typed, value)) return "is no number";
  if (value >= least && value <= most) return {};
  return fmt::format("lies outside {} to {}", least, most);
}

// For Option::check(): both ends are in.
template <typename Number>
[[nodiscard]] CLI::Validator between(Number least, Number most) {
  return {[least, most](const std::string& typed) {
            const std::string why = why_not_between(least, most, typed);
            return why.empty() ? why : typed + ' ' + why;
          },
          fmt::format("{} to {}", least, most)};
}

}  // namespace tilescope
