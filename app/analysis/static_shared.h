#pragma once
#include <optional>
#include <vector>

#include "analysis/kernel_study.h"
#include "kernel/expression.h"

namespace tilescope {

// How much statically declared shared memory a kernel would need with other parameters, from the
// extents that its __shared__ arrays have in the source: known without compiling.
class StaticShared {
 public:
  StaticShared() = default;
  explicit StaticShared(const KernelStudy& study);

  // Bytes with these parameters minus those with the study's own. nullopt: the size of one of the
  // arrays cannot be led back to the parameters.
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

}  // namespace tilescope
