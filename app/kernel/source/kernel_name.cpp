#include "kernel/source/kernel_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "core/text.h"
#include "kernel/source/type_names.h"
#include "ptx/parser.h"

namespace tilescope {
namespace {

struct Kernel {
  std::string name;  // qualified
  bool is_template = false;
  int definitions = 0;
  std::set<std::string> parameters;  // parameters_in_short() of each declaration
};

// What tells the parameters of two declarations of a kernel apart, without their names: built-in
// types, * and commas.
std::string parameters_in_short(const DeviceSource& file, const Declaration& declaration) {
  static const std::set<std::string_view> kTold{"char",     "short",  "int",  "long", "float",
                                                "unsigned", "double", "bool", "*",    ","};
  std::string text;
  int depth = 0;
  bool is_list = false;
  const std::vector<CudaToken>& tokens = file.tokens();
  for (std::size_t i = declaration.first; i < declaration.last; ++i) {
    if (depth == 0 && tokens[i].is("(") && i > 0) is_list = tokens[i - 1].is(declaration.name);
    depth += tokens[i].is("(") ? 1 : tokens[i].is(")") ? -1 : 0;
    if (is_list && kTold.contains(tokens[i].text)) text += std::string(tokens[i].text) + " ";
    if (is_list && depth == 0) break;
  }
  return text;
}

std::string qualified(const Declaration& declaration) {
  return declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
}

std::vector<Kernel> find_all(const std::vector<DeviceSource>& files) {
  std::vector<Kernel> kernels;
  for (const DeviceSource& file : files) {
    for (const Declaration& declaration : file.declarations()) {
      if (!declaration.is_kernel || declaration.name.empty()) continue;
      const std::string name = qualified(declaration);
      auto known = std::ranges::find(kernels, name, &Kernel::name);
      if (known == kernels.end()) known = kernels.insert(known, {name, false, 0, {}});
      known->is_template = known->is_template || declaration.is_template;
      if (declaration.kind == Declaration::Kind::kFunction) ++known->definitions;
      known->parameters.insert(parameters_in_short(file, declaration));
    }
  }
  return kernels;
}

std::string_view last_part(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

// Template arguments with which the files launch a kernel: "<128, 8>" of scale<128, 8><<<...>>>.
std::set<std::string> launched_arguments(const std::vector<DeviceSource>& files,
                                         std::string_view kernel) {
  std::set<std::string> found;
  for (const DeviceSource& file : files) {
    const std::vector<CudaToken> tokens = tokenize(file.original());
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is(last_part(kernel)) || !tokens[i + 1].is("<")) continue;
      std::size_t end = i + 2;
      while (end + 3 < tokens.size() && !(tokens[end].is(">") && tokens[end + 1].is("<") &&
                                          tokens[end + 2].is("<") && tokens[end + 3].is("<"))) {
        if (tokens[end].is(";") || tokens[end].is("{")) break;
        ++end;
      }
      if (end + 3 >= tokens.size() || !tokens[end].is(">")) continue;
      const char* first = tokens[i + 1].text.data();
      found.insert(std::string(first, tokens[end].text.data() + 1));
    }
  }
  return found;
}

// Template arguments that mean the same outside the function that launches: numbers and built-in
// types.
bool is_literal(const std::string& arguments) {
  static const std::set<std::string_view> built_in = {
      "float", "double", "int",    "unsigned", "char",   "short",  "long",
      "true",  "false",  "signed", "bool",     "float2", "float4", "half"};
  return std::ranges::all_of(tokenize(arguments), [](const CudaToken& token) {
    return token.kind != CudaTokenKind::kWord || built_in.contains(token.text);
  });
}

Error ambiguous(std::string_view what, const std::vector<std::string>& names) {
  return {ErrorCode::kUsage,
          fmt::format("{}: {}", what, fmt::join(names, ", ")),
          "Name one with --kernel",
          {}};
}

Result<KernelChoice> choose_template(const std::vector<DeviceSource>& files, const Kernel& kernel,
                                     bool only_one) {
  const std::set<std::string> launched = launched_arguments(files, kernel.name);
  if (only_one && launched.size() == 1 && is_literal(*launched.begin())) {
    return KernelChoice{kernel.name + *launched.begin(), ""};
  }
  std::vector<std::string> instances;
  instances.reserve(launched.size() + 1);
  for (const std::string& arguments : launched) instances.push_back(kernel.name + arguments);
  if (instances.empty()) instances.push_back(kernel.name + "<...>");
  return Error{ErrorCode::kUsage,
               fmt::format("{} is a template and needs its arguments", kernel.name),
               fmt::format("Name an instance with --kernel, as {}", joined(instances, " or ")),
               {files.front().name(), 0, 0}};
}

}  // namespace

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return name;
  std::string plain(text.get());
  for (std::size_t tag = plain.find("[abi:"); tag != std::string::npos;
       tag = plain.find("[abi:", tag))
    plain.erase(tag, plain.find(']', tag) - tag + 1);
  return plain;
}

