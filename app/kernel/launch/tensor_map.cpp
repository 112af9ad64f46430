#include "kernel/launch/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace tilescope {
namespace {

constexpr std::uint32_t kMostBox = 256;                        // elements along a dimension
constexpr std::uint32_t kMostBoxBytes = 228 << 10;             // an H100's driver refuses more
constexpr std::uint32_t kMostStep = 8;                         // elements
constexpr std::uint64_t kMostStride = std::uint64_t{1} << 40;  // bytes

unsigned swizzle_bytes(TensorMap::Swizzle swizzle) {
  return swizzle == TensorMap::Swizzle::kNone ? 0 : 16u << static_cast<unsigned>(swizzle);
}

bool is_floating(TensorMap::Element element) { return element >= TensorMap::Element::kF16; }

std::string name_of(TensorMap::Swizzle swizzle) {
  return fmt::format("the {}-byte swizzle", swizzle_bytes(swizzle));
}

// What the fields hold at all: tensormap.replace writes any number there.
std::string mistake_in_fields(const TensorMap& map) {
  using M = TensorMap;
  if (map.rank() > M::kMostRank) return fmt::format("a rank of {}; use 1 to 5", map.rank());
  if (map.element > M::Element::kTf32Flushed) return "an element type that is not emulated";
  if (map.interleave != M::Interleave::kNone)
    return "an interleaved layout, which is not emulated: use CU_TENSOR_MAP_INTERLEAVE_NONE";
  if (map.swizzle > M::Swizzle::k128) return "a swizzle mode that is not emulated";
  if (map.atom == M::Atom::k32Flipped || map.atom == M::Atom::k64 || map.atom > M::Atom::k64)
    return "a swizzle of atoms that is not emulated: use atoms of 16 or 32 bytes";
  if (map.atom != M::Atom::k16 && map.swizzle != M::Swizzle::k128)
    return "a swizzle of 32-byte atoms over less than 128 bytes; use the 128-byte swizzle";
  if (map.fill > M::Fill::kNan) return "a fill mode that does not exist";
  if (map.fill == M::Fill::kNan && !is_floating(map.element))
    return "NaN fill with integer elements; fill with zeros";
  return {};
}

std::string mistake_in_strides(const TensorMap& map) {
  if (map.address % 16 != 0)
    return fmt::format("the global address {:#x}; it must be a multiple of 16 bytes", map.address);
  for (unsigned i = 0; i < map.rank(); ++i) {
    if (map.extent[i] == 0) return fmt::format("an extent of 0 in dimension {}", i);
    if (i == 0) continue;
    const std::uint64_t stride = map.stride[i - 1];
    if (stride % 16 != 0) {
      return fmt::format(
          "a stride of {} bytes in dimension {}; it must be a multiple of 16 bytes: pad the rows",
          stride, i);
    }
    if (stride >= kMostStride)
      return fmt::format("a stride of {} bytes in dimension {}; it must be less than 2^40", stride,
                         i);
  }
  return {};
}

std::string mistake_in_box(const TensorMap& map) {
  const bool is_tiled = map.mode == TensorMap::Mode::kTiled;
  for (unsigned i = 0; i < map.rank(); ++i) {
    if (is_tiled && (map.box[i] == 0 || map.box[i] > kMostBox))
      return fmt::format("a box of {} elements in dimension {}; it must be 1 to {}", map.box[i], i,
                         kMostBox);
    if (map.step[i] == 0 || map.step[i] > kMostStep)
      return fmt::format("an element stride of {} in dimension {}; it must be 1 to {}", map.step[i],
                         i, kMostStep);
  }
  if (!is_tiled && (map.rank() < 3 || map.channels == 0 || map.channels > 256 || map.pixels == 0 ||
                    map.pixels > 1024)) {
    return "an im2col map that is none; it has 3 to 5 dimensions, 1 to 256 channels and 1 to 1024 "
           "pixels";
  }
  const std::uint32_t inner = box_of(map).inner_bytes;
  if (is_tiled && box_of(map).bytes() > kMostBoxBytes)
    return fmt::format("a box of {} bytes; it must be at most {}: make the box smaller",
                       box_of(map).bytes(), kMostBoxBytes);
  if (inner % 16 != 0)
    return fmt::format("an inner dimension of the box of {} bytes; it must be a multiple of 16",
                       inner);
  if (map.swizzle != TensorMap::Swizzle::kNone && inner > swizzle_bytes(map.swizzle)) {
    return fmt::format(
        "{} with an inner dimension of the box of {} bytes; it must be at most {}: make the box "
        "narrower and copy several",
        name_of(map.swizzle), inner, swizzle_bytes(map.swizzle));
  }
  return {};
}

}  // namespace

