#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/buffer_recipe.h"

namespace tilescope {

// What a kernel does with one of its parameters, as far as its text shows.
struct PtxParameterUse {
  bool is_compared = false;  // as it is: a bound, such as how many elements there are
  bool is_address = false;   // something is read or written behind it
  bool is_written = false;
  std::optional<ElementType> element;  // behind it, of the first access that names a type
};

using PtxParameterUses = std::map<std::string, PtxParameterUse, std::less<>>;  // by its name

// From the body of one .entry. Follows registers from ld.param on in the order of the text; what is
// not understood is left out.
[[nodiscard]] PtxParameterUses find_ptx_parameter_uses(std::string_view body);

// Of ".u32" and the like; none: no type of one element.
[[nodiscard]] std::optional<ElementType> ptx_element_type(std::string_view name);

}  // namespace tilescope