namespace {
constexpr std::string_view kUnnamed = "(anonymous namespace)";
}  // namespace

std::string name_without_parameters(const std::string& name) {
  const std::string whole = demangle(name);
  std::string_view plain = whole;
  int angles = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const char c = whole[at];
    if (c == '<') ++angles;
    if (c == '>') --angles;
    if (c != '(' || angles > 0) continue;
    if (plain.substr(at).starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
      continue;
    }
    plain = plain.substr(0, at);
    break;
  }
  if (plain.starts_with("void ")) plain.remove_prefix(5);
  return std::string(plain);
}

namespace {

// Takes a C++ name up to a comma or bracket of whoever holds it, and leaves its qualifiers out.
std::string take_unqualified(std::string_view& rest, std::size_t most) {
  std::string name;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == ',' || c == '>' || c == ')' || c == '}') break;
    rest.remove_prefix(1);
    if (c == ':' && rest.starts_with(':')) {
      rest.remove_prefix(1);
      name.clear();
    } else if (c == '<') {
      std::string arguments;
      bool is_cut = false;
      while (!rest.empty() && rest.front() != '>') {
        const std::string one(trimmed(take_unqualified(rest, most / 2)));
        if (!rest.empty() && rest.front() != '>') rest.remove_prefix(1);
        if (is_cut) continue;
        is_cut = name.size() + arguments.size() + one.size() + 4 > most;
        arguments += (arguments.empty() ? "" : ", ") + (is_cut ? "…" : one);
      }
      if (!rest.empty()) rest.remove_prefix(1);
      name += "<" + arguments + ">";
    } else if (c == '(' || c == '{') {  // parameters of a function; a lambda
      const char end = c == '(' ? ')' : '}';
      while (!rest.empty() && rest.front() != end) {
        (void)take_unqualified(rest, most);
        if (!rest.empty() && rest.front() != end) rest.remove_prefix(1);
      }
      if (!rest.empty()) rest.remove_prefix(1);
      name += c == '(' ? "()" : "lambda";
    } else {
      name += c;
    }
  }
  return name;
}

}  // namespace

std::string short_name(const std::string& name, std::size_t most) {
  const std::string whole = name_without_parameters(name);
  std::string_view rest = whole;
  return take_unqualified(rest, most);
}

std::vector<std::string> kernel_names(const std::vector<DeviceSource>& files) {
  std::vector<std::string> names;
  for (Kernel& kernel : find_all(files)) names.push_back(std::move(kernel.name));
  return names;
}

Result<KernelChoice> choose_kernel(const std::vector<DeviceSource>& files,
                                   std::string_view wanted) {
  const std::vector<Kernel> kernels = find_all(files);
  const std::string& file = files.front().name();
  if (wanted.starts_with("_Z")) return KernelChoice{"", std::string(wanted), {}, true};
  const std::size_t angle = wanted.find('<');
  const std::string_view base = wanted.substr(0, angle);

  std::vector<const Kernel*> candidates;
  for (const Kernel& kernel : kernels) {
    const bool matches =
        wanted.empty() || kernel.name == base || kernel.name.ends_with(fmt::format("::{}", base));
    if (matches) candidates.push_back(&kernel);
  }
  if (candidates.empty() && wanted.empty()) {
    return Error{
        ErrorCode::kUsage, "there is no __global__ function in the file", "", {file, 0, 0}};
  }
  // A kernel that a macro makes is not seen here; the compiler will know.
  if (candidates.empty()) return KernelChoice{std::string(wanted), ""};
  if (candidates.size() > 1) {
    std::vector<std::string> names;
    names.reserve(candidates.size());
    for (const Kernel* candidate : candidates) names.push_back(candidate->name);
    Error error = ambiguous("the file has several kernels", names);
    error.place.file = file;
    return error;
  }
  const Kernel& kernel = *candidates.front();
  if (angle != std::string_view::npos) {
    return KernelChoice{kernel.name + std::string(wanted.substr(angle)), ""};
  }
  if (kernel.is_template) return choose_template(files, kernel, wanted.empty());
  const bool is_overloaded = kernel.definitions > 1 || kernel.parameters.size() > 1;
  if (is_overloaded) return KernelChoice{"", kernel.name, {}, true};
  return KernelChoice{kernel.name, "", {}, true};
}

