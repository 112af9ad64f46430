#include "kernel/launched_arguments.h"

#include <map>
#include <string_view>

#include "kernel/expression.h"

namespace tilescope {

bool is_whole_number(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

std::string handed_value(const ParameterText& parameter, std::size_t position,
                         const HostLaunch& launched) {
  if (parameter.member || position >= launched.argument_values.size()) return {};
  const std::string& value = launched.argument_values[position];
  if (value.empty() || parameter.is_pointer || !parameter.element) return {};
  const bool real = value.find('.') != std::string::npos;
  if (is_whole_number(*parameter.element)) return real ? std::string() : value;
  return value.ends_with('f') ? value.substr(0, value.size() - 1) : value;
}

std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                          const HostLaunch& launched, const LaunchForm& form,
                          const GridBound& bound) {
  ParameterSet numbers;
  std::map<std::string, std::string> handed;  // what the host calls them
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element))
      continue;
    numbers[parameter.name] = std::stoll(form.arguments[i].value);
    if (parameter.member || position >= launched.arguments.size()) continue;
    // A number is no name: an equal one in the grid need not be this one.
    const std::string& given = launched.arguments[position];
    if (given.empty() || given.front() < '0' || given.front() > '9') {
      handed.emplace(given, parameter.name);
    }
  }
  const ParameterSet names = find_constants(tokenize(file.source), numbers);
  std::string grid;
  std::uint64_t blocks = 1;
  bool follows_arguments = false;
  bool follows_constants = false;
  for (const std::string& text : launched.grid_text) {
    std::string renamed;
    for (const CudaToken& token : tokenize(text)) {
      const auto name = handed.find(std::string(token.text));
      const std::string word = name != handed.end() ? name->second : std::string(token.text);
      follows_arguments |= numbers.contains(word);
      follows_constants |= names.contains(word) && !numbers.contains(word);
      const bool is_sign =
          word.size() == 1 && std::string_view("+-*/%?:<>").find(word[0]) != std::string_view::npos;
      renamed += is_sign ? " " + word + " " : word + (word == "," ? " " : "");
    }
    const auto value = evaluate_expression(renamed, names);
    if (!value || *value < 1 || *value > static_cast<std::int64_t>(bound.most_threads)) return {};
    blocks *= static_cast<std::uint64_t>(*value);
    grid += (grid.empty() ? "" : ", ") + renamed;
  }
  // Of numbers alone it is meant for a size that is not this one.
  const bool fits = blocks * bound.threads <= bound.most_threads || follows_arguments;
  return fits && (follows_arguments || follows_constants) ? grid : std::string();
}

}  // namespace tilescope