unsigned TensorMap::element_bytes() const { return bytes_of(element_type()); }

DataType TensorMap::element_type() const {
  constexpr std::array kTypes{DataType::kU8,  DataType::kU16, DataType::kU32,  DataType::kS32,
                              DataType::kU64, DataType::kS64, DataType::kF16,  DataType::kF32,
                              DataType::kF32, DataType::kF64, DataType::kBf16, DataType::kF32,
                              DataType::kF32};
  return kTypes[std::min(static_cast<std::size_t>(element), kTypes.size() - 1)];
}

namespace {

// A field of the 128 bytes, least significant bit first.
struct MapBits {
  unsigned word = 0;  // of 32 bits
  unsigned first = 0;
  unsigned count = 0;
};
constexpr MapBits kMode{2, 0, 1};
constexpr MapBits kLastDimension{2, 4, 3};
constexpr MapBits kElement{2, 7, 4};
constexpr MapBits kInterleave{2, 11, 2};
constexpr MapBits kSwizzle{2, 13, 2};
constexpr MapBits kFill{2, 15, 1};
constexpr MapBits kRounded{2, 16, 1};  // to tf32: an f32, or a flushed one
constexpr MapBits kPromotion{2, 17, 2};
constexpr MapBits kAtom{2, 19, 3};
constexpr MapBits kBox0{13, 24, 8};  // or an im2col's channels; one less, as all extents
constexpr MapBits kPixels{15, 0, 10};
constexpr MapBits stride_bits(unsigned i) { return {3 + i, 0, 32}; }  // of 16 bytes
constexpr MapBits high_stride_bits(unsigned i) { return {7, 4 * i, 4}; }
constexpr MapBits extent_bits(unsigned i) { return {8 + i, 0, 32}; }
constexpr MapBits step_bits(unsigned i) { return {13, 3 * i, 3}; }
constexpr MapBits box_bits(unsigned i) { return i == 0 ? kBox0 : MapBits{14, 8 * (i - 1), 8}; }
constexpr unsigned kBytesWord = 16;  // bytes of a box, as the driver counts them
constexpr unsigned kPlaceWord = 18;  // what the box's address is a multiple of

// An im2col's corners share a word: of three dimensions one of 16 bits, of four two of 8, of five
// three of 5.
constexpr MapBits corner_bits(unsigned i, bool upper, unsigned rank) {
  const unsigned count = rank == 3 ? 16 : rank == 4 ? 8 : 5;
  return {14, (upper ? 16 : 0) + i * count, count};
}

using MapWords = std::array<std::uint32_t, TensorMap::kBytes / 4>;

std::uint32_t get(const MapWords& words, const MapBits& bits) {
  return static_cast<std::uint32_t>(std::uint64_t{words[bits.word]} >> bits.first &
                                    ((std::uint64_t{1} << bits.count) - 1));
}

void set(MapWords& words, const MapBits& bits, std::uint64_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits.count) - 1) << bits.first;
  words[bits.word] =
      static_cast<std::uint32_t>((words[bits.word] & ~mask) | (value << bits.first & mask));
}

MapWords words_of(const std::byte* bytes) {
  MapWords words;
  std::memcpy(words.data(), bytes, sizeof words);
  return words;
}

// Fields no map has, and values that say nothing.
bool is_map(const MapWords& words) {
  constexpr std::uint32_t kUnusedOfFormat = 0xffc0'000e;
  const bool is_rounded = get(words, kRounded) != 0;
  const std::uint32_t element = get(words, kElement);
  return (words[2] & kUnusedOfFormat) == 0 && get(words, kLastDimension) < TensorMap::kMostRank &&
         (is_rounded ? element == 7 || element == 8 : element <= 10) &&
         get(words, kInterleave) < 3 && get(words, kAtom) < 4 && words[17] == 0 &&
         std::all_of(words.begin() + 19, words.end(), [](std::uint32_t word) { return word == 0; });
}

