#include "kernel/launch_words.h"

#include <fmt/format.h>

namespace tilescope {
namespace {

std::string words_of(const Dim3& extent) {
  return fmt::format("{},{},{}", extent.x, extent.y, extent.z);
}

std::string words_of(const Argument& argument) {
  std::string words;
  if (argument.member) {
    words = fmt::format("{}+{} of {}: ", argument.member->parameter, argument.member->offset,
                        argument.member->structure_bytes);
  }
  if (!argument.is_pointer) {
    return words + fmt::format("{} {:#x}", name_of(argument.type), argument.bits);
  }
  const BufferRecipe& buffer = argument.buffer;
  return words + fmt::format("{}[{}] fill {} {} {}", name_of(buffer.type), buffer.count,
                             static_cast<int>(buffer.fill), buffer.seed, buffer.path);
}

}  // namespace

std::string launch_words(const KernelInstance& instance) {
  if (instance.problem) return {};
  std::string words = fmt::format("{}\n{}\n{}\n{}\n", instance.kernel, words_of(instance.grid),
                                  words_of(instance.block), instance.dynamic_shared_bytes);
  for (const std::string& define : instance.defines) words += "-D" + define + "\n";
  for (const Argument& argument : instance.arguments) words += words_of(argument) + "\n";
  return words;
}

}  // namespace tilescope
