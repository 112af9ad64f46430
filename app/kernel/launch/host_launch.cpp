#include "kernel/launch/host_launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "kernel/launch/host_code.h"
#include "kernel/source/conditional_text.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/template_arguments.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

bool names_constants(const std::string& expression) {
  const auto parsed = Expression::parse(expression);
  return parsed && !parsed->variables().empty();
}

// Where all of them follow from constants, and are a block.
std::optional<Dim3> block_of(const std::vector<std::string>& texts, const ParameterSet& constants) {
  if (texts.size() > 3) return std::nullopt;
  Dim3 extent;
  const std::array<std::uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = evaluate_expression(texts[i], constants);
    if (!value || *value < 1 || *value > 1024) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return extent.count() <= 1024 ? std::optional(extent) : std::nullopt;
}

bool is_name(const std::string& text) {
  const auto words = tokenize(text);
  return words.size() == 1 && words[0].kind == CudaTokenKind::kWord;
}

// Names that the launch hands over as they are; casts are none.
std::set<std::string> handed_names(const std::vector<std::string>& arguments) {
  std::set<std::string> names;
  for (const std::string& argument : arguments) {
    if (is_name(argument)) names.insert(argument);
  }
  return names;
}

// Where a launch stands: what is behind the kernel's name, perhaps nothing, and its <<<.
struct LaunchPlace {
  TokenRange template_arguments;  // with < and >
  std::size_t sign = 0;
};

// Of the kernel's name at `at`, or of the pointer that it is put into: auto k = name<8>;
// k<<<...>>>.
std::optional<LaunchPlace> launch_of(const Tokens& tokens, std::size_t at) {
  std::size_t end = at + 1;
  if (tokens[end].is("<") && !is_three(tokens, end, "<")) {
    const auto chooses = [&](std::size_t i) {  // a : that is no ::
      return tokens[i].is(":") && !tokens[i - 1].is(":") && !tokens[i + 1].is(":");
    };
    while (end + 1 < tokens.size() && !is_three(tokens, end, "<") && !tokens[end].is(";") &&
           !chooses(end)) {
      ++end;
    }
  }
  if (is_three(tokens, end, "<")) return LaunchPlace{{at + 1, end}, end};
  // Of a choice the last is meant: auto k = checks ? name<true> : name<false>;
  const auto is_of_choice = [&](std::size_t i) {
    constexpr std::array<std::string_view, 7> kSigns{"&", ":", "?", "<", ">", ",", "!"};
    const bool compares = tokens[i].is("=") &&
                          (tokens[i - 1].is("!") || tokens[i - 1].is("=") ||
                           tokens[i - 1].is("<") || tokens[i - 1].is(">") || tokens[i + 1].is("="));
    return compares || tokens[i].kind != CudaTokenKind::kPunctuator ||
           std::ranges::find(kSigns, tokens[i].text) != kSigns.end();
  };
  std::size_t sign = at - 1;
  while (sign > 1 && is_of_choice(sign)) --sign;
  if (at < 3 || !tokens[end].is(";") || !tokens[sign].is("=")) return std::nullopt;
  for (std::size_t i = end; i + 3 < tokens.size(); ++i) {
    if (tokens[i].is(tokens[sign - 1].text) && is_three(tokens, i + 1, "<")) {
      return LaunchPlace{{at + 1, end}, i + 1};
    }
  }
  return std::nullopt;
}

// kernel<<<grid, block>>>(a, b, 1, 1): of all numbers only ones, at least two.
bool warms_up(const HostLaunch& launch) {
  const auto ones = std::ranges::count(launch.argument_values, "1");
  const auto known = std::ranges::count_if(launch.argument_values,
                                           [](const std::string& value) { return !value.empty(); });
  return ones >= 2 && ones == known;
}

