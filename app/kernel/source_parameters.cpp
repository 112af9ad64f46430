#include "kernel/source_parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "kernel/cuda_lexer.h"
#include "kernel/kernel_signature.h"

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
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

// NAME=VALUE with a whole number.
std::optional<std::pair<std::string, std::int64_t>> number_of(std::string_view define) {
  const std::size_t sign = define.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* end = define.data() + define.size();
  const auto [read, failure] = std::from_chars(define.data() + sign + 1, end, value);
  if (failure != std::errc{} || read != end) return std::nullopt;
  return std::pair{std::string(define.substr(0, sign)), value};
}

// The name of a macro that a define gives a value which is no whole number; empty: a number.
std::string_view text_macro(std::string_view define) {
  return number_of(define) ? std::string_view{} : define.substr(0, define.find('='));
}

bool is_whole(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

}  // namespace

std::vector<ParameterSpec> source_parameters(const KernelFile& file) {
  std::vector<ParameterSpec> parameters;
  if (file.path.ends_with(".ptx")) return parameters;
  const std::vector<CudaToken> tokens = tokenize(file.source);
  const ParameterSet constants = find_constants(tokens);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != CudaTokenKind::kDirective ||
        tokens[i + 1].kind != CudaTokenKind::kDirective) {
      continue;
    }
    const std::vector<CudaToken> guard = tokenize(tokens[i].text.substr(1));
    const std::vector<CudaToken> define = tokenize(tokens[i + 1].text.substr(1));
    if (guard.size() != 2 || !guard[0].is("ifndef") || define.size() < 3 ||
        !define[0].is("define") || !define[1].is(guard[1].text)) {
      continue;
    }
    const auto value = constants.find(std::string(guard[1].text));
    if (value == constants.end()) continue;
    ParameterSpec spec;
    spec.name = value->first;
    spec.meaning = "A macro of the file, set as -D does";
    spec.default_value = value->second;
    spec.values = offered_values(value->second);
    parameters.push_back(std::move(spec));
  }
  return parameters;
}

ParameterSet given_parameters(const KernelFile& file, const LaunchText& launch) {
  ParameterSet values;
  for (const ParameterSpec& spec : source_parameters(file)) {
    std::optional<std::int64_t> value = spec.default_value;
    for (const std::string& define : launch.defines) {
      const auto given = number_of(define);
      if (given && given->first == spec.name) value = given->second;
      if (text_macro(define) == spec.name) value.reset();  // the compiler gets it as it is
    }
    const auto set = launch.parameters.find(spec.name);
    if (set != launch.parameters.end()) value = set->second;
    if (value) values[spec.name] = *value;
  }
  return values;
}

ParameterSet launch_names(const KernelFile& file, const LaunchText& launch,
                          const std::vector<Argument>& arguments) {
  ParameterSet names = given_parameters(file, launch);
  for (const std::string& define : launch.defines) {
    if (auto given = number_of(define)) names.insert(*std::move(given));
  }
  if (!file.path.ends_with(".ptx")) names = find_constants(tokenize(file.source), std::move(names));
  for (const std::string& define : launch.defines) {
    const std::string name(text_macro(define));
    if (!launch.parameters.contains(name)) names.erase(name);
  }
  for (const Argument& argument : arguments) {
    if (argument.is_pointer || !is_whole(argument.type)) continue;
    names.try_emplace(argument.name, static_cast<std::int64_t>(argument.bits));
  }
  return names;
}

}  // namespace tilescope
