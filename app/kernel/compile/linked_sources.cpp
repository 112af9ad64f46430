#include "kernel/compile/linked_sources.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernel/source/kernel_name.h"
#include "kernel/source/near_sources.h"

namespace tilescope {
namespace {

bool is_of_cuda(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOfCuda{"vprintf", "malloc", "free", "__assertfail",
                                                    "__nv_",   "cuda",   "cnp",  "__cuda"};
  return std::ranges::any_of(kOfCuda, [&](std::string_view one) { return name.starts_with(one); });
}

// Of "space::f(int)" the f.
std::string plain_function(const std::string& mangled) {
  const std::string name = name_without_parameters(mangled);
  return name.substr(name.rfind(':') + 1);  // npos + 1: from the beginning
}

}  // namespace

std::vector<std::string> functions_without_body(std::string_view ptx) {
  constexpr std::string_view kDeclared = ".extern .func";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(kDeclared); at != std::string_view::npos;
       at = ptx.find(kDeclared, at + 1)) {
    // .extern .func (.param .b32 result) name
    std::size_t first = ptx.find_first_not_of(" \t\n", at + kDeclared.size());
    if (first != std::string_view::npos && ptx[first] == '(') {
      first = ptx.find_first_not_of(" \t\n", ptx.find(')', first) + 1);
    }
    if (first == std::string_view::npos) break;
    const std::string_view name = ptx.substr(first, ptx.find_first_of(" \t\n(;", first) - first);
    if (is_of_cuda(name)) continue;
    std::string plain = plain_function(std::string(name));
    if (std::ranges::find(names, plain) == names.end()) names.push_back(std::move(plain));
  }
  return names;
}

bool misses_a_function(const std::string& message) {
  return message.find("Unresolved extern function") != std::string::npos;
}

std::vector<std::string> sources_that_define(const std::vector<std::string>& paths,
                                             const std::vector<std::string>& functions) {
  std::vector<std::string> known = paths;
  for (const std::string& function : functions) {
    std::string source = definer_near(known, function);
    if (!source.empty()) known.push_back(std::move(source));
  }
  return {known.begin() + static_cast<std::ptrdiff_t>(paths.size()), known.end()};
}

}  // namespace tilescope
