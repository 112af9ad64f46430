#include <algorithm>

#include "kernel/declarations.h"

namespace tilescope {

std::vector<std::string> find_kernels(const std::string& cuda_source) {
  std::vector<std::string> names;
  for (const Declaration& declaration : find_declarations(tokenize(cuda_source))) {
    if (!declaration.is_kernel || declaration.name.empty()) continue;
    std::string name =
        declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace tilescope
