#include "kernel/host/launch_site.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/launch_limits.h"
#include "kernel/host/host_code.h"
#include "kernel/host/host_members.h"
#include "kernel/source/conditional_text.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/template_arguments.h"
#include "kernel/source/type_names.h"
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
std::set<std::string> handed_names(const std::vector<HandedArgument>& arguments) {
  std::set<std::string> names;
  for (const HandedArgument& argument : arguments) {
    if (is_name(argument.written)) names.insert(argument.written);
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
bool warms_up(const LaunchSite& launch) {
  const auto ones = std::ranges::count(launch.arguments, "1", &HandedArgument::value);
  const auto known = std::ranges::count_if(
      launch.arguments, [](const HandedArgument& argument) { return !argument.value.empty(); });
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

std::vector<HandedArgument> read_arguments(const Tokens& tokens, const HostCode& code,
                                           const LaunchPlace& place) {
  std::vector<HandedArgument> arguments;
  for (const TokenRange& range : place.arguments) {
    HandedArgument argument;
    argument.written = joined(tokens, code.behind_cast(range.first, range.last), range.last);
    argument.value = code.number(range, place.at);
    argument.counts = is_counter(tokens, code, range);
    argument.bytes = code.allocated_bytes(range, place.at);
    argument.members = members_of(code, range, place.at);
    arguments.push_back(std::move(argument));
  }
  const std::set<std::string> handed = handed_names(arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::set<std::string> others = handed;
    others.erase(arguments[i].written);
    arguments[i].text = code.text(place.arguments[i], place.at, others);
    if (arguments[i].bytes) continue;
    arguments[i].bytes_text = code.allocated_text(place.arguments[i], place.at, handed);
  }
  return arguments;
}

LaunchSite read_launch(const Tokens& tokens, const ParameterSet& constants, const HostCode& code,
                       const LaunchPlace& place) {
  const std::size_t at = place.at;
  LaunchSite launch;
  launch.arguments = read_arguments(tokens, code, place);
  const std::set<std::string> handed = handed_names(launch.arguments);
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

LaunchSite find_launch_site(const std::string& source, const std::string& kernel,
                            const ParameterSet* lasting) {
  const Tokens all = tokenize(source);
  const Tokens tokens = with_plain_lists(all);
  const std::size_t colons = kernel.rfind("::");
  const std::string name = colons == std::string::npos ? kernel : kernel.substr(colons + 2);
  const ParameterSet constants =
      find_constants(all, lasting != nullptr ? *lasting : ParameterSet{});
  const std::vector<TemplateParameter> parameters = template_parameters(source, kernel);
  std::optional<LaunchSite> first;
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
    LaunchSite launch = read_launch(tokens, known, code, place);
    launch.template_arguments = given;
    if (launch.block && !code.is_ruled_out(at) && !warms_up(launch)) return launch;
    if (!first) first = std::move(launch);
  }
  if (first) return *std::move(first);
  LaunchSite launch;
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

namespace {

// Of "image.width" the width.
std::string member_path(const ParameterText& parameter) {
  return parameter.name.substr(parameter.name.find('.') + 1);
}

}  // namespace

std::optional<std::uint32_t> LaunchSite::extent_of(const std::string& name,
                                                   const Dim3& chosen) const {
  const auto found = std::ranges::find(block_names, name);
  if (name.empty() || found == block_names.end()) return std::nullopt;
  const std::array<std::uint32_t, 3> extents{chosen.x, chosen.y, chosen.z};
  return extents.at(static_cast<std::size_t>(found - block_names.begin()));
}

const HandedArgument& LaunchSite::argument(std::size_t position) const {
  static const HandedArgument kNone;
  return position < arguments.size() ? arguments[position] : kNone;
}

std::vector<std::string> LaunchSite::written_arguments() const {
  std::vector<std::string> written;
  for (const HandedArgument& one : arguments) written.push_back(one.written);
  return written;
}

std::int64_t handed_bytes(const ParameterText& parameter, std::size_t position,
                          const LaunchSite& launched) {
  const HandedArgument& argument = launched.argument(position);
  if (!parameter.member) return argument.bytes.value_or(0);
  const auto& members = argument.members.bytes;
  const auto found = members.find(member_path(parameter));
  return found != members.end() ? found->second : 0;
}

std::string handed_value(const ParameterText& parameter, std::size_t position,
                         const LaunchSite& launched) {
  const HandedArgument& argument = launched.argument(position);
  std::string value = argument.value;
  if (parameter.member) {
    const auto& members = argument.members.values;
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

}  // namespace tilescope