// Sign-extended.
std::int16_t get_signed(const MapWords& words, const MapBits& bits) {
  const auto sign = std::int32_t{1} << (bits.count - 1);
  return static_cast<std::int16_t>((static_cast<std::int32_t>(get(words, bits)) ^ sign) - sign);
}

}  // namespace

std::optional<TensorMap> TensorMap::read(const std::byte* bytes) {
  const MapWords words = words_of(bytes);
  if (!is_map(words)) return std::nullopt;
  TensorMap map;
  map.mode = static_cast<Mode>(get(words, kMode));
  map.last_dimension = static_cast<std::uint8_t>(get(words, kLastDimension));
  map.element = static_cast<Element>(get(words, kElement));
  if (get(words, kRounded) != 0)
    map.element = map.element == Element::kF32 ? Element::kTf32 : Element::kTf32Flushed;
  map.interleave = static_cast<Interleave>(get(words, kInterleave));
  map.swizzle = static_cast<Swizzle>(get(words, kSwizzle));
  map.atom = static_cast<Atom>(get(words, kAtom));
  map.fill = static_cast<Fill>(get(words, kFill));
  map.promotion = static_cast<std::uint8_t>(get(words, kPromotion));
  map.address = std::uint64_t{words[1]} << 32 | words[0];
  for (unsigned i = 0; i < kMostRank; ++i) {
    map.extent[i] = get(words, extent_bits(i)) + 1;
    map.step[i] = static_cast<std::uint8_t>(get(words, step_bits(i)) + 1);
  }
  for (unsigned i = 0; i < map.stride.size(); ++i)
    map.stride[i] = std::uint64_t{get(words, high_stride_bits(i))} << 36 |
                    std::uint64_t{get(words, stride_bits(i))} << 4;
  if (map.mode == Mode::kTiled) {
    for (unsigned i = 0; i < kMostRank; ++i)
      map.box[i] = static_cast<std::uint16_t>(get(words, box_bits(i)) + 1);
    return map;
  }
  map.channels = static_cast<std::uint16_t>(get(words, kBox0) + 1);
  map.pixels = static_cast<std::uint16_t>(get(words, kPixels) + 1);
  for (unsigned i = 0; i + 2 < map.rank(); ++i) {
    map.lower[i] = get_signed(words, corner_bits(i, false, map.rank()));
    map.upper[i] = get_signed(words, corner_bits(i, true, map.rank()));
  }
  return map;
}

void TensorMap::write_fields(std::byte* bytes) const {
  MapWords words = words_of(bytes);
  const bool is_rounded = element == Element::kTf32 || element == Element::kTf32Flushed;
  const Element kind = !is_rounded                 ? element
                       : element == Element::kTf32 ? Element::kF32
                                                   : Element::kF32Flushed;
  set(words, kMode, static_cast<std::uint64_t>(mode));
  set(words, kLastDimension, last_dimension);
  set(words, kElement, static_cast<std::uint64_t>(kind));
  set(words, kRounded, is_rounded ? 1 : 0);
  set(words, kInterleave, static_cast<std::uint64_t>(interleave));
  set(words, kSwizzle, static_cast<std::uint64_t>(swizzle));
  set(words, kAtom, static_cast<std::uint64_t>(atom));
  set(words, kFill, static_cast<std::uint64_t>(fill));
  set(words, kPromotion, promotion);
  words[0] = static_cast<std::uint32_t>(address);
  words[1] = static_cast<std::uint32_t>(address >> 32);
  for (unsigned i = 0; i < kMostRank; ++i) {
    set(words, extent_bits(i), extent[i] - 1u);
    set(words, step_bits(i), step[i] - 1u);
  }
  for (unsigned i = 0; i < stride.size(); ++i) {
    set(words, stride_bits(i), stride[i] >> 4);
    set(words, high_stride_bits(i), stride[i] >> 36);
  }
  if (mode == Mode::kTiled) {
    for (unsigned i = 0; i < kMostRank; ++i) set(words, box_bits(i), box[i] - 1u);
  } else {
    set(words, kBox0, channels - 1u);
    set(words, kPixels, pixels - 1u);
    for (unsigned i = 0; i + 2 < rank(); ++i) {
      set(words, corner_bits(i, false, rank()), static_cast<std::uint16_t>(lower[i]));
      set(words, corner_bits(i, true, rank()), static_cast<std::uint16_t>(upper[i]));
    }
  }
  std::memcpy(bytes, words.data(), sizeof words);
}