HostLaunch read_launch(const Tokens& tokens, const ParameterSet& constants, const HostCode& code,
                       const LaunchPlace& place) {
  const std::size_t at = place.sign;
  const std::vector<TokenRange> parts = pieces_from(tokens, place.sign + 3);
  HostLaunch launch;
  std::size_t close = parts.back().last;
  while (close < tokens.size() && !tokens[close].is("(") && !tokens[close].is(";")) ++close;
  if (close < tokens.size() && tokens[close].is("(")) {
    for (const TokenRange& argument : pieces_from(tokens, close + 1)) {
      const std::size_t first = code.behind_cast(argument.first, argument.last);
      launch.arguments.push_back(joined(tokens, first, argument.last));
      launch.argument_values.push_back(code.number(argument, at));
      launch.argument_bytes.push_back(code.allocated_bytes(argument, at));
    }
    const std::set<std::string> handed = handed_names(launch.arguments);
    for (const TokenRange& argument : pieces_from(tokens, close + 1)) {
      std::set<std::string> others = handed;
      others.erase(launch.arguments[launch.argument_texts.size()]);
      launch.argument_texts.push_back(code.text(argument, at, others));
    }
  }
  if (parts.size() > 1 && parts[1].last > parts[1].first) {
    launch.block_text = code.extents(parts[1], at);
    launch.block = block_of(launch.block_text, constants);
    const bool is_name = parts[1].last == parts[1].first + 1;
    if (!launch.block && is_name) launch.unknown_block = tokens[parts[1].first].text;
    if (!launch.block || std::ranges::none_of(launch.block_text, names_constants)) {
      launch.block_text.clear();
    }
  }
  if (parts[0].last > parts[0].first) {
    launch.grid_text = code.extents(parts[0], at, handed_names(launch.arguments));
  }
  if (parts.size() > 2) {
    const std::string text = code.text(parts[2], at);
    const auto bytes = evaluate_expression(text, constants);
    if (bytes && *bytes >= 0 && *bytes <= 1 << 20) {
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*bytes);
      if (names_constants(text)) launch.dynamic_shared_text = text;
    } else {
      launch.shared_text = code.text(parts[2], at, handed_names(launch.arguments));
    }
  }
  return launch;
}

}  // namespace

HostLaunch find_host_launch(const std::string& source, const std::string& kernel,
                            const ParameterSet* lasting) {
  const Tokens all = tokenize(source);
  const Tokens tokens = with_plain_lists(all);
  const std::size_t colons = kernel.rfind("::");
  const std::string name = colons == std::string::npos ? kernel : kernel.substr(colons + 2);
  const ParameterSet constants =
      find_constants(all, lasting != nullptr ? *lasting : ParameterSet{});
  const std::vector<TemplateParameter> parameters = template_parameters(source, kernel);
  std::optional<HostLaunch> first;
  for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
    const auto place = tokens[i].is(name) ? launch_of(tokens, i) : std::nullopt;
    if (!place) continue;
    ParameterSet names = lasting != nullptr ? *lasting : constants;
    // A name of the kernel's template means what the template is given.
    const std::string given =
        HostCode(tokens, constants, names).template_text(place->template_arguments, i);
    for (const TemplateParameter& parameter : parameters) names.erase(parameter.name);
    for (const SourceNumber& number : template_numbers(source, kernel + given)) {
      names[number.name] = number.value;
    }
    ParameterSet known = names;  // they are what is meant, whatever an #ifdef has for the name
    known.insert(constants.begin(), constants.end());
    const HostCode code(tokens, constants, names);
    HostLaunch launch = read_launch(tokens, known, code, *place);
    launch.template_arguments = given;
    if (launch.block && !code.is_ruled_out(i) && !warms_up(launch)) return launch;
    if (!first) first = std::move(launch);
  }
  return first.value_or(HostLaunch{});
}

std::string uncalled_launcher(const std::string& source, const std::string& kernel) {
  const Tokens tokens = tokenize(source);
  const std::size_t colons = kernel.rfind("::");
  const std::string name = colons == std::string::npos ? kernel : kernel.substr(colons + 2);
  std::string launcher;
  for (const Declaration& declaration : find_declarations(tokens)) {
    const bool is_host = declaration.kind == Declaration::Kind::kFunction &&
                         !declaration.is_device && declaration.name != "main";
    for (std::size_t i = declaration.first; is_host && i < declaration.last; ++i) {
      const bool launches = i > 0 && tokens[i].is(name) && launch_of(tokens, i).has_value();
      if (launches && launcher.empty()) launcher = declaration.name;
    }
  }
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (declaration.kind != Declaration::Kind::kFunction || declaration.name == launcher) continue;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
      if (tokens[i].is(launcher)) return {};
    }
  }
  return launcher;
}

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

