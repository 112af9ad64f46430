#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_study.h"
#include "kernel/expression.h"

namespace tilescope {

// A .shared variable of the PTX: its plain name, place and size in bytes.
struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
// In the order of their declarations, each at its alignment, as ptxas lays them out.
[[nodiscard]] std::vector<SharedVariable> shared_variables(std::string_view ptx);

// What the source calls the shared memory that the launch sizes, "extern __shared__ float part[]";
// empty: it has none, or several names for it.
[[nodiscard]] std::string dynamic_shared_name(std::string_view ptx);

// "#define PAD 1": the macros that the CUDA source gives a number, by name.
[[nodiscard]] ParameterSet source_defines(std::string_view source);

// The extents of "tile[TILE][TILE + PAD]" in the CUDA source: TILE, TILE + PAD; none when it has no
// such declaration or an extent cannot be understood.
[[nodiscard]] std::optional<std::vector<Expression>> source_extents(std::string_view source,
                                                                    std::string_view name);

// The same with the study's parameters: {32, 33}; none also when an extent names what is neither a
// parameter nor a define.
[[nodiscard]] std::optional<std::vector<std::int64_t>> source_dimensions(const KernelStudy& study,
                                                                         std::string_view name);

}  // namespace tilescope
