#include "kernel/launch/launch_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/expression.h"
#include "core/number_text.h"
#include "kernel/launch/source_parameters.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

// "{i32:4, pad:4, f32[16]=zero}": what stands between the members is said, so that no rule of
// alignment is needed to read it.
std::string structure_text(std::span<const ArgumentForm> members) {
  std::string text;
  std::uint32_t offset = 0;
  std::uint32_t widest = 1;
  const auto pad_to = [&](std::uint32_t next) {
    if (next > offset) text += fmt::format("{}pad:{}", text.empty() ? "" : ", ", next - offset);
    offset = next;
  };
  for (const ArgumentForm& argument : members) {
    const auto type = parse_element_type(argument.type);
    const std::uint32_t bytes =
        argument.is_buffer || !type ? 8 : static_cast<std::uint32_t>(size_of(*type));
    if (rounded_up(offset, bytes) != argument.member->offset) pad_to(argument.member->offset);
    widest = std::max(widest, bytes);
    text += (text.empty() ? "" : ", ") + argument.text();
    offset = argument.member->offset + bytes;
  }
  const std::uint32_t whole = members.front().member->structure_bytes;
  if (rounded_up(offset, widest) != whole) pad_to(whole);
  return "{" + text + "}";
}

// A size of a million is no uint16_t.
void keep_in_range(ArgumentForm* argument) {
  const auto type = parse_element_type(argument->type);
  const bool is_narrow =
      !argument->is_buffer && type && is_whole_number(*type) && size_of(*type) < 4;
  if (!is_narrow) return;
  const auto value = evaluate_expression(argument->value, {});
  const std::int64_t range = std::int64_t{1} << (8 * size_of(*type));
  const std::int64_t most = name_of(*type).front() == 'u' ? range - 1 : range / 2 - 1;
  if (value && *value > most) argument->value = std::to_string(most);
}

}  // namespace

std::string ArgumentForm::text() const {
  if (!behind.empty()) return fmt::format("{}[{}]", structure_text(behind), count);
  if (is_buffer) return fmt::format("{}[{}]={}", type, count, fill);
  return fmt::format("{}:{}", type, value);
}

std::uint64_t element_bytes(const ArgumentForm& buffer) {
  if (!buffer.behind.empty()) return buffer.behind.front().member->structure_bytes;
  const auto type = parse_element_type(buffer.type);
  return type ? size_of(*type) : 0;
}

std::uint64_t bytes_of(const ArgumentForm& argument) {
  if (!argument.is_buffer) return 0;
  std::uint64_t each = element_bytes(argument);
  for (const ArgumentForm& member : argument.behind) each += bytes_of(member);
  return parse_number<std::uint64_t>(argument.count).value_or(0) * each;
}

std::uint64_t buffers_behind(const ArgumentForm& argument) {
  std::uint64_t each = 0;
  for (const ArgumentForm& member : argument.behind) {
    if (member.is_buffer) each += 1 + buffers_behind(member);
  }
  return parse_number<std::uint64_t>(argument.count).value_or(0) * each;
}

bool may_be_text(const ArgumentForm& argument) {
  if (!argument.is_buffer) return false;
  for (const CudaToken& word : tokenize(argument.declared)) {
    if (word.is("char")) return argument.declared.find("signed") == std::string::npos;
  }
  return false;
}

// Whole numbers that may serve as indices stay small.
std::string usual_contents(const ArgumentForm& buffer, std::size_t seed) {
  const auto type = parse_element_type(buffer.type);
  if (may_be_text(buffer)) return std::string(kLetters);
  return type && is_whole_number(*type) ? "ramp" : fmt::format("random:{}", seed);
}

void follow_others(LaunchForm* form) {
  ParameterSet numbers;
  for (const ArgumentForm& argument : form->arguments) {
    if (const auto value = evaluate_expression(argument.value, {})) {
      numbers[argument.name] = *value;
    }
  }
  for (ArgumentForm& argument : form->arguments) {
    if (argument.follows.empty()) continue;
    const auto value = evaluate_expression(argument.follows, numbers);
    if (value && *value > 0) argument.value = std::to_string(*value);
  }
  for (ArgumentForm& argument : form->arguments) keep_in_range(&argument);
}

LaunchForm with_parameter(LaunchForm form, const KernelFile& file, const ParameterSpec& spec,
                          std::int64_t value) {
  std::string kernel = with_template_number(file, form.kernel, spec.name, value);
  form.parameters.erase(spec.name);
  if (kernel == form.kernel && value != spec.default_value) form.parameters[spec.name] = value;
  form.kernel = std::move(kernel);
  return form;
}

Result<LaunchText> launch_text(const LaunchForm& form) {
  LaunchText launch;
  launch.kernel = form.kernel;
  launch.grid = form.grid;
  launch.block = form.block;
  launch.dynamic_shared = form.dynamic_shared;
  launch.parameters = form.parameters;
  for (auto argument = form.arguments.begin(); argument != form.arguments.end();) {
    if (argument->type.empty()) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("{} is a {}, and what that holds is not known", argument->name,
                      argument->declared),
          "Define it in the file as a structure of numbers, pointers, arrays and structures, "
          "or hand its members over one by one",
          {}};
    }
    if (!argument->member) {
      launch.arguments.push_back((argument++)->text());
      continue;
    }
    const auto next = std::find_if(argument, form.arguments.end(), [&](const ArgumentForm& other) {
      return !other.member || other.member->parameter != argument->member->parameter;
    });
    launch.arguments.push_back(structure_text({argument, next}));
    argument = next;
  }
  return launch;
}

}  // namespace tilescope
