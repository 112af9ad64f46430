#include "kernel/guess/handed_numbers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/launch_limits.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

bool is_name(const std::string& text) {
  const auto words = tokenize(text);
  return words.size() == 1 && words[0].kind == CudaTokenKind::kWord;
}

}  // namespace

HandedNumbers::HandedNumbers(const KernelFile& file, const KernelSignature& signature,
                             const LaunchSite& launched, const LaunchForm& form) {
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element))
      continue;
    numbers_[parameter.name] = std::stoll(form.arguments[i].value);
    if (parameter.member || position >= launched.arguments.size()) continue;
    // A number is no name: an equal one in the grid need not be this one.
    const std::vector<std::string> words = words_and_paths(launched.arguments[position].written);
    const std::string given = words.size() == 1 ? words[0] : launched.arguments[position].written;
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
void size_buffers(const KernelSignature& signature, const LaunchSite& launched,
                  const HandedNumbers& handed, LaunchForm* form) {
  constexpr std::int64_t kLeastBytes = 256;  // less is of numbers that are not known
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    const auto each = static_cast<std::int64_t>(element_bytes(form->arguments[i]));
    if (parameter.member || !parameter.is_pointer || each == 0) continue;
    const auto bytes = handed.read(launched.argument(position).bytes_text);
    if (!bytes.value || !bytes.follows_arguments) continue;
    if (*bytes.value < kLeastBytes || *bytes.value > kMostBytes) continue;
    form->arguments[i].count = std::to_string(*bytes.value / each);
  }
}

constexpr std::int64_t kMostShared = 227 << 10;  // bytes of a block

// Halves the sizes that are guessed and not the file's own, the largest first, until a block can
// have the dynamic shared memory that the host computes of them.
void fit_shared(const KernelFile& file, const KernelSignature& signature,
                const LaunchSite& launched, LaunchForm* form) {
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
                      const LaunchSite& launched, LaunchForm* form) {
  const HandedNumbers handed(file, signature, launched, *form);
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    const bool is_number = !parameter.member && !parameter.is_pointer && parameter.element &&
                           is_whole_number(*parameter.element);
    const HandedArgument& argument = launched.argument(position);
    if (!is_number || !argument.value.empty()) continue;
    const auto text = handed.read(argument.text);
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
                          const LaunchSite& launched, const LaunchForm& form,
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
