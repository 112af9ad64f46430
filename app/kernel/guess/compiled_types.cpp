#include "kernel/guess/compiled_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernel/guess/tensor_guess.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

// A number of the text's that has another type in the PTX: an #if chose another than was read.
bool differs(const ParameterText& text, const ParameterText& compiled) {
  if (text.is_pointer != compiled.is_pointer || !text.element || !compiled.element) return false;
  const bool real = !is_whole_number(*text.element);
  return size_of(*text.element) != size_of(*compiled.element) &&
         (!text.is_pointer || (real && !is_whole_number(*compiled.element)));
}

}  // namespace

void take_compiled(const KernelSignature& compiled, KernelSignature* signature) {
  if (compiled.required_block) signature->required_block = compiled.required_block;
  if (compiled.most_threads != 0) signature->most_threads = compiled.most_threads;
  std::map<std::uint32_t, std::vector<ParameterText>> by_index;
  ParameterIndex index;
  for (const ParameterText& parameter : compiled.parameters) {
    by_index[index.next(parameter.member)].push_back(parameter);
  }
  std::vector<ParameterText> parameters;
  ParameterIndex position;
  for (ParameterText& parameter : signature->parameters) {
    const std::uint32_t at = position.next(parameter.member);
    const std::vector<ParameterText>& known = by_index[at];
    const auto bytes = [](const ParameterText& one) { return one.member->structure_bytes; };
    const bool is_laid_out = parameter.member && (known.empty() || !known.front().member ||
                                                  bytes(parameter) == bytes(known.front()));
    const bool is_known = is_laid_out || parameter.is_pointer || parameter.element ||
                          parameter.type.ends_with("Object_t") ||  // a texture, a surface
                          is_tensor_map(parameter);
    if (parameter.member && !is_laid_out) {
      if (parameter.member->offset == 0) std::ranges::copy(known, std::back_inserter(parameters));
      continue;
    }
    if (!is_known) {
      for (ParameterText member : known) {
        member.name = parameter.name +
                      (member.member ? fmt::format("+{}", member.member->offset) : std::string());
        member.type = parameter.type;
        parameters.push_back(std::move(member));
      }
    } else if (!parameter.member && known.size() == 1 && differs(parameter, known.front())) {
      parameter.element = known.front().element;
    }
    if (is_known || known.empty()) parameters.push_back(std::move(parameter));
  }
  signature->parameters = std::move(parameters);
}

}  // namespace tilescope
