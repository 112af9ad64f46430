#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tilescope {

// What a texture or surface object stands for. It lies in global memory as it is here, and the
// object is its address. Texels lie row by row. Numbers of enumerators are CUDA's
// (texture_types.h).
struct TextureObject {
  static constexpr std::uint64_t kMark = 0x7478'6574'656c'6974;
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat };  // cudaChannelFormatKind
  enum class AddressMode : std::uint8_t {
    kWrap,
    kClamp,
    kMirror,
    kBorder
  };  // cudaTextureAddressMode

  std::uint64_t mark = kMark;      // anything else: no such object
  std::uint64_t data = 0;          // device address of the first texel
  std::uint32_t width = 1;         // texels
  std::uint32_t height = 1;        // 1 where there is one dimension
  std::uint32_t depth = 1;         // of three dimensions, else 1
  std::uint32_t layers = 1;        // faces of cubes are layers, six for each
  std::uint64_t pitch = 0;         // bytes from row to row
  std::uint64_t slice = 0;         // bytes from layer to layer, or along z
  std::uint8_t channels = 1;       // 1, 2, 4
  std::uint8_t channel_bits = 32;  // 8, 16, 32
  Kind kind = Kind::kFloat;
  std::array<AddressMode, 3> address_mode{AddressMode::kClamp, AddressMode::kClamp,
                                          AddressMode::kClamp};
  bool is_linear = false;         // filtered between texels, else the nearest is taken
  bool reads_normalised = false;  // integers become [0, 1] or [-1, 1]
  bool has_normalised_coordinates = false;
  bool is_buffer = false;  // linear memory: read by index, without address modes
  std::array<float, 4> border{};

  [[nodiscard]] std::uint32_t texel_bytes() const { return channels * channel_bits / 8u; }
};

// A texel's place; layer 0 where there are none.
struct TexelPlace {
  std::int64_t x = 0, y = 0, z = 0;
  std::uint32_t layer = 0;
};
// Precondition: the place is inside.
[[nodiscard]] std::uint64_t texel_address(const TextureObject& texture, const TexelPlace& place);
[[nodiscard]] bool is_inside(const TextureObject& texture, const TexelPlace& place);

// A texel's channels as a kernel gets them: bits of a float, or of an integer extended to 32 bits.
// Channels that the texture lacks are 0, the fourth 1.
using TexelValue = std::array<std::uint32_t, 4>;
[[nodiscard]] TexelValue texel_value(const TextureObject& texture, const std::byte* texel,
                                     bool as_float);
// What lies beyond the edge with AddressMode::kBorder.
[[nodiscard]] TexelValue border_value(const TextureObject& texture, bool as_float);

// The texels that a fetch at these coordinates blends, with their shares: multiples of 1/256, which
// add up to 1. `dimensions` coordinates are used.
struct Footprint {
  struct Part {
    TexelPlace place;
    bool is_border = false;
    float share = 1;
  };
  std::array<Part, 8> parts;
  unsigned count = 0;
};
[[nodiscard]] Footprint footprint_of(const TextureObject& texture, const std::array<float, 3>& at,
                                     unsigned dimensions, std::uint32_t layer);
// The four texels around it, as tld4 gives them: counter-clockwise from the lower left.
[[nodiscard]] Footprint gathered_by(const TextureObject& texture, const std::array<float, 3>& at,
                                    std::uint32_t layer);

// Where a direction meets the cube: its face (0 to 5: +x -x +y -y +z -z) and the coordinates there,
// from 0 to 1.
struct CubePlace {
  std::uint32_t face = 0;
  std::array<float, 3> at{};
};
[[nodiscard]] CubePlace cube_place(float x, float y, float z);

}  // namespace tilescope
