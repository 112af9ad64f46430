#pragma once

#include <cstdint>
#include <vector>

#include "core/expression.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// What each element of an elementwise problem's output must be.
class ElementReference {
 public:
  // kUsage when the instance's reference names something it does not have.
  [[nodiscard]] static Result<ElementReference> make(const KernelInstance& instance);

  // For the first input's element `in` at (row, col); 0 where the expression has no value.
  [[nodiscard]] std::int64_t value(std::int64_t in, std::int64_t row, std::int64_t col);

 private:
  explicit ElementReference(Expression expression) : expression_(std::move(expression)) {}

  Expression expression_;
  std::vector<std::int64_t> values_;  // of expression_.variables()
  // Places in values_, or of a spare at its end where the expression does not ask.
  std::size_t in_ = 0;
  std::size_t row_ = 0;
  std::size_t col_ = 0;
};

}  // namespace tilescope
