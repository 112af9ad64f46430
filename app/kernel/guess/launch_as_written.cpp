#include "kernel/guess/launch_as_written.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/expression.h"
#include "kernel/guess/handed_numbers.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_shape.h"
#include "kernel/source/size_names.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

// Of a launch along one axis; 0: it has more.
std::uint64_t blocks_of(const KernelFile& file, const KernelSignature& signature,
                        const LaunchForm& launch) {
  ParameterSet numbers;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ArgumentForm& argument = launch.arguments[i];
    const auto element = signature.parameters[i].element;
    if (argument.is_buffer || !element || !is_whole_number(*element)) continue;
    numbers[argument.name] = std::stoll(argument.value);
  }
  const auto blocks =
      evaluate_expression(launch.grid, find_constants(tokenize(file.source), numbers));
  return blocks ? static_cast<std::uint64_t>(*blocks) : 0;
}

// Whether the kernel names a constant of the file that is as large as a line: it may loop up to it,
// however many blocks there are.
bool names_large_constant(const KernelFile& file, const KernelSignature& signature) {
  const ParameterSet constants = find_constants(tokenize(file.source));
  const std::string text = kernel_text(file.source, signature.name);
  return std::ranges::any_of(tokenize(text), [&](const CudaToken& token) {
    const auto found = constants.find(std::string(token.text));
    return found != constants.end() && found->second >= kLine;
  });
}

// A line of more elements than can be looked at in a moment becomes a part of it, of as many
// blocks less; a plane is no such line.
bool shorten_line(const KernelFile& file, const KernelSignature& signature, LaunchForm* form) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{96} << 20;   // of all buffers
  constexpr std::uint64_t kMostWhole = std::uint64_t{640} << 20;  // where there are no parts
  std::uint64_t bytes = 0;
  for (const ArgumentForm& argument : form->arguments) bytes += bytes_of(argument);
  if (bytes <= kMostBytes) return true;
  std::uint64_t part = std::bit_ceil((bytes + kMostBytes - 1) / kMostBytes);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    if (!form->arguments[i].is_buffer && is_size(signature.parameters[i])) sizes.push_back(i);
  }
  const std::uint64_t blocks = blocks_of(file, signature, *form);
  const bool has_parts = sizes.size() <= 1 && blocks != 0 && !signature.is_plane &&
                         !(sizes.empty() && names_large_constant(file, signature));
  if (!has_parts) return bytes <= kMostWhole;
  LaunchForm shorter = *form;
  if (!sizes.empty()) {
    // A batch of a few has no smaller part than one.
    const auto size = std::stoull(form->arguments[sizes.front()].value);
    part = std::clamp<std::uint64_t>(part, 1, std::max<std::uint64_t>(std::bit_floor(size), 1));
    if (bytes / part > 4 * kMostBytes) return false;
    shorter.arguments[sizes.front()].value = std::to_string(size / part);
  }
  for (ArgumentForm& argument : shorter.arguments) {
    if (argument.is_buffer && std::stoull(argument.count) > kLine) {
      argument.count = std::to_string(std::stoull(argument.count) / part);
    }
  }
  if (blocks_of(file, signature, shorter) == blocks) {
    shorter.grid = std::to_string(std::max<std::uint64_t>(blocks / part, 1));
  }
  *form = std::move(shorter);
  return true;
}

}  // namespace

bool take_launch_as_written(const KernelFile& file, const KernelSignature& signature,
                            const LaunchSite& launched, const Dim3& block, LaunchForm* form) {
  constexpr std::uint64_t kMostLaunched = std::uint64_t{1} << 28;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;  // of a buffer
  if (!launched.block && launched.block_names.empty()) return false;
  LaunchForm written = *form;
  std::vector<std::string> sizes;
  std::vector<std::size_t> unknown;  // buffers
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    ArgumentForm& argument = written.arguments[i];
    if (is_tensor_text(argument.text())) continue;
    if (parameter.is_pointer) {
      const auto each =
          static_cast<std::int64_t>(std::max<std::uint64_t>(element_bytes(argument), 1));
      const std::int64_t bytes = handed_bytes(parameter, position, launched);
      if (bytes > kMostBytes) return false;
      if (bytes >= each) {
        argument.count = std::to_string(bytes / each);
        argument.is_allocated = true;
      } else {
        unknown.push_back(i);
      }
      continue;
    }
    if (is_texture_text(argument.text())) continue;
    if (!parameter.element) return false;
    const std::string handed = handed_value(parameter, position, launched);
    const auto extent = launched.extent_of(launched.argument(position).written, block);
    if (extent) {
      argument.value = std::to_string(*extent);
    } else if (!handed.empty()) {
      argument.value = handed;
      if (is_size(parameter)) sizes.push_back(handed);
    } else if (is_whole_number(*parameter.element)) {
      return false;
    }
  }
  // Nothing says how much is allocated for more than the buffers that are made up.
  std::vector<std::uint64_t> edges;
  for (const std::string& size : sizes) edges.push_back(std::stoull(size));
  std::ranges::sort(edges, std::greater<>());
  const bool too_large = edges.size() > 1 && edges[0] * edges[1] > kLine;
  if (signature.is_plane && !unknown.empty() && too_large) return false;
  const GridBound bound{block.count(), kMostLaunched, true};
  written.grid = launched_grid(file, signature, launched, written, bound);
  // Where nothing says how much is allocated: as much as there is, or an element for each thread.
  const std::uint64_t threads = blocks_of(file, signature, written) * block.count();
  const std::uint64_t elements = sizes.empty()       ? threads
                                 : sizes.size() == 1 ? std::stoull(sizes.front())
                                                     : 0;
  for (const std::size_t i : unknown) {
    ArgumentForm& buffer = written.arguments[i];
    if (elements > kLine) {
      buffer.count = std::to_string(std::stoull(buffer.count) / kLine * elements);
    }
  }
  if (written.grid.empty() || !shorten_line(file, signature, &written)) return false;
  *form = std::move(written);
  form->is_written = true;
  return true;
}

}  // namespace tilescope
