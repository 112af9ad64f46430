#pragma once

#include <cstddef>
#include <span>

#include "kernel/launch/instance.h"

namespace tilescope {

// An element of a buffer as a number; 64-bit integers as the nearest double.
[[nodiscard]] double element_number(ElementType type, const std::byte* from);

// How far what a kernel wrote is from what its reference kernel wrote (ReferenceKind::kKernel).
class ReferenceDifference {
 public:
  // `units`: rounding_tolerance() of the kernel's instance.
  explicit ReferenceDifference(double units) : units_(units) {}

  struct Matrix {
    const Argument* argument = nullptr;
    std::span<const std::byte> contents;  // as long as the argument's buffer
  };
  // One buffer of the problem, element by element as numbers; 64-bit integers as the nearest
  // double. NaN is wrong on either side: nobody can tell then. So are matrices of different sizes.
  void add(const Matrix& got, const Matrix& want);

  // The largest |got - want|; NaN: see above.
  [[nodiscard]] double max_error() const { return max_error_; }
  // Relative to the largest element of the reference.
  [[nodiscard]] double tolerance() const { return units_ * largest_; }

 private:
  double units_;
  double max_error_ = 0;
  double largest_ = 0;
};

}  // namespace tilescope