std::vector<std::string> find_entries(std::string_view ptx) {
  std::vector<std::string> names;
  for (const PtxFunction& function : read_what_is_ptx(ptx, PtxBodies::kSkip).functions) {
    if (function.is_entry) names.push_back(function.name);
  }
  return names;
}

namespace {

// As host code names it: what is in a namespace without a name needs none of that.
std::string name_in_code(const std::string& entry) {
  constexpr std::string_view kUnnamedQualifier = "(anonymous namespace)::";
  std::string name = name_without_parameters(entry);
  for (std::size_t at = name.find(kUnnamedQualifier); at != std::string::npos;
       at = name.find(kUnnamedQualifier))
    name.erase(at, kUnnamedQualifier.size());
  return name;
}

}  // namespace

std::optional<std::string> exact_entry(const std::vector<std::string>& entries,
                                       std::string_view wanted) {
  std::optional<std::string> exact;
  for (const std::string& entry : entries) {
    if (name_in_code(entry) != wanted) continue;
    if (exact) return std::nullopt;
    exact = entry;
  }
  return exact;
}

namespace {

// Of "ns::scale(float const*, int)": "float*", "int".
std::vector<std::string> parameter_types(const std::string& entry) {
  const std::string whole = demangle(entry);
  const std::size_t open =
      name_without_parameters(entry).size() + whole.find(name_without_parameters(entry));
  std::vector<std::string> types;
  if (open >= whole.size() || whole[open] != '(') return types;
  std::string type;
  int depth = 0;
  for (const CudaToken& token : tokenize(std::string_view(whole).substr(open + 1))) {
    const bool ends = depth == 0 && (token.is(",") || token.is(")"));
    depth += token.is("(") || token.is("<") ? 1 : token.is(")") || token.is(">") ? -1 : 0;
    if (ends && !type.empty()) types.push_back(std::exchange(type, {}));
    if (ends || token.is("const") || token.is("volatile")) continue;
    const bool apart = !type.empty() && type.back() != '*' && is_word(token);
    type += (apart ? " " : "") + std::string(token.text);
  }
  return types;
}

bool takes(const std::string& entry, const std::vector<std::string>& arguments) {
  const std::vector<std::string> types = parameter_types(entry);
  if (types.size() != arguments.size()) return false;
  const auto fits = [](const std::string& type, const std::string& argument) {
    if (argument.empty()) return true;
    if (type.ends_with('*') != argument.ends_with('*')) return false;
    const bool is_pointer = type.ends_with('*');
    const auto of = is_pointer ? element_type(type.substr(0, type.size() - 1)) : number_type(type);
    const std::string_view plain =
        std::string_view(argument).substr(0, argument.size() - (is_pointer ? 1 : 0));
    return !of || name_of(*of) == plain;
  };
  return std::ranges::equal(types, arguments, fits);
}

}  // namespace

Result<std::string> choose_entry(const std::vector<std::string>& entries, std::string_view wanted,
                                 const std::vector<std::string>& arguments) {
  if (std::ranges::find(entries, wanted) != entries.end()) return std::string(wanted);
  if (auto exact = exact_entry(entries, wanted)) return *std::move(exact);
  std::vector<std::string> matches;
  for (const std::string& entry : entries) {
    const std::string plain = name_in_code(entry);
    if (wanted.empty() || plain == wanted || last_part(plain) == wanted) matches.push_back(entry);
  }
  if (!arguments.empty() && matches.size() > 1 &&
      std::ranges::count_if(
          matches, [&](const std::string& match) { return takes(match, arguments); }) == 1) {
    std::erase_if(matches, [&](const std::string& match) { return !takes(match, arguments); });
  }
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    std::vector<std::string> names;
    for (const std::string& match : matches) {
      const std::string name = demangle(match);
      names.push_back(name == match ? match : fmt::format("{} ({})", match, name));
    }
    return ambiguous("there are several kernels", names);
  }
  if (entries.empty()) return Error{ErrorCode::kUsage, "there is no kernel in the file", "", {}};
  return Error{ErrorCode::kUsage,
               fmt::format("there is no kernel {}", wanted),
               did_you_mean(wanted, entries),
               {}};
}

}  // namespace tilescope
