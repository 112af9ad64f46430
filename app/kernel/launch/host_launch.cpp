#include "kernel/launch/host_launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/launch_limits.h"
#include "kernel/launch/host_code.h"
#include "kernel/launch/host_members.h"
#include "kernel/source/conditional_text.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/template_arguments.h"
#include "kernel/text/declarations.h"
#include "kernel/text/token_range.h"

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
    if (!value || *value < 1 || *value > kMostThreadsOfBlock) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return can_be_block(extent) ? std::optional(extent) : std::nullopt;
}

bool is_name(const std::string& text) {
  const auto words = tokenize(text);
  return words.size() == 1 && words[0].kind == CudaTokenKind::kWord;
}

// Those of the texts that are names; all empty: none is.
std::vector<std::string> names_of(std::vector<std::string> texts) {
  if (texts.size() > 3) return {};
  for (std::string& text : texts) {
    if (!is_name(text)) text.clear();
  }
  const bool any =
      std::ranges::any_of(texts, [](const std::string& text) { return !text.empty(); });
  return any ? texts : std::vector<std::string>();
}

// Names that the launch hands over as they are; casts are none.
std::set<std::string> handed_names(const std::vector<std::string>& arguments) {
  std::set<std::string> names;
  for (const std::string& argument : arguments) {
    if (is_name(argument)) names.insert(argument);
  }
  return names;
}

// What a launch is written with.
struct LaunchPlace {
  TokenRange template_arguments;   // behind the kernel's name, with < and >; empty: none
  std::size_t at = 0;              // names mean what they were given before it
  TokenRange grid, block, shared;  // empty: not said
  std::vector<TokenRange> arguments;
};

// <<<grid, block, shared>>>(arguments), whose sign is at `sign`.
LaunchPlace launch_at(const Tokens& tokens, std::size_t sign, TokenRange template_arguments) {
  LaunchPlace place{template_arguments, sign, {}, {}, {}, {}};
  const std::vector<TokenRange> parts = pieces_from(tokens, sign + 3);
  place.grid = parts[0];
  if (parts.size() > 1) place.block = parts[1];
  if (parts.size() > 2) place.shared = parts[2];
  std::size_t close = parts.back().last;
  while (close < tokens.size() && !tokens[close].is("(") && !tokens[close].is(";")) ++close;
  if (close < tokens.size() && tokens[close].is("(")) {
    place.arguments = pieces_from(tokens, close + 1);
  }
  return place;
}

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
  if (is_three(tokens, end, "<")) return launch_at(tokens, end, {at + 1, end});
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
      return launch_at(tokens, i + 1, {at + 1, end});
    }
  }
  return std::nullopt;
}

// The last value of config.MEMBER before `place`; empty: there is none.
TokenRange member_value(const Tokens& tokens, std::string_view object, std::string_view member,
                        std::size_t place) {
  for (std::size_t i = place; i-- > 0;) {
    const bool is_set = i + 3 < tokens.size() && tokens[i].is(object) && tokens[i + 1].is(".") &&
                        tokens[i + 2].is(member) && tokens[i + 3].is("=");
    if (is_set) return pieces_from(tokens, i + 4).front();
  }
  return {};
}

// {&a, &b} of void* args[] = {&a, &b};, without the signs.
std::vector<TokenRange> pointed_to(const Tokens& tokens, const TokenRange& array,
                                   std::size_t place) {
  if (array.last != array.first + 1) return {};
  for (std::size_t i = place; i-- > 0;) {
    const bool is_list = i + 4 < tokens.size() && tokens[i].is(tokens[array.first].text) &&
                         tokens[i + 1].is("[") && tokens[i + 3].is("=") && tokens[i + 4].is("{");
    if (!is_list) continue;
    std::vector<TokenRange> list = pieces_from(tokens, i + 5);
    for (TokenRange& each : list) {
      std::size_t sign = each.first;
      while (sign < each.last && !tokens[sign].is("&")) ++sign;
      if (sign < each.last) each.first = sign + 1;
    }
    return list;
  }
  return {};
}

