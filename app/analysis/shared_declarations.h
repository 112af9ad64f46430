#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_study.h"
#include "emulator/array_shapes.h"
#include "kernel/expression.h"

namespace tilescope {

// What the kernel calls the shared memory that the launch sizes, "extern __shared__ float part[]";
// empty: it uses none, or has several names for it.
[[nodiscard]] std::string dynamic_shared_name(const Program& program);

// "#define PAD 1": the macros that the CUDA source gives a number, by name.
[[nodiscard]] ParameterSet source_defines(std::string_view source);

// The extents of "tile[TILE][TILE + PAD]" in the CUDA source: TILE, TILE + PAD; none when it has no
// such declaration or an extent cannot be understood.
[[nodiscard]] std::optional<std::vector<Expression>> source_extents(std::string_view source,
                                                                    std::string_view name);

// The same of the declaration that the study's kernel uses: of several with one name, one in the
// kernel's own body before the others, and one that has the variable's size.
[[nodiscard]] std::optional<std::vector<Expression>> source_extents(const KernelStudy& study,
                                                                    const SharedVariable& variable);

// The same with the study's parameters: {32, 33}; none also when an extent names what is neither a
// parameter nor a define.
[[nodiscard]] std::optional<std::vector<std::int64_t>> source_dimensions(
    const KernelStudy& study, const SharedVariable& variable);

}  // namespace tilescope
