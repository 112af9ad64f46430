#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "kernel/launch/instance.h"
#include "ptx/data_type.h"

namespace tilescope {

// What the 128 bytes of a CUtensorMap say (PTX ISA, "Tensors"). NVIDIA does not publish how they
// say it; read() and write() follow what a driver (580.159.04) has encoded and what ptxas makes of
// tensormap.replace. Numbers of enumerators are those of tensormap.replace. Dimension 0 is the
// innermost.
struct TensorMap {
  static constexpr unsigned kMostRank = 5;
  enum class Element : std::uint8_t {
    kU8,
    kU16,
    kU32,
    kS32,
    kU64,
    kS64,
    kF16,
    kF32,
    kF32Flushed,  // an H100 keeps subnormals all the same
    kF64,
    kBf16,
    kTf32,  // rounded to tf32
    kTf32Flushed
  };
  enum class Interleave : std::uint8_t { kNone, k16, k32 };
  enum class Swizzle : std::uint8_t { kNone, k32, k64, k128 };
  enum class Atom : std::uint8_t { k16, k32, k32Flipped, k64 };  // what swizzling moves as a whole
  enum class Fill : std::uint8_t { kZero, kNan };
  enum class Mode : std::uint8_t { kTiled, kIm2col };

  std::uint8_t last_dimension = 0;  // rank - 1
  Element element = Element::kU8;
  Interleave interleave = Interleave::kNone;
  Swizzle swizzle = Swizzle::kNone;
  Atom atom = Atom::k16;
  Fill fill = Fill::kZero;
  Mode mode = Mode::kTiled;
  std::uint8_t promotion = 0;                     // CUtensorMapL2promotion; changes no result
  std::uint64_t address = 0;                      // device address of element 0
  std::array<std::uint32_t, kMostRank> extent{};  // elements
  std::array<std::uint64_t, 4> stride{};       // bytes from one to the next of dimension 1, 2 ...
  std::array<std::uint16_t, kMostRank> box{};  // elements of the bounding box; tiled
  std::array<std::uint8_t, kMostRank> step{};  // elements from one that is copied to the next
  // Im2col: the corners of the box of pixels, without the channels and the images; channels and
  // pixels that one copy takes.
  std::array<std::int16_t, 3> lower{};
  std::array<std::int16_t, 3> upper{};
  std::uint16_t channels = 0;
  std::uint16_t pixels = 0;

  [[nodiscard]] unsigned rank() const { return last_dimension + 1u; }
  [[nodiscard]] unsigned element_bytes() const;
  [[nodiscard]] DataType element_type() const;

  // The map in these 128 bytes, of which zeros are one; nullopt: they hold none.
  static constexpr std::size_t kBytes = 128;
  [[nodiscard]] static std::optional<TensorMap> read(const std::byte* bytes);
  // As a driver encodes it.
  void write(std::byte* bytes) const;
  // What tensormap.replace changes of them: not what the driver sums up behind the fields.
  void write_fields(std::byte* bytes) const;
};

// What is wrong with a map, and what to do; as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col
// check it (CUDA Driver API, "Tensor Map Object Management"). Empty: it is good.
[[nodiscard]] std::string mistake_in(const TensorMap& map);

// The shared memory of one copy.
struct TensorBox {
  std::uint32_t inner_bytes = 0;  // of the elements of dimension 0
  std::uint32_t rows = 0;
  std::uint32_t pitch = 0;  // bytes from row to row
  // What an mbarrier counts: also what lies outside the tensor.
  [[nodiscard]] std::uint32_t bytes() const { return inner_bytes * rows; }
  [[nodiscard]] std::uint32_t shared_bytes() const { return pitch * rows; }
};
[[nodiscard]] TensorBox box_of(const TensorMap& map);

// The map of an argument that is one (Argument::tensor), whose dense tensor lies at this address.
// Errors (kUsage): what is wrong with its box, extents or swizzle, and what to do.
[[nodiscard]] Result<TensorMap> tensor_map_of(const Argument& argument, std::uint64_t tensor);

}  // namespace tilescope