// cudaLaunchKernel(name<8>, grid, block, args, shared, stream), the same for a cooperative launch,
// and cudaLaunchKernelEx(&config, name<8>, a, b), whose call is at `at`; also of the variable that
// the kernel is put into.
std::optional<LaunchPlace> call_that_launches(const Tokens& tokens, std::size_t at,
                                              std::string_view name) {
  const bool has_config = tokens[at].is("cudaLaunchKernelEx");
  const bool is_call = has_config || tokens[at].is("cudaLaunchKernel") ||
                       tokens[at].is("cudaLaunchCooperativeKernel");
  if (!is_call || !tokens[at + 1].is("(")) return std::nullopt;
  const std::vector<TokenRange> parts = pieces_from(tokens, at + 2);
  if (parts.size() < (has_config ? 2U : 4U)) return std::nullopt;
  TokenRange kernel = parts[has_config ? 1 : 0];
  while (kernel.last > kernel.first + 1 && tokens[kernel.last - 1].is(")")) --kernel.last;
  const auto named = [&](const TokenRange& range) {
    std::size_t i = range.first;
    while (i < range.last && !tokens[i].is(name)) ++i;
    return i;
  };
  std::size_t found = named(kernel);
  if (found == kernel.last && kernel.last > kernel.first) {  // auto k = name<8>;
    const std::string_view variable = tokens[kernel.last - 1].text;
    for (std::size_t i = at; found == kernel.last && i-- > 0;) {
      if (!tokens[i].is(variable) || !tokens[i + 1].is("=")) continue;
      const TokenRange value = pieces_from(tokens, i + 2).front();
      if (named(value) == value.last) return std::nullopt;
      kernel = {kernel.first, value.last};
      found = named(value);
    }
  }
  if (found >= kernel.last) return std::nullopt;
  LaunchPlace place{{found + 1, kernel.last}, at, {}, {}, {}, {}};
  if (!has_config) {
    place.grid = parts[1];
    place.block = parts[2];
    place.arguments = pointed_to(tokens, parts[3], at);
    if (parts.size() > 4) place.shared = parts[4];
    return place;
  }
  const std::string_view config = tokens[parts[0].last - 1].text;
  place.grid = member_value(tokens, config, "gridDim", at);
  place.block = member_value(tokens, config, "blockDim", at);
  place.shared = member_value(tokens, config, "dynamicSmemBytes", at);
  place.arguments.assign(parts.begin() + 2, parts.end());
  return place;
}

