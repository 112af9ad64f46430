#include "emulator/common_executors/narrow_conversion.h"

#include <bit>
#include <cmath>
#include <limits>

#include "emulator/common_executors/families.h"
#include "emulator/execution/register_cells.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/lanes.h"
#include "emulator/formats/narrow_floats.h"

// cvt to and from f16, bf16, tf32, the 8-, 6- and 4-bit formats and ue8m0 wherever the fast
// families (executors/conversion.cpp) do not have it, and cvt.pack. Lane by lane: these are rare.
namespace tilescope {
namespace {

using portable::Row32;
using portable::row_at;

// One element of the source as an exact number.
ExactNumber number_of(std::uint64_t bits, DataType type) {
  const FloatFormat format = float_format(type);
  if (format.exponent_bits != 0) return exact(decode(static_cast<std::uint32_t>(bits), format));
  switch (type) {
    case DataType::kF64:
      return exact(std::bit_cast<double>(bits));
    case DataType::kF32:
      return exact(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case DataType::kUe8m0x2:
      return exact(decode_scale(static_cast<std::uint32_t>(bits)));
    default:
      break;
  }
  const unsigned shift = 64 - 8 * bytes_of(type);
  const std::uint64_t high = bits << shift;
  if (is_signed(type)) return exact(static_cast<std::int64_t>(high) >> shift);
  return exact(high >> shift);
}

std::uint32_t encoded(const ExactNumber& value, const NarrowConversion& how) {
  const NarrowOptions options{how.rounding, how.relu, how.satfinite};
  if (how.to == DataType::kUe8m0x2) {
    const double size = value.is_nan ? std::numeric_limits<double>::quiet_NaN()
                        : value.is_infinite
                            ? std::numeric_limits<double>::infinity()
                            : std::ldexp(static_cast<double>(value.significand), value.exponent);
    return encode_scale(static_cast<float>(size), options);
  }
  return encode(value, float_format(how.to), options);
}

unsigned bits_of_element(DataType type) {
  switch (type) {
    case DataType::kF16x2:
    case DataType::kBf16x2:
      return 16;
    case DataType::kE2m1x2:
      return 4;
    default:
      return 8;
  }
}

void execute_convert_narrow(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                            ExecutionContext&) {
  const auto how = NarrowConversion::unpack(op.immediate);
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  const bool wide = bytes_of(how.from) == 8;
  for (const unsigned lane : lanes_in(mask)) {
    const std::uint64_t a = cell_at(registers, op.row[1], lane, wide);
    if (how.shape == NarrowConversion::Shape::kOne) {
      const auto nan = std::bit_cast<double>(a);
      const bool narrows_nan = wide && how.to == DataType::kF16 && how.from == DataType::kF64;
      d[lane] = narrows_nan && std::isnan(nan) ? portable::narrow_nan_to_half(nan).bits
                                               : encoded(number_of(a, how.from), how);
      continue;
    }
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (how.shape == NarrowConversion::Shape::kTwoSources) {  // a goes to the upper half
      high = a;
      low = cell_at(registers, op.row[2], lane, wide);
    } else {
      const unsigned width = bits_of_element(how.from);
      low = a & ((std::uint64_t{1} << width) - 1);
      high = (a >> width) & ((std::uint64_t{1} << width) - 1);
    }
    d[lane] = encoded(number_of(low, how.from), how) |
              (encoded(number_of(high, how.from), how) << bits_of_element(how.to));
  }
}

// cvt.pack.sat.type.s32{.b32} d, a, b{, c}: b goes lowest, then a, then the low part of c.
void execute_convert_pack(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                          ExecutionContext&) {
  const unsigned width = static_cast<unsigned>(op.immediate & 0xff);
  const bool to_signed = (op.flags & 1u) != 0;
  const bool has_c = (op.flags & 2u) != 0;
  const std::int64_t top = std::int64_t{1} << (width - (to_signed ? 1 : 0));
  const std::int64_t low = to_signed ? -top : 0;
  const std::int64_t high = top - 1;
  const std::uint32_t element = width == 32 ? ~0u : (1u << width) - 1;
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) {
    const auto clamped = [&](std::uint32_t row) {
      const std::int64_t value =
          static_cast<std::int32_t>(row_at<std::uint32_t>(registers, row)[lane]);
      const std::int64_t inside = value < low ? low : (value > high ? high : value);
      return static_cast<std::uint32_t>(inside) & element;
    };
    const std::uint64_t pair = clamped(op.row[2]) | (std::uint64_t{clamped(op.row[1])} << width);
    const std::uint64_t c = has_c ? row_at<std::uint32_t>(registers, op.row[3])[lane] : 0;
    d[lane] = static_cast<std::uint32_t>(pair | (c << (2 * width)));
  }
}

}  // namespace

std::int64_t NarrowConversion::pack() const {
  return static_cast<std::int64_t>(static_cast<unsigned>(to) | (static_cast<unsigned>(from) << 8) |
                                   (static_cast<unsigned>(rounding) << 16) |
                                   (static_cast<unsigned>(shape) << 20) | (relu ? 1u << 24 : 0u) |
                                   (satfinite ? 1u << 25 : 0u));
}
NarrowConversion NarrowConversion::unpack(std::int64_t bits) {
  NarrowConversion how;
  how.to = static_cast<DataType>(bits & 0xff);
  how.from = static_cast<DataType>((bits >> 8) & 0xff);
  how.rounding = static_cast<NarrowRounding>((bits >> 16) & 0xf);
  how.shape = static_cast<Shape>((bits >> 20) & 0xf);
  how.relu = ((bits >> 24) & 1) != 0;
  how.satfinite = ((bits >> 25) & 1) != 0;
  return how;
}

Executor find_narrow_conversion(const OperationKey& key) {
  if (key.operation == Operation::kConvertNarrow) return execute_convert_narrow;
  return key.operation == Operation::kConvertPack ? execute_convert_pack : nullptr;
}

}  // namespace tilescope
