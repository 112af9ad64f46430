#include "kernel/launch/tensor_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/buffer_recipe.h"
#include "core/number_text.h"
#include "core/text.h"

namespace tilescope {
namespace {

Error tensor_mistake(std::string_view text, std::string_view why) {
  return {ErrorCode::kUsage,
          fmt::format("--arg {}: {}", text, why),
          "Write tensormap:bf16+box64x128+swizzle128[WIDTHxHEIGHT]=random:1, dimension 0 first, "
          "with +nan or +tf32 where the kernel's map has them",
          {}};
}

// Up to the sign, which goes as well.
std::string_view piece_before(std::string_view* rest, char sign) {
  const std::size_t end = std::min(rest->find(sign), rest->size());
  const std::string_view piece = trimmed(rest->substr(0, end));
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return piece;
}

bool parse_whole(std::string_view text, std::uint32_t most, std::uint32_t* number) {
  *number = parse_number<std::uint32_t>(text).value_or(0);
  return *number >= 1 && *number <= most;
}

// "64x128": how many there are; 0: it is none.
unsigned parse_dimensions(std::string_view text, std::uint32_t most,
                          std::array<std::uint32_t, TensorShape::kMostRank>* numbers) {
  unsigned count = 0;
  while (!text.empty()) {
    if (count == numbers->size() ||
        !parse_whole(piece_before(&text, 'x'), most, &(*numbers)[count]))
      return 0;
    ++count;
  }
  return count;
}

constexpr std::uint32_t kMostExtent = 1u << 27;
constexpr std::uint32_t kMostBoxExtent = 256;

}  // namespace

std::uint64_t TensorShape::elements() const {
  std::uint64_t product = 1;
  for (const std::uint32_t each : extent) {
    if (__builtin_mul_overflow(product, each, &product)) return UINT64_MAX;
  }
  return product;
}

Result<TensorShape> parse_tensor(std::string_view text, std::string* buffer) {
  TensorShape shape;
  std::string_view rest = text;
  piece_before(&rest, ':');
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos)
    return tensor_mistake(text, "its extents in brackets are missing");
  const std::string_view fill = rest.substr(close + 1);
  rest = rest.substr(0, close);
  std::string_view words = piece_before(&rest, '[');
  const std::string_view element = piece_before(&words, '+');
  const auto type = parse_element_type(element);
  if (!type) return tensor_mistake(text, "its element type is not known");
  shape.rank = parse_dimensions(rest, kMostExtent, &shape.extent);
  if (shape.rank == 0) return tensor_mistake(text, "it has no 1 to 5 extents");
  unsigned box_rank = 0;
  while (!words.empty()) {
    const std::string_view word = piece_before(&words, '+');
    if (word.starts_with("box")) {
      box_rank = parse_dimensions(word.substr(3), kMostBoxExtent, &shape.box);
      if (box_rank == 0) return tensor_mistake(text, "its box has no extents of 1 to 256");
    } else if (word == "swizzle32" || word == "swizzle64" || word == "swizzle128") {
      parse_whole(word.substr(7), 128, &shape.swizzle_bytes);
    } else if (word == "nan") {
      shape.fills_with_nan = true;
    } else if (word == "tf32" && *type == ElementType::kF32) {
      shape.rounds_to_tf32 = true;
    } else {
      return tensor_mistake(text, fmt::format("'{}' is not known", word));
    }
  }
  if (box_rank == 0) return tensor_mistake(text, "its box is missing, such as +box64x128");
  if (box_rank != shape.rank)
    return tensor_mistake(text, "its box has another number of dimensions than its extents");
  if (shape.elements() == UINT64_MAX) return tensor_mistake(text, "its extents are too large");
  *buffer = fmt::format("{}[{}]{}", element, shape.elements(), fill);
  return shape;
}

}  // namespace tilescope
