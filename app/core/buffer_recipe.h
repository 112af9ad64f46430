#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

enum class ElementType { kI8, kU8, kI16, kU16, kF16, kBf16, kI32, kU32, kF32, kI64, kU64, kF64 };
[[nodiscard]] std::size_t size_of(ElementType type);       // bytes
[[nodiscard]] std::string_view name_of(ElementType type);  // "f32"
[[nodiscard]] Result<ElementType> parse_element_type(std::string_view name);

enum class Fill {
  kZero,
  kIota,    // element i holds i (converted to the type, wrapping)
  kRamp,    // element i holds i / count, in [0, 1); integers: i % 251
  kRandom,  // uniform in [-1, 1) for floats, over all values for integers; a function of (seed, i)
            // alone
  kFile,    // raw little-endian bytes, exactly the buffer's size
  kExpression,  // element i holds the value of BufferRecipe::expression, converted as kIota's is
};

// How to make a buffer's contents, the same bytes on every machine and in every process.
struct BufferRecipe {
  ElementType type = ElementType::kF32;
  std::uint64_t count = 0;  // elements
  Fill fill = Fill::kZero;
  std::uint64_t seed = 0;
  std::string path;  // kFile only
  // kExpression only: over i and random, a whole number below 2^32, a function of (seed, i) alone.
  std::string expression = {};

  [[nodiscard]] std::uint64_t bytes() const { return count * size_of(type); }
  friend bool operator==(const BufferRecipe&, const BufferRecipe&) = default;
};

// Fills `out` (recipe.bytes() long). Fails for kFile: unreadable, or another size; for kExpression:
// another name, or an element without a value (kUsage).
Status fill_buffer(const BufferRecipe& recipe, std::span<std::byte> out);

// Elements of an f32, f16 or bf16 buffer as floats; empty for other types.
[[nodiscard]] std::vector<float> to_floats(ElementType type, std::span<const std::byte> contents);

// One kernel argument as a person writes it: a scalar ("i32:5") or a buffer ("f32[4096]=random:7",
// "i32[4096]=i*8%4096").
struct ArgumentSpec {
  bool is_buffer = false;
  BufferRecipe buffer;                   // when is_buffer
  ElementType type = ElementType::kI32;  // of the scalar
  std::uint64_t bits = 0;                // the scalar, little-endian in the low bytes
};
[[nodiscard]] Result<ArgumentSpec> parse_argument_spec(std::string_view text);

// binary16 and bfloat16 bit patterns, rounded to nearest even; NaN becomes the quiet NaN 0x7fff.
[[nodiscard]] std::uint16_t to_half(float value);
[[nodiscard]] float from_half(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_bfloat16(float value);
[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace tilescope