void TensorMap::write(std::byte* bytes) const {
  TensorMap whole = *this;
  for (unsigned i = rank(); i < kMostRank; ++i) {
    whole.extent[i] = 1;
    whole.stride[i - 1] = 0;
    whole.box[i] = 1;
    whole.step[i] = 1;
  }
  std::memset(bytes, 0, kBytes);
  whole.write_fields(bytes);
  std::uint32_t elements = mode == Mode::kTiled ? 1 : std::uint32_t{channels} * pixels;
  for (unsigned i = 0; mode == Mode::kTiled && i < rank(); ++i)
    elements *= static_cast<std::uint32_t>(box[i]) / step[i];
  MapWords words = words_of(bytes);
  words[kBytesWord] = elements * element_bytes();
  words[kPlaceWord] = swizzle == Swizzle::kNone ? 16 : 8 * swizzle_bytes(swizzle);
  std::memcpy(bytes, words.data(), sizeof words);
}

std::string mistake_in(const TensorMap& map) {
  for (const auto check : {mistake_in_fields, mistake_in_strides, mistake_in_box}) {
    if (std::string mistake = check(map); !mistake.empty()) return mistake;
  }
  return {};
}

TensorBox box_of(const TensorMap& map) {
  TensorBox box;
  box.rows = 1;
  if (map.mode == TensorMap::Mode::kIm2col) {
    box.inner_bytes = map.channels * map.element_bytes();
    box.rows = map.pixels;
  } else {
    box.inner_bytes = map.box[0] * map.element_bytes();
    for (unsigned i = 1; i < std::min(map.rank(), TensorMap::kMostRank); ++i) {
      const std::uint32_t step = std::max<std::uint32_t>(map.step[i], 1);
      box.rows *= (map.box[i] + step - 1) / step;
    }
  }
  // "If the swizzle width exceeds the inner dimension", the memory must "accommodate the full
  // swizzle width" (CUDA Programming Guide, "Swizzle").
  box.pitch = std::max(box.inner_bytes, swizzle_bytes(map.swizzle));
  return box;
}

namespace {

TensorMap::Element element_of(const Argument& argument) {
  using Element = TensorMap::Element;
  switch (argument.type) {
    case ElementType::kF16:
      return Element::kF16;
    case ElementType::kBf16:
      return Element::kBf16;
    case ElementType::kF32:
      return argument.tensor->rounds_to_tf32 ? Element::kTf32 : Element::kF32;
    case ElementType::kF64:
      return Element::kF64;
    case ElementType::kI32:
      return Element::kS32;
    case ElementType::kI64:
      return Element::kS64;
    default:
      break;
  }
  switch (size_of(argument.type)) {
    case 1:
      return Element::kU8;
    case 2:
      return Element::kU16;
    case 4:
      return Element::kU32;
    default:
      return Element::kU64;
  }
}

}  // namespace

Result<TensorMap> tensor_map_of(const Argument& argument, std::uint64_t tensor) {
  const TensorShape& shape = *argument.tensor;
  TensorMap map;
  map.last_dimension = static_cast<std::uint8_t>(shape.rank - 1);
  map.element = element_of(argument);
  map.address = tensor;
  std::uint64_t stride = size_of(argument.type);
  for (unsigned i = 0; i < shape.rank; ++i) {
    map.extent[i] = shape.extent[i];
    map.box[i] = static_cast<std::uint16_t>(shape.box[i]);
    map.step[i] = 1;
    stride *= shape.extent[i];
    if (i + 1 < shape.rank) map.stride[i] = stride;
  }
  map.swizzle = shape.swizzle_bytes == 128  ? TensorMap::Swizzle::k128
                : shape.swizzle_bytes == 64 ? TensorMap::Swizzle::k64
                : shape.swizzle_bytes == 32 ? TensorMap::Swizzle::k32
                                            : TensorMap::Swizzle::kNone;
  if (shape.fills_with_nan) map.fill = TensorMap::Fill::kNan;
  if (const std::string mistake = mistake_in(map); !mistake.empty()) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("the tensor map {} has {}", argument.name, mistake),
        "Change its box, its extents or its swizzle; cuTensorMapEncodeTiled refuses it too",
        {}};
  }
  return map;
}

}  // namespace tilescope
