#include "kernel/argument_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "core/buffer_recipe.h"
#include "core/trimmed.h"

namespace tilescope {
namespace {

// "f32[1024 x 512]=zero" has a shape; its recipe is that of "f32[524288]=zero".
struct Extents {
  std::uint64_t rows = 0;  // 0: not said
  std::uint64_t cols = 0;
  std::string text;
};

bool parse_extents(std::string_view text, Extents* extents) {
  constexpr std::string_view kTimes = "\u00d7";
  std::size_t sign = text.find(kTimes);
  const std::size_t wide = sign != std::string_view::npos ? kTimes.size() : 1;
  if (sign == std::string_view::npos) sign = text.find('x');
  if (sign == std::string_view::npos) return false;
  const auto whole = [](std::string_view part, std::uint64_t* value) {
    part = trimmed(part);
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), *value);
    return failure == std::errc{} && end == part.data() + part.size() && *value != 0;
  };
  return whole(text.substr(0, sign), &extents->rows) &&
         whole(text.substr(sign + wide), &extents->cols);
}

Extents split_extents(std::string_view text) {
  Extents extents{0, 0, std::string(text)};
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', std::min(open, text.size()));
  std::uint64_t count = 0;
  if (close == std::string_view::npos) return extents;
  if (!parse_extents(text.substr(open + 1, close - open - 1), &extents) ||
      __builtin_mul_overflow(extents.rows, extents.cols, &count)) {
    return {0, 0, std::string(text)};
  }
  extents.text = fmt::format("{}{}{}", text.substr(0, open + 1), count, text.substr(close));
  return extents;
}

Result<Argument> single_argument(std::string_view text) {
  const Extents extents = split_extents(text);
  auto spec = parse_argument_spec(extents.text);
  if (!spec) return std::move(spec).error();
  Argument argument;
  argument.is_pointer = spec->is_buffer;
  if (!spec->is_buffer) {
    argument.type = spec->type;
    argument.bits = spec->bits;
    return argument;
  }
  argument.type = spec->buffer.type;
  argument.buffer = spec->buffer;
  argument.written = true;  // not known: every buffer gets a copy of its own
  argument.rows = extents.rows;
  argument.cols = extents.cols;
  argument.leading = extents.cols;
  return argument;
}

// A structure's text, member by member.
class StructureReader {
 public:
  explicit StructureReader(std::string_view text) : text_(text) {}

  Result<std::vector<Argument>> read(std::uint32_t parameter) {
    std::string_view rest = text_;
    const std::uint32_t alignment = read_braces(&rest, 0);
    if (!error_ && !trimmed(rest).empty()) fail("text behind its '}'");
    if (!error_ && members_.empty()) fail("no member");
    if (error_) return *std::move(error_);
    const std::uint32_t bytes = rounded_up(offset_, alignment);
    for (Argument& member : members_) {
      member.member->parameter = parameter;
      member.member->structure_bytes = bytes;
    }
    return std::move(members_);
  }

 private:
  static constexpr int kDeepest = 16;

  void fail(std::string_view why) {
    if (error_) return;
    error_ = Error{ErrorCode::kUsage,
                   fmt::format("the structure '{}': {}", text_, why),
                   "Write its members in order: {i32:4, f32[16]=zero}, pad:N for N bytes that none "
                   "takes",
                   {}};
  }

  // From '{' to behind its '}'; the alignment of what it holds. A structure begins and ends where
  // its own widest member may.
  std::uint32_t read_braces(std::string_view* rest, int depth) {
    *rest = trimmed(*rest);
    if (depth > kDeepest) fail("too many braces in braces");
    if (error_) return 1;
    rest->remove_prefix(1);
    offset_ = rounded_up(offset_, alignment_within(*rest));
    std::uint32_t alignment = 1;
    while (!error_) {
      *rest = trimmed(*rest);
      if (rest->starts_with('{')) {
        alignment = std::max(alignment, read_braces(rest, depth + 1));
      } else {
        const std::size_t end = std::min(rest->find_first_of(",}"), rest->size());
        alignment = std::max(alignment, read_member(trimmed(rest->substr(0, end))));
        rest->remove_prefix(end);
      }
      *rest = trimmed(*rest);
      if (rest->starts_with(',')) {
        rest->remove_prefix(1);
      } else if (rest->starts_with('}')) {
        rest->remove_prefix(1);
        if (depth > 0) offset_ = rounded_up(offset_, alignment);
        return alignment;
      } else {
        fail("a '}' is missing");
      }
    }
    return alignment;
  }

  // Of the members from behind a '{' to its '}'.
  static std::uint32_t alignment_within(std::string_view text) {
    std::uint32_t alignment = 1;
    int depth = 1;
    while (!text.empty() && depth > 0) {
      const std::size_t end = std::min(text.find_first_of(",{}"), text.size());
      if (const auto member = single_argument(trimmed(text.substr(0, end)))) {
        alignment = std::max(alignment, parameter_bytes(*member));
      }
      if (end == text.size()) break;
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      text.remove_prefix(end + 1);
    }
    return alignment;
  }

  // Its alignment.
  std::uint32_t read_member(std::string_view text) {
    if (text.starts_with("pad:")) {
      std::uint32_t bytes = 0;
      const std::string_view number = text.substr(4);
      const auto [end, failure] =
          std::from_chars(number.data(), number.data() + number.size(), bytes);
      if (failure != std::errc{} || end != number.data() + number.size() ||
          bytes > kMostParameterBytes)
        fail("pad: has no length");
      offset_ += bytes;
      if (offset_ > kMostParameterBytes) fail("more than a kernel's parameters may hold");
      return 1;
    }
    auto member = single_argument(text);
    if (!member) {
      if (!error_) error_ = std::move(member).error();
      return 1;
    }
    const std::uint32_t bytes = parameter_bytes(*member);
    offset_ = rounded_up(offset_, bytes);
    member->member = StructureMember{0, offset_, 0};
    offset_ += bytes;
    if (offset_ > kMostParameterBytes) fail("more than a kernel's parameters may hold");
    members_.push_back(*std::move(member));
    return bytes;
  }

  std::string_view text_;
  std::vector<Argument> members_;
  std::uint32_t offset_ = 0;  // behind what was read
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Argument>> file_arguments(std::string_view text, std::uint32_t parameter) {
  std::vector<Argument> arguments;
  if (trimmed(text).starts_with('{')) {
    auto members = StructureReader(text).read(parameter);
    if (!members) return std::move(members).error();
    arguments = *std::move(members);
  } else {
    auto argument = single_argument(text);
    if (!argument) return std::move(argument).error();
    arguments.push_back(*std::move(argument));
  }
  for (Argument& argument : arguments) {
    argument.name = fmt::format("arg{}", parameter);
    if (argument.member) argument.name += fmt::format("+{}", argument.member->offset);
  }
  return arguments;
}

}  // namespace tilescope
