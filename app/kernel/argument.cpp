#include "kernel/argument.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "core/half.h"
#include "kernel/expression.h"

namespace tilescope {
namespace {

Result<std::uint64_t> float_bits(ElementType type, double value) {
  const auto single = static_cast<float>(value);
  switch (type) {
    case ElementType::kF16:
      return std::uint64_t{to_half(single)};
    case ElementType::kBf16:
      return std::uint64_t{to_bfloat16(single)};
    case ElementType::kF32:
      return std::uint64_t{std::bit_cast<std::uint32_t>(single)};
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

bool is_floating(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

bool is_signed(ElementType type) {
  return type == ElementType::kI8 || type == ElementType::kI16 || type == ElementType::kI32 ||
         type == ElementType::kI64;
}

Result<std::uint64_t> scalar_bits(const ArgumentTemplate& argument, const ParameterSet& names) {
  const std::string& text = argument.value;
  if (is_floating(argument.type)) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data(), end, number);
    if (problem == std::errc{} && read == end) return float_bits(argument.type, number);
  }
  const Result<std::int64_t> value = evaluate_expression(text, names);
  if (!value) return value.error();
  if (is_floating(argument.type)) {
    return float_bits(argument.type, static_cast<double>(*value));
  }
  const auto bits = static_cast<unsigned>(size_of(argument.type) * 8);
  const auto whole = static_cast<std::uint64_t>(*value);
  if (bits == 64) return whole;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  const bool fits =
      is_signed(argument.type) ? *value >= -half && *value < half : *value >= 0 && whole <= mask;
  if (!fits) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the argument {} = {} does not fit its type {}", argument.name, *value,
                             name_of(argument.type)),
                 "",
                 {}};
  }
  return whole & mask;
}

Status fill_pointer(const ArgumentTemplate& from, const ParameterSet& names, Argument& into) {
  const Result<std::int64_t> rows = evaluate_expression(from.matrix.rows, names);
  const Result<std::int64_t> cols = evaluate_expression(from.matrix.cols, names);
  const Result<std::int64_t> leading = evaluate_expression(from.matrix.leading, names);
  for (const Result<std::int64_t>* part : {&rows, &cols, &leading}) {
    if (!*part) return part->error();
  }
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  if (*rows < 1 || *cols < 1 || *leading < *cols ||
      __builtin_mul_overflow(*rows, *leading, &count) ||
      __builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(from.type)), &bytes)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("the matrix {} cannot have {} x {} elements, {} from row to row",
                             from.name, *rows, *cols, *leading),
                 "Give other extents",
                 {}};
  }
  into.rows = static_cast<std::uint64_t>(*rows);
  into.cols = static_cast<std::uint64_t>(*cols);
  into.leading = static_cast<std::uint64_t>(*leading);
  into.buffer = {.type = from.type,
                 .count = static_cast<std::uint64_t>(count),
                 .fill = from.fill,
                 .seed = from.seed,
                 .path = ""};
  return ok_status();
}

}  // namespace

Result<Argument> make_argument(const ArgumentTemplate& from, const ParameterSet& names) {
  Argument argument;
  argument.name = from.name;
  argument.role = from.role;
  argument.type = from.type;
  argument.is_pointer = from.is_pointer;
  argument.written = from.written;
  if (from.is_pointer) {
    if (Status filled = fill_pointer(from, names, argument); !filled) return filled.error();
    return argument;
  }
  const Result<std::uint64_t> bits = scalar_bits(from, names);
  if (!bits) return bits.error();
  argument.bits = *bits;
  return argument;
}

}  // namespace tilescope
