#include "analysis/study/static_shared.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

// None where an extent names what has no value.
std::optional<std::int64_t> elements(const std::vector<Expression>& extents,
                                     const ParameterSet& values) {
  std::int64_t product = 1;
  for (const Expression& extent : extents) {
    const auto value = extent.evaluate(values);
    if (!value || *value < 0) return std::nullopt;
    product *= *value;
  }
  return product;
}

}  // namespace

StaticShared::StaticShared(const KernelStudy& study)
    : defines_(source_defines(study.instance.source)) {
  ParameterSet values = study.instance.parameters;
  values.insert(defines_.begin(), defines_.end());
  for (const SharedVariable& variable : shared_variables(*study.program)) {
    if (variable.bytes == 0) continue;  // the launch's
    auto extents = source_extents(study, variable);
    const auto count = extents ? elements(*extents, values) : std::nullopt;
    const auto size = static_cast<std::int64_t>(variable.bytes);
    if (!count || *count == 0 || size % *count != 0) {
      present_.reset();
      return;
    }
    *present_ += size;
    arrays_.push_back({*std::move(extents), size / *count});
  }
}

std::optional<std::int64_t> StaticShared::bytes(const ParameterSet& parameters) const {
  ParameterSet values = parameters;
  values.insert(defines_.begin(), defines_.end());
  std::int64_t sum = 0;
  for (const Array& array : arrays_) {
    const auto count = elements(array.extents, values);
    if (!count) return std::nullopt;
    sum += *count * array.element_bytes;
  }
  return sum;
}

std::optional<std::int64_t> StaticShared::change(const ParameterSet& parameters) const {
  if (!present_) return std::nullopt;
  const auto there = bytes(parameters);
  if (!there) return std::nullopt;
  return *there - *present_;
}

namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// Where the body of the kernel stands in its source; the whole text where it is not found.
std::string_view body_of(const KernelStudy& study) {
  const std::string_view source = study.instance.source;
  const std::string plain = study.instance.kernel.substr(0, study.instance.kernel.find('<'));
  const std::vector<CudaToken> tokens = tokenize(source);
  for (const Declaration& declaration : find_declarations(tokens)) {
    const std::string name =
        declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
    if (declaration.kind != Declaration::Kind::kFunction || name != plain ||
        declaration.first == declaration.last) {
      continue;
    }
    const CudaToken& last = tokens[declaration.last - 1];
    const char* begin = tokens[declaration.first].text.data();
    return {begin, static_cast<std::size_t>(last.text.data() + last.text.size() - begin)};
  }
  return source;
}

using Extents = std::vector<Expression>;

// Of every declaration of that name, in the order of the text; none for one that cannot be
// understood.
std::vector<std::optional<Extents>> all_extents(std::string_view source, std::string_view name) {
  std::vector<std::optional<Extents>> found;
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
      std::optional<Extents> extents{std::in_place};
      while (bracket < statement.size() && statement[bracket] == '[') {
        const std::size_t close = statement.find(']', bracket);
        if (close == std::string_view::npos) {
          if (wanted) found.emplace_back();
          return found;
        }
        auto parsed = Expression::parse(statement.substr(bracket + 1, close - bracket - 1));
        if (!parsed) extents.reset();
        if (parsed && extents) extents->push_back(*std::move(parsed));
        bracket = close + 1;
        while (bracket < statement.size() && statement[bracket] == ' ') ++bracket;
      }
      if (wanted) found.push_back(std::move(extents));
      bracket = statement.find('[', bracket);
    }
  }
  return found;
}

std::optional<std::vector<std::int64_t>> dimensions_of(const Extents& extents,
                                                       const ParameterSet& values) {
  std::vector<std::int64_t> dimensions;
  for (const Expression& extent : extents) {
    const auto value = extent.evaluate(values);
    if (!value) return std::nullopt;
    dimensions.push_back(*value);
  }
  return dimensions;
}

ParameterSet values_of(const KernelStudy& study) {
  ParameterSet values = study.instance.parameters;
  values.merge(source_defines(study.instance.source));  // a parameter given wins
  return values;
}

// Whether so many elements of a usual size fill that many bytes.
bool fills(const Extents& extents, const ParameterSet& values, std::uint64_t bytes) {
  const auto dimensions = dimensions_of(extents, values);
  if (!dimensions) return false;
  std::uint64_t elements = 1;
  for (const std::int64_t dimension : *dimensions) {
    if (dimension <= 0) return false;
    elements *= static_cast<std::uint64_t>(dimension);
  }
  constexpr std::uint64_t kWidestElement = 64;
  return bytes % elements == 0 && bytes / elements <= kWidestElement && bytes != 0;
}

}  // namespace

std::string dynamic_shared_name(const Program& program) {
  std::string name;
  for (const SharedVariable& variable : shared_variables(program)) {
    if (variable.bytes != 0) continue;
    if (!name.empty() && variable.name != name) return {};
    name = variable.name;
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
  std::vector<std::optional<Extents>> all = all_extents(source, name);
  return all.empty() ? std::nullopt : std::move(all.front());
}

std::optional<std::vector<Expression>> source_extents(const KernelStudy& study,
                                                      const SharedVariable& variable) {
  const ParameterSet values = values_of(study);
  for (const std::string_view text : {body_of(study), std::string_view(study.instance.source)}) {
    for (std::optional<Extents>& extents : all_extents(text, variable.name)) {
      if (extents && fills(*extents, values, variable.bytes)) return std::move(extents);
    }
  }
  return source_extents(study.instance.source, variable.name);
}

std::optional<std::vector<std::int64_t>> source_dimensions(const KernelStudy& study,
                                                           const SharedVariable& variable) {
  const auto extents = source_extents(study, variable);
  return extents ? dimensions_of(*extents, values_of(study)) : std::nullopt;
}

}  // namespace tilescope
