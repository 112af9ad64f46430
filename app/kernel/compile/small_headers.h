#pragma once

#include <optional>
#include <string_view>

namespace tilescope {

// As much of a header of the standard library ("cstdint") as kernels commonly use, in CUDA C++;
// nullopt: there is none of this name. Headers of which only host code makes use are empty.
[[nodiscard]] std::optional<std::string_view> small_header(std::string_view name);

}  // namespace tilescope
