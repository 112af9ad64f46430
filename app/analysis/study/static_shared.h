#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/expression.h"
#include "emulator/array_shapes.h"

namespace tilescope {

// The statically declared shared memory that a kernel would need with other parameters, from the
// extents of its __shared__ arrays in the source: no compilation is needed.
class StaticShared {
 public:
  StaticShared() = default;
  explicit StaticShared(const KernelStudy& study);

  // Bytes with these parameters minus those with the study's own. nullopt: the size of one of the
  // arrays does not follow from the parameters.
  [[nodiscard]] std::optional<std::int64_t> change(const ParameterSet& parameters) const;

 private:
  struct Array {
    std::vector<Expression> extents;
    std::int64_t element_bytes = 0;
  };
  [[nodiscard]] std::optional<std::int64_t> bytes(const ParameterSet& parameters) const;

  std::vector<Array> arrays_;
  ParameterSet defines_;
  std::optional<std::int64_t> present_ = 0;  // nullopt: not known
};

// The kernel's name for the shared memory sized by the launch, "extern __shared__ float part[]";
// empty: it uses none, or has several names for it.
[[nodiscard]] std::string dynamic_shared_name(const Program& program);

// "#define PAD 1": macros of the CUDA source whose value is a number, by name.
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
