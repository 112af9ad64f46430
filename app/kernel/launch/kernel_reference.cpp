#include "kernel/launch/kernel_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tilescope {
namespace {

template <typename Element>
double number(const std::byte* from) {
  Element element{};
  std::memcpy(&element, from, sizeof element);
  return static_cast<double>(element);
}

}  // namespace

double element_number(ElementType type, const std::byte* from) {
  switch (type) {
    case ElementType::kI8:
      return number<std::int8_t>(from);
    case ElementType::kU8:
      return number<std::uint8_t>(from);
    case ElementType::kI16:
      return number<std::int16_t>(from);
    case ElementType::kU16:
      return number<std::uint16_t>(from);
    case ElementType::kF16:
    case ElementType::kBf16:
      return static_cast<double>(to_floats(type, {from, size_of(type)}).front());
    case ElementType::kI32:
      return number<std::int32_t>(from);
    case ElementType::kU32:
      return number<std::uint32_t>(from);
    case ElementType::kF32:
      return number<float>(from);
    case ElementType::kI64:
      return number<std::int64_t>(from);
    case ElementType::kU64:
      return number<std::uint64_t>(from);
    case ElementType::kF64:
      return number<double>(from);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void ReferenceDifference::add(const Matrix& got, const Matrix& want) {
  const Argument& g = *got.argument;
  const Argument& w = *want.argument;
  if (g.rows != w.rows || g.cols != w.cols) {
    max_error_ = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  for (std::uint64_t row = 0; row < g.rows; ++row) {
    const std::byte* from = got.contents.data() + row * g.leading * size_of(g.type);
    const std::byte* right = want.contents.data() + row * w.leading * size_of(w.type);
    for (std::uint64_t col = 0; col < g.cols && !std::isnan(max_error_); ++col) {
      const double number = element_number(w.type, right + col * size_of(w.type));
      const double difference =
          std::abs(element_number(g.type, from + col * size_of(g.type)) - number);
      if (!(difference <= max_error_)) max_error_ = difference;
      largest_ = std::max(largest_, std::abs(number));
    }
  }
}

}  // namespace tilescope