// The template arguments of a kernel that is handed to a function, which may launch it, or put into
// a variable: launch(name<8>, ...), auto k = name<8>;
std::optional<TokenRange> instance_named(const Tokens& tokens, std::size_t at) {
  const bool begins = tokens[at - 1].is("=") || tokens[at - 1].is("(") || tokens[at - 1].is(",") ||
                      tokens[at - 1].is("&") || tokens[at - 1].is(")");
  if (!begins || !tokens[at + 1].is("<")) return std::nullopt;
  int depth = 0;
  for (std::size_t i = at + 1; i + 1 < tokens.size() && !tokens[i].is(";"); ++i) {
    depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
    if (depth > 0) continue;
    const CudaToken& next = tokens[i + 1];
    const bool ends = next.is(";") || next.is(",") || next.is(")");
    return ends ? std::optional(TokenRange{at + 1, i + 1}) : std::nullopt;
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

// Whether `range` is a name that a for before it in the same function counts with.
bool is_counter(const Tokens& tokens, const HostCode& code, const TokenRange& range) {
  if (range.last != range.first + 1) return false;
  for (std::size_t i = range.first; i-- > code.names().begin_of(range.first) + 3;) {
    const bool is_set = tokens[i].is(tokens[range.first].text) && tokens[i + 1].is("=");
    if (!is_set) continue;
    const std::size_t open = tokens[i - 1].is("(") ? i - 1 : i - 2;
    return tokens[open].is("(") && tokens[open - 1].is("for");
  }
  return false;
}

HostLaunch read_launch(const Tokens& tokens, const ParameterSet& constants, const HostCode& code,
                       const LaunchPlace& place) {
  const std::size_t at = place.at;
  HostLaunch launch;
  for (const TokenRange& argument : place.arguments) {
    const std::size_t first = code.behind_cast(argument.first, argument.last);
    launch.arguments.push_back(joined(tokens, first, argument.last));
    launch.argument_values.push_back(code.number(argument, at));
    launch.argument_counts.push_back(is_counter(tokens, code, argument));
    launch.argument_bytes.push_back(code.allocated_bytes(argument, at));
    launch.argument_members.push_back(members_of(code, argument, at));
  }
  const std::set<std::string> handed = handed_names(launch.arguments);
  for (const TokenRange& argument : place.arguments) {
    std::set<std::string> others = handed;
    others.erase(launch.arguments[launch.argument_texts.size()]);
    launch.argument_texts.push_back(code.text(argument, at, others));
    const bool is_number = launch.argument_bytes[launch.argument_texts.size() - 1].has_value();
    launch.argument_bytes_texts.push_back(is_number ? std::string()
                                                    : code.allocated_text(argument, at, handed));
  }
  if (place.block.last > place.block.first) {
    launch.block_text = code.extents(place.block, at);
    launch.block = block_of(launch.block_text, constants);
    if (!launch.block) launch.block_names = names_of(launch.block_text);
    const bool is_name = place.block.last == place.block.first + 1;  // of a number: its block is x
    if (!launch.block && launch.block_names.empty() && is_name) {
      launch.block_names.emplace_back(tokens[place.block.first].text);
    }
    if (!launch.block || std::ranges::none_of(launch.block_text, names_constants)) {
      launch.block_text.clear();
    }
  }
  if (place.grid.last > place.grid.first) launch.grid_text = code.extents(place.grid, at, handed);
  if (place.shared.last > place.shared.first) {
    const std::string text = code.text(place.shared, at);
    const auto bytes = evaluate_expression(text, constants);
    if (bytes && *bytes >= 0 && *bytes <= 1 << 20) {
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*bytes);
      if (names_constants(text)) launch.dynamic_shared_text = text;
    } else {
      launch.shared_text = code.text(place.shared, at, handed);
    }
  }
  return launch;
}

// The launches of a kernel by host code; by device code, where there are no others.
struct NamedLaunch {
  std::size_t name = 0;  // the token
  LaunchPlace place;
};
std::vector<NamedLaunch> launches_of(const Tokens& tokens, std::string_view name) {
  const std::vector<Declaration> declarations = find_declarations(tokens);
  std::vector<NamedLaunch> by_host;
  std::vector<NamedLaunch> by_device;
  for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
    auto place = tokens[i].is(name) ? launch_of(tokens, i) : call_that_launches(tokens, i, name);
    if (!place) continue;
    const bool is_device = std::ranges::any_of(declarations, [&](const Declaration& one) {
      return one.is_device && one.first <= i && i < one.last;
    });
    (is_device ? by_device : by_host).push_back({i, *std::move(place)});
  }
  return by_host.empty() ? by_device : by_host;
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
  // A launch by the host comes first: one by a kernel continues what the host has started.
  for (const auto& [at, place] : launches_of(tokens, name)) {
    ParameterSet names = lasting != nullptr ? *lasting : constants;
    // A name of the kernel's template means what the template is given.
    const std::string given =
        HostCode(tokens, constants, names).template_text(place.template_arguments, at);
    for (const TemplateParameter& parameter : parameters) names.erase(parameter.name);
    for (const SourceNumber& number : template_numbers(source, kernel + given)) {
      names[number.name] = number.value;
    }
    ParameterSet known = names;  // they are what is meant, whatever an #ifdef has for the name
    known.insert(constants.begin(), constants.end());
    const HostCode code(tokens, constants, names);
    HostLaunch launch = read_launch(tokens, known, code, place);
    launch.template_arguments = given;
    if (launch.block && !code.is_ruled_out(at) && !warms_up(launch)) return launch;
    if (!first) first = std::move(launch);
  }
  if (first) return *std::move(first);
  HostLaunch launch;
  const HostCode code(tokens, constants, lasting != nullptr ? *lasting : constants);
  for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
    const auto named = tokens[i].is(name) ? instance_named(tokens, i) : std::nullopt;
    if (!named) continue;
    std::string arguments = code.template_text(*named, i);
    if (arguments.find("decltype") != std::string::npos) continue;  // of names that are not here
    launch.template_arguments = std::move(arguments);
    break;
  }
  return launch;
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
      const bool launches = i > 0 && ((tokens[i].is(name) && launch_of(tokens, i).has_value()) ||
                                      call_that_launches(tokens, i, name).has_value());
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