HandedNumbers::HandedNumbers(const KernelFile& file, const KernelSignature& signature,
                             const HostLaunch& launched, const LaunchForm& form) {
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element))
      continue;
    numbers_[parameter.name] = std::stoll(form.arguments[i].value);
    if (parameter.member || position >= launched.arguments.size()) continue;
    // A number is no name: an equal one in the grid need not be this one.
    const std::string& given = launched.arguments[position];
    if (given.empty() || given.front() < '0' || given.front() > '9') {
      handed_.emplace(given, parameter.name);
    }
  }
  // The block that is not known is the one that was chosen.
  if (!launched.unknown_block.empty()) {
    handed_.emplace(launched.unknown_block, form.block.substr(0, form.block.find(',')));
  }
  names_ = find_constants(tokenize(file.source), numbers_);
}

HandedNumbers::Text HandedNumbers::read(const std::string& host_text) const {
  Text read;
  for (const CudaToken& token : tokenize(host_text)) {
    const auto name = handed_.find(std::string(token.text));
    const std::string word = name != handed_.end() ? name->second : std::string(token.text);
    read.follows_arguments |= numbers_.contains(word);
    const bool is_constant = names_.contains(word) && !numbers_.contains(word);
    read.follows_constants |= is_constant;
    const bool is_sign =
        word.size() == 1 && std::string_view("+-*/%?:<>").find(word[0]) != std::string_view::npos;
    const std::string written = is_sign ? " " + word + " " : word + (word == "," ? " " : "");
    read.text += written;
    read.numbers += is_constant ? std::to_string(names_.at(word)) : written;
  }
  if (const auto value = evaluate_expression(read.text, names_)) read.value = *value;
  return read;
}

void derive_arguments(const KernelFile& file, const KernelSignature& signature,
                      const HostLaunch& launched, LaunchForm* form) {
  constexpr std::int64_t kMostShared = 227 << 10;  // bytes of a block
  const HandedNumbers handed(file, signature, launched, *form);
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    const bool is_number = !parameter.member && !parameter.is_pointer && parameter.element &&
                           is_whole_number(*parameter.element);
    if (!is_number || position >= launched.argument_texts.size() ||
        !launched.argument_values[position].empty()) {
      continue;
    }
    const auto text = handed.read(launched.argument_texts[position]);
    const bool computed = text.follows_arguments && text.text != parameter.name && text.value;
    if (computed) form->arguments[i].follows = text.numbers;
  }
  follow_others(form);
  if (launched.shared_text.empty()) return;
  const auto shared = HandedNumbers(file, signature, launched, *form).read(launched.shared_text);
  if (shared.value && *shared.value > 0 && *shared.value <= kMostShared) {
    form->dynamic_shared = shared.follows_arguments ? shared.text : std::to_string(*shared.value);
  }
}

// Blocks along an axis of which the file does not say how many there are, as for a batch.
constexpr std::uint64_t kUnknownAxis = 8;

std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                          const HostLaunch& launched, const LaunchForm& form,
                          const GridBound& bound) {
  const HandedNumbers handed(file, signature, launched, form);
  std::string grid;
  std::uint64_t blocks = 1;
  bool follows_arguments = false;
  bool follows_constants = false;
  bool follows_nothing = false;
  for (const std::string& host_text : launched.grid_text) {
    const auto read = handed.read(host_text);
    const std::optional<std::int64_t>& value = read.value;
    follows_arguments |= read.follows_arguments;
    follows_constants |= read.follows_constants;
    if (value && (*value < 1 || *value > static_cast<std::int64_t>(bound.most_threads))) return {};
    follows_nothing |= !value;
    const std::string axis = value ? read.text : std::to_string(kUnknownAxis);
    blocks *= value ? static_cast<std::uint64_t>(*value) : kUnknownAxis;
    grid += (grid.empty() ? "" : ", ") + axis;
  }
  // Blocks of a line of threads each, in a grid of names as (batch, heads), are things by
  // themselves.
  const bool are_things = launched.grid_text.size() > 1 && launched.block &&
                          launched.block->count() == launched.block->x &&
                          std::ranges::all_of(launched.grid_text, [](const std::string& text) {
                            return is_name(text);
                          });
  if (follows_nothing && !are_things && (launched.grid_text.size() == 1 || !follows_arguments)) {
    return {};
  }
  // Of numbers alone it is meant for a size that is not this one.
  const bool fits = blocks * bound.threads <= bound.most_threads || follows_arguments;
  const bool follows = follows_arguments || follows_constants || are_things || bound.numbers_count;
  return fits && follows ? grid : std::string();
}

}  // namespace tilescope
