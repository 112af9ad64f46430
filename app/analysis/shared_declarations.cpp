#include "analysis/shared_declarations.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tilescope {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

std::uint64_t number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return 0;
  std::uint64_t value = 0;
  const char* begin = text.data() + at + word.size();
  std::from_chars(begin, text.data() + text.size(), value);
  return value;
}

// The last identifier of an Itanium-mangled local name: "_ZZ15transpose_tiledE4tile" -> "tile".
std::string plain_name(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  const std::size_t e = mangled.rfind('E');
  if (e == std::string_view::npos) return std::string(mangled);
  std::string_view rest = mangled.substr(e + 1);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || digits + length > rest.size()) return std::string(mangled);
  return std::string(rest.substr(digits, length));
}

// The plain name before the last bracket of a declaration.
std::string declared_name(std::string_view statement) {
  const std::size_t bracket = statement.rfind('[');
  if (bracket == std::string_view::npos) return {};
  std::size_t start = bracket;
  while (start > 0 && is_name_character(statement[start - 1])) --start;
  return plain_name(statement.substr(start, bracket - start));
}

}  // namespace

std::vector<SharedVariable> shared_variables(std::string_view ptx) {
  std::vector<SharedVariable> variables;
  std::uint64_t offset = 0;
  for (std::size_t at = ptx.find(".shared "); at != std::string_view::npos;
       at = ptx.find(".shared ", at + 1)) {
    const std::size_t line_start = ptx.rfind('\n', at) + 1;
    const std::string_view before = ptx.substr(line_start, at - line_start);
    if (before.find_first_not_of(" \t.visblewakcomn") != std::string_view::npos) continue;
    const std::string_view statement = ptx.substr(at, ptx.find(';', at) - at);
    SharedVariable variable;
    variable.name = declared_name(statement);
    if (variable.name.empty()) continue;
    variable.bytes = number_after(statement, "[");
    const std::uint64_t align = std::max<std::uint64_t>(number_after(statement, ".align "), 1);
    if (variable.bytes == 0) continue;  // extern: begins where the others end
    offset = (offset + align - 1) / align * align;
    variable.offset = offset;
    offset += variable.bytes;
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::string dynamic_shared_name(std::string_view ptx) {
  constexpr std::string_view kExtern = ".extern .shared ";
  std::string name;
  for (std::size_t at = ptx.find(kExtern); at != std::string_view::npos;
       at = ptx.find(kExtern, at + 1)) {
    const std::string other = declared_name(ptx.substr(at, ptx.find(';', at) - at));
    if (!name.empty() && other != name) return {};
    name = other;
  }
  return name;
}

ParameterSet source_defines(std::string_view source) {
  ParameterSet values;
  constexpr std::string_view kDefine = "#define ";
  for (std::size_t at = source.find(kDefine); at != std::string_view::npos;
       at = source.find(kDefine, at + 1)) {
    std::size_t name_end = at + kDefine.size();
    while (name_end < source.size() && is_name_character(source[name_end])) ++name_end;
    const std::string name(source.substr(at + kDefine.size(), name_end - at - kDefine.size()));
    std::size_t digit = name_end;
    while (digit < source.size() && source[digit] == ' ') ++digit;
    std::int64_t value = 0;
    const auto parsed =
        std::from_chars(source.data() + digit, source.data() + source.size(), value);
    if (parsed.ec == std::errc()) values.emplace(name, value);
  }
  return values;
}

std::optional<std::vector<Expression>> source_extents(std::string_view source,
                                                      std::string_view name) {
  constexpr std::string_view kShared = "__shared__";
  for (std::size_t at = source.find(kShared); at != std::string_view::npos;
       at = source.find(kShared, at + 1)) {
    const std::string_view statement = source.substr(at, source.find(';', at) - at);
    // as[TILE][TILE], bs[TILE][TILE]: the extents behind each name.
    for (std::size_t bracket = statement.find('['); bracket != std::string_view::npos;) {
      std::size_t name_end = bracket;
      while (name_end > 0 && statement[name_end - 1] == ' ') --name_end;
      std::size_t name_start = name_end;
      while (name_start > 0 && is_name_character(statement[name_start - 1])) --name_start;
      const bool wanted = statement.substr(name_start, name_end - name_start) == name;
      std::vector<Expression> extents;
      while (bracket < statement.size() && statement[bracket] == '[') {
        const std::size_t close = statement.find(']', bracket);
        if (close == std::string_view::npos) return std::nullopt;
        auto parsed = Expression::parse(statement.substr(bracket + 1, close - bracket - 1));
        if (!parsed && wanted) return std::nullopt;
        if (parsed) extents.push_back(*std::move(parsed));
        bracket = close + 1;
        while (bracket < statement.size() && statement[bracket] == ' ') ++bracket;
      }
      if (wanted) return extents;
      bracket = statement.find('[', bracket);
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> source_dimensions(const KernelStudy& study,
                                                           std::string_view name) {
  const auto extents = source_extents(study.instance.source, name);
  if (!extents) return std::nullopt;
  ParameterSet values = study.instance.parameters;
  values.merge(source_defines(study.instance.source));  // a parameter given wins
  std::vector<std::int64_t> dimensions;
  for (const Expression& extent : *extents) {
    const auto value = extent.evaluate(values);
    if (!value) return std::nullopt;
    dimensions.push_back(*value);
  }
  return dimensions;
}

}  // namespace tilescope