namespace {

// Of "image.width" the width.
std::string member_path(const ParameterText& parameter) {
  return parameter.name.substr(parameter.name.find('.') + 1);
}

}  // namespace

std::optional<std::uint32_t> HostLaunch::extent_of(const std::string& name,
                                                   const Dim3& chosen) const {
  const auto found = std::ranges::find(block_names, name);
  if (name.empty() || found == block_names.end()) return std::nullopt;
  const std::array<std::uint32_t, 3> extents{chosen.x, chosen.y, chosen.z};
  return extents.at(static_cast<std::size_t>(found - block_names.begin()));
}

std::int64_t handed_bytes(const ParameterText& parameter, std::size_t position,
                          const HostLaunch& launched) {
  if (position >= launched.argument_bytes.size()) return 0;
  if (!parameter.member) return launched.argument_bytes[position].value_or(0);
  const auto& members = launched.argument_members[position].bytes;
  const auto found = members.find(member_path(parameter));
  return found != members.end() ? found->second : 0;
}

std::string handed_value(const ParameterText& parameter, std::size_t position,
                         const HostLaunch& launched) {
  if (position >= launched.argument_values.size()) return {};
  std::string value = launched.argument_values[position];
  if (parameter.member) {
    const auto& members = launched.argument_members[position].values;
    const auto found = members.find(member_path(parameter));
    value = found != members.end() ? found->second : std::string();
  }
  if (value.empty() || parameter.is_pointer || !parameter.element) return {};
  const bool real = value.find('.') != std::string::npos;
  const bool fits =
      !real && (!value.starts_with('-') || name_of(*parameter.element).front() != 'u');
  if (is_whole_number(*parameter.element)) return fits ? value : std::string();
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
    const std::vector<std::string> words = words_and_paths(launched.arguments[position]);
    const std::string given = words.size() == 1 ? words[0] : launched.arguments[position];
    if (given.empty() || given.front() < '0' || given.front() > '9') {
      handed_.emplace(given, parameter.name);
    }
  }
  // The block that is not known is the one that was chosen.
  const auto block = parse_extent("block", form.block, find_constants(tokenize(file.source)));
  for (const std::string& name : launched.block_names) {
    const auto extent = block ? launched.extent_of(name, *block) : std::nullopt;
    if (extent) handed_.emplace(name, std::to_string(*extent));
  }
  names_ = find_constants(tokenize(file.source), numbers_);
}

std::vector<std::string> words_and_paths(const std::string& host_text) {
  const Tokens tokens = tokenize(host_text);
  std::vector<std::string> words;
  bool continues = false;  // the word before it
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_arrow = tokens[i].is("-") && i + 1 < tokens.size() && tokens[i + 1].is(">");
    const bool is_member = !words.empty() && i > 0 && tokens[i - 1].kind == CudaTokenKind::kWord &&
                           (tokens[i].is(".") || is_arrow);
    if (is_member || continues) {
      words.back() += is_member ? "." : tokens[i].text;
    } else {
      words.emplace_back(tokens[i].text);
    }
    if (is_member && is_arrow) ++i;
    continues = is_member;
    // image.width() is one thing, as image.width is.
    const bool is_asked = i + 2 < tokens.size() && tokens[i + 1].is("(") && tokens[i + 2].is(")") &&
                          !continues && words.back().find('.') != std::string::npos;
    if (!is_asked) continue;
    words.back() += "()";
    i += 2;
  }
  return words;
}

