#include "analysis/study/launch_corrections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/number_text.h"
#include "core/quantity.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

// Name, what it was and what it is, and the unit.
using NoteChange =
    std::function<void(std::string_view, std::string_view, std::string_view, std::string_view)>;

std::string counted(const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text);
  return value ? format_count(*value) : text;
}

std::string contents(const std::string& fill) {
  return fill == "zero"     ? "zeros"
         : fill == "ramp"   ? "a ramp"
         : fill == kLetters ? "random letters"
         : fill == "iota"   ? "places of their own"
         : fill == kOffsets ? "rows of four"
         : is_usual(fill)   ? "random numbers"
                            : fill;
}

}  // namespace

bool is_usual(const std::string& fill) {
  return fill == "zero" || fill == "ramp" || fill == kLetters || fill.starts_with("random:");
}

bool is_made_up(const LaunchForm& guess, const LaunchForm& now) {
  LaunchForm sizes = now;
  for (std::size_t i = 0; i < sizes.arguments.size(); ++i) {
    if (now.arguments[i].is_buffer && !now.arguments[i].is_allocated) return true;
    sizes.arguments[i].fill = guess.arguments[i].fill;
    const auto type = parse_element_type(now.arguments[i].type);
    const bool may_be_indices = now.arguments[i].is_buffer && type && is_whole_number(*type);
    if (may_be_indices && now.arguments[i].fill == "ramp") return true;
  }
  return !guess.is_written || sizes != guess;
}

namespace {

void note_changes(const std::vector<ArgumentForm>& then, const std::vector<ArgumentForm>& now,
                  const NoteChange& note) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const ArgumentForm& after = now[i];
    const ArgumentForm& before = then[i];
    note(after.name, counted(before.value), counted(after.value), "");
    note(after.name, counted(before.count), counted(after.count), " elements");
    if (after.is_buffer) note(after.name, contents(before.fill), contents(after.fill), "");
    note_changes(before.behind, after.behind, note);
  }
}

}  // namespace

std::string corrections_of(const LaunchForm& then, const LaunchForm& now) {
  std::vector<std::string> words;
  const auto note = [&](std::string_view name, std::string_view before, std::string_view after,
                        std::string_view unit) {
    if (after != before)
      words.push_back(fmt::format("{} from {} to {}{}", name, before, after, unit));
  };
  note_changes(then.arguments, now.arguments, note);
  note("grid", then.grid, now.grid, "");
  note("block", then.block, now.block, "");
  note("dynamic shared memory", counted(then.dynamic_shared), counted(now.dynamic_shared),
       " bytes");
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace tilescope
