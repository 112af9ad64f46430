#include "kernel/launch/source_parameters.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/number_text.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/size_names.h"
#include "kernel/source/source_numbers.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

constexpr std::int64_t kOffered = 8;  // from an eighth to eight times the default
constexpr std::int64_t kLargest = std::int64_t{1} << 30;

std::vector<std::int64_t> offered_values(std::int64_t value) {
  std::vector<std::int64_t> values{value};
  if (value < 0 || value > kLargest) return values;
  if (value == 0) values.push_back(1);
  if (value == 1) values.push_back(0);
  for (std::int64_t power = 1; power <= std::max<std::int64_t>(value, 1) * kOffered; power *= 2) {
    if (power * kOffered >= value) values.push_back(power);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// NAME=VALUE with a whole number.
std::optional<std::pair<std::string, std::int64_t>> number_of(std::string_view define) {
  const std::size_t sign = define.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  const auto value = parse_number<std::int64_t>(define.substr(sign + 1));
  if (!value) return std::nullopt;
  return std::pair{std::string(define.substr(0, sign)), *value};
}

// The name of a macro that a define gives a value which is no whole number; empty: a number.
std::string_view text_macro(std::string_view define) {
  return number_of(define) ? std::string_view{} : define.substr(0, define.find('='));
}

bool is_whole(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

ParameterSpec offered(std::string name, std::int64_t value, std::string meaning) {
  ParameterSpec spec;
  spec.name = std::move(name);
  spec.meaning = std::move(meaning);
  spec.default_value = value;
  spec.values = offered_values(value);
  return spec;
}

// The words of a directive; none: the token is something else.
std::vector<CudaToken> directive(const CudaToken& token) {
  if (token.kind != CudaTokenKind::kDirective) return {};
  return tokenize(token.text.substr(1));
}

// #ifndef TILE, #define TILE 16, #endif: with more between them, what else stands there would go
// when the compiler is given the macro.
std::vector<ParameterSpec> open_macros(const std::string& source) {
  std::vector<ParameterSpec> parameters;
  const std::vector<CudaToken> tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const std::vector<CudaToken> guard = directive(tokens[i]);
    if (guard.size() != 2 || !guard[0].is("ifndef")) continue;
    const std::vector<CudaToken> define = directive(tokens[i + 1]);
    const std::vector<CudaToken> end = directive(tokens[i + 2]);
    if (define.size() < 3 || !define[0].is("define") || !define[1].is(guard[1].text) ||
        end.empty() || !end[0].is("endif")) {
      continue;
    }
    const auto value = constants.find(std::string(guard[1].text));
    if (value == constants.end()) continue;
    parameters.push_back(
        offered(value->first, value->second, "A macro of the file, set as -D does"));
  }
  return parameters;
}

// What a constant that the host fills is, going by its name; nullopt: that tells nothing.
std::optional<std::int64_t> size_of_constant(const KernelFile& file, const std::string& name) {
  constexpr std::int64_t kEdge = 1024;
  constexpr std::int64_t kLine = 1 << 20;
  ParameterText constant;
  constant.element = ElementType::kI32;
  const std::string plain = name.substr(0, name.rfind('_'));  // width_c, width_gpu
  for (const std::string& one : {name, plain}) {
    constant.name = one;
    if (const auto usual = usual_extent(constant)) return *usual;
    if (!is_size(constant)) continue;
    return file.source.find("threadIdx.y") != std::string::npos ? kEdge : kLine;
  }
  return std::nullopt;
}

bool is_ptx(const KernelFile& file) { return file.path.ends_with(".ptx"); }

// Where the numbers of the parameters stand. A name has one place: an open macro hides the others,
// a parameter of the template what the file calls so.
struct Places {
  std::vector<ParameterSpec> macros;
  std::vector<SourceNumber> in_name;
  std::vector<SourceNumber> in_source;  // in their order
};
Places places_of(const KernelFile& file, const std::string& kernel) {
  Places places;
  if (is_ptx(file)) return places;
  places.macros = open_macros(file.source);
  places.in_name = template_numbers(file.source, kernel);
  places.in_source = source_numbers(file.source);
  for (SourceNumber& number : missing_numbers(file.source)) {
    if (size_of_constant(file, number.name)) places.in_source.push_back(std::move(number));
  }
  std::ranges::sort(places.in_source, {}, &SourceNumber::first);
  const auto is_macro = [&](const SourceNumber& number) {
    return std::ranges::find(places.macros, number.name, &ParameterSpec::name) !=
           places.macros.end();
  };
  std::erase_if(places.in_name, is_macro);
  std::erase_if(places.in_source, [&](const SourceNumber& number) {
    return is_macro(number) || std::ranges::find(places.in_name, number.name,
                                                 &SourceNumber::name) != places.in_name.end();
  });
  return places;
}

}  // namespace

std::vector<ParameterSpec> source_parameters(const KernelFile& file, const std::string& kernel) {
  Places places = places_of(file, kernel);
  std::vector<ParameterSpec> parameters = std::move(places.macros);
  for (const SourceNumber& number : places.in_name) {
    parameters.push_back(
        offered(number.name, number.value, "A number that the kernel's template is given"));
  }
  for (const SourceNumber& number : places.in_source) {
    parameters.push_back(
        number.is_missing ? offered(number.name, size_of_constant(file, number.name).value_or(0),
                                    std::string(kFilledByHost))
                          : offered(number.name, number.value, "A number that the file defines"));
  }
  return parameters;
}

std::string with_template_number(const KernelFile& file, const std::string& kernel,
                                 const std::string& name, std::int64_t value) {
  return with_numbers(kernel, places_of(file, kernel).in_name, {{name, value}});
}

std::string with_parameters(const KernelFile& file, const std::string& kernel,
                            const ParameterSet& parameters) {
  if (parameters.empty()) return file.source;
  return with_numbers(file.source, places_of(file, kernel).in_source, parameters);
}

void set_parameters(const KernelFile& file, const LaunchText& launch, KernelInstance* instance) {
  const Places places = places_of(file, instance->kernel);
  instance->parameters = given_parameters(file, launch);
  instance->source = with_numbers(file.source, places.in_source, instance->parameters);
  instance->kernel = with_numbers(instance->kernel, places.in_name, instance->parameters);
  for (const ParameterSpec& macro : places.macros) {
    const auto value = instance->parameters.find(macro.name);
    if (value == instance->parameters.end()) continue;
    instance->defines.push_back(macro.name + "=" + std::to_string(value->second));
  }
  std::ranges::copy_if(launch.defines, std::back_inserter(instance->defines),
                       [&](const std::string& define) {
                         return !instance->parameters.contains(define.substr(0, define.find('=')));
                       });
}

ParameterSet given_parameters(const KernelFile& file, const LaunchText& launch) {
  ParameterSet values;
  for (const ParameterSpec& spec : source_parameters(file, launch.kernel)) {
    values[spec.name] = spec.default_value;
    for (const std::string& define : launch.defines) {
      const auto given = number_of(define);
      if (given && given->first == spec.name) values[spec.name] = given->second;
      if (text_macro(define) == spec.name)
        values.erase(spec.name);  // the compiler gets it as it is
    }
    const auto set = launch.parameters.find(spec.name);
    if (set != launch.parameters.end()) values[spec.name] = set->second;
  }
  return values;
}

ParameterSet launch_names(const KernelFile& file, const LaunchText& launch,
                          const std::vector<Argument>& arguments) {
  // The kernel's arguments hide what the file calls so, in its kernel as here.
  ParameterSet names;
  for (const Argument& argument : arguments) {
    if (argument.is_pointer || !is_whole(argument.type)) continue;
    names.try_emplace(argument.name, static_cast<std::int64_t>(argument.bits));
  }
  names.merge(given_parameters(file, launch));
  for (const std::string& define : launch.defines) {
    if (auto given = number_of(define)) names.insert(*std::move(given));
  }
  if (!is_ptx(file)) names = find_constants(tokenize(file.source), std::move(names));
  for (const std::string& define : launch.defines) {
    const std::string name(text_macro(define));
    if (!launch.parameters.contains(name)) names.erase(name);
  }
  return names;
}

}  // namespace tilescope