HandedNumbers::Text HandedNumbers::read(const std::string& host_text) const {
  Text read;
  for (const std::string& written_word : words_and_paths(host_text)) {
    const auto name = handed_.find(written_word);
    const std::string word = name != handed_.end() ? name->second : written_word;
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

namespace {

bool names(const std::string& text, std::string_view name) {
  return std::ranges::any_of(tokenize(text),
                             [&](const CudaToken& token) { return token.is(name); });
}

// Buffers of as many elements as the host allocates for the numbers that the kernel is handed.
void size_buffers(const KernelSignature& signature, const HostLaunch& launched,
                  const HandedNumbers& handed, LaunchForm* form) {
  constexpr std::int64_t kLeastBytes = 256;  // less is of numbers that are not known
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    const auto type = parse_element_type(form->arguments[i].type);
    if (parameter.member || !parameter.is_pointer || !type ||
        position >= launched.argument_bytes_texts.size()) {
      continue;
    }
    const auto bytes = handed.read(launched.argument_bytes_texts[position]);
    if (!bytes.value || !bytes.follows_arguments) continue;
    if (*bytes.value < kLeastBytes || *bytes.value > kMostBytes) continue;
    const auto each = static_cast<std::int64_t>(size_of(*type));
    form->arguments[i].count = std::to_string(*bytes.value / each);
  }
}

constexpr std::int64_t kMostShared = 227 << 10;  // bytes of a block

// Halves the sizes that are guessed and not the file's own, the largest first, until a block can
// have the dynamic shared memory that the host computes of them.
void fit_shared(const KernelFile& file, const KernelSignature& signature,
                const HostLaunch& launched, LaunchForm* form) {
  constexpr std::int64_t kLeast = 32;
  for (;;) {
    const auto shared = HandedNumbers(file, signature, launched, *form).read(launched.shared_text);
    if (!shared.value || *shared.value <= kMostShared) return;
    ArgumentForm* largest = nullptr;
    ParameterIndex index;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
      const ParameterText& parameter = signature.parameters[i];
      ArgumentForm& argument = form->arguments[i];
      const std::uint32_t position = index.next(parameter.member);
      const bool is_guessed = !argument.is_buffer && argument.follows.empty() &&
                              handed_value(parameter, position, launched).empty() &&
                              names(shared.text, parameter.name);
      if (!is_guessed || std::stoll(argument.value) <= kLeast) continue;
      if (largest == nullptr || std::stoll(argument.value) > std::stoll(largest->value)) {
        largest = &argument;
      }
    }
    if (largest == nullptr) return;
    largest->value = std::to_string(std::stoll(largest->value) / 2);
    follow_others(form);
  }
}

}  // namespace

void derive_arguments(const KernelFile& file, const KernelSignature& signature,
                      const HostLaunch& launched, LaunchForm* form) {
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
    // The host passes n / 4 as the parameter n: its own n is another number, so this is no rule.
    const bool is_part = names(text.numbers, parameter.name);
    const bool computed = text.follows_arguments && !is_part && text.value;
    if (computed) form->arguments[i].follows = text.numbers;
  }
  follow_others(form);
  fit_shared(file, signature, launched, form);
  const HandedNumbers now(file, signature, launched, *form);
  size_buffers(signature, launched, now, form);
  if (launched.shared_text.empty()) return;
  const auto shared = now.read(launched.shared_text);
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
    if (!value && read.follows_arguments) return {};  // of something that is not known
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
  const bool is_one_thread = blocks == 1 && bound.threads == 1;
  const bool follows =
      follows_arguments || follows_constants || are_things || is_one_thread || bound.numbers_count;
  return fits && follows ? grid : std::string();
}

}  // namespace tilescope
