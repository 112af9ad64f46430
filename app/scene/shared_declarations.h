#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_study.h"

namespace tilescope {

// A .shared variable of the PTX: its plain name, place and size in bytes.
struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
// In the order of their declarations, each at its alignment, as ptxas lays them out.
[[nodiscard]] std::vector<SharedVariable> shared_variables(std::string_view ptx);

// "tile[TILE][TILE + PAD]" of the CUDA source with the study's parameters: {32, 33}; none when the
// source has no such declaration or a dimension is no integer expression of the parameters.
[[nodiscard]] std::optional<std::vector<std::int64_t>> source_dimensions(const KernelStudy& study,
                                                                         std::string_view name);

}  // namespace tilescope
