#include "emulator/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/formats/narrow_floats.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kOne = 0x3f800000;  // of a float

// A texel's index along one axis.
struct AxisPlace {
  std::int64_t index = 0;
  bool is_border = false;
};
AxisPlace on_axis(std::int64_t index, std::int64_t extent, TextureObject::AddressMode mode) {
  switch (mode) {
    case TextureObject::AddressMode::kWrap:
      return {((index % extent) + extent) % extent};
    case TextureObject::AddressMode::kMirror: {
      const std::int64_t period = 2 * extent;
      const std::int64_t inside = ((index % period) + period) % period;
      return {inside < extent ? inside : period - 1 - inside};
    }
    case TextureObject::AddressMode::kBorder:
      return {std::clamp<std::int64_t>(index, 0, extent - 1), index < 0 || index >= extent};
    case TextureObject::AddressMode::kClamp:
      break;
  }
  return {std::clamp<std::int64_t>(index, 0, extent - 1)};
}

// Wrapping and mirroring ask for normalised coordinates; without them CUDA clamps.
TextureObject::AddressMode mode_of(const TextureObject& texture, unsigned axis) {
  const TextureObject::AddressMode mode = texture.address_mode[axis];
  const bool repeats =
      mode == TextureObject::AddressMode::kWrap || mode == TextureObject::AddressMode::kMirror;
  return repeats && !texture.has_normalised_coordinates ? TextureObject::AddressMode::kClamp : mode;
}

std::int64_t extent_of(const TextureObject& texture, unsigned axis) {
  return axis == 0 ? texture.width : axis == 1 ? texture.height : texture.depth;
}

// In texels; what is no number is the first.
double in_texels(const TextureObject& texture, float coordinate, unsigned axis) {
  if (!std::isfinite(coordinate)) return 0;
  const double scale =
      texture.has_normalised_coordinates ? static_cast<double>(extent_of(texture, axis)) : 1.0;
  return std::clamp(static_cast<double>(coordinate) * scale, -1e15, 1e15);
}

// A share of what is blended, in parts of 256.
using Share = std::int64_t;
constexpr Share kWhole = 256;

// The two texels that a coordinate lies between, and the second one's share: coordinates have eight
// bits behind the point (CUDA Programming Guide, "Linear Filtering").
struct Between {
  std::int64_t first = 0;
  Share second = 0;
};
Between between(double coordinate) {
  const auto fixed = static_cast<std::int64_t>(std::floor((coordinate - 0.5) * kWhole + 0.5));
  const std::int64_t first = fixed >> 8;
  return {first, fixed - first * kWhole};
}

// The shares of the eight texels around a place: bit 0 of the index: the second along x, then y, z.
// Hardware divides the whole along z, each part along x and then along y, and rounds each time:
// measured on an H100 (docs/accuracy.md).
std::array<Share, 8> shares_of(const std::array<Between, 3>& sides) {
  std::array<Share, 8> shares{kWhole};
  for (const unsigned axis : {2u, 0u, 1u}) {
    const unsigned step = 1u << axis;
    for (unsigned corner = 0; corner < 8; ++corner) {
      if ((corner & step) != 0) continue;
      const Share second = (shares[corner] * sides[axis].second + kWhole / 2) / kWhole;
      shares[corner + step] = second;
      shares[corner] -= second;
    }
  }
  return shares;
}

// The texel at these indices, each brought inside by its axis's mode.
Footprint::Part part_at(const TextureObject& texture, const std::array<std::int64_t, 3>& index,
                        unsigned dimensions, std::uint32_t layer) {
  Footprint::Part part;
  part.place.layer = std::min(layer, texture.layers - 1);
  const std::array<std::int64_t*, 3> to{&part.place.x, &part.place.y, &part.place.z};
  for (unsigned axis = 0; axis < dimensions; ++axis) {
    const AxisPlace place = on_axis(index[axis], extent_of(texture, axis), mode_of(texture, axis));
    *to[axis] = place.index;
    part.is_border |= place.is_border;
  }
  return part;
}

}  // namespace

std::uint64_t texel_address(const TextureObject& texture, const TexelPlace& place) {
  const auto at = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };
  return texture.data + (at(place.z) + place.layer) * texture.slice + at(place.y) * texture.pitch +
         at(place.x) * texture.texel_bytes();
}

bool is_inside(const TextureObject& texture, const TexelPlace& place) {
  return place.x >= 0 && place.x < texture.width && place.y >= 0 && place.y < texture.height &&
         place.z >= 0 && place.z < texture.depth && place.layer < texture.layers;
}

TexelValue texel_value(const TextureObject& texture, const std::byte* texel, bool as_float) {
  TexelValue value{0, 0, 0, as_float ? kOne : 1};
  const unsigned bytes = texture.channel_bits / 8u;
  const unsigned unused = 32u - texture.channel_bits;
  for (unsigned channel = 0; channel < texture.channels; ++channel) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, texel + channel * bytes, bytes);
    const auto extended = static_cast<std::int32_t>(bits << unused) >> unused;
    const bool is_signed = texture.kind == TextureObject::Kind::kSigned;
    if (as_float && texture.kind == TextureObject::Kind::kFloat && bytes == 2) {
      const double half = decode(bits, float_format(DataType::kF16));
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(half));
    } else if (as_float && texture.kind != TextureObject::Kind::kFloat &&
               texture.reads_normalised) {
      const double most = std::ldexp(1.0, texture.channel_bits - (is_signed ? 1 : 0)) - 1;
      const double share = is_signed ? std::max(extended / most, -1.0) : bits / most;
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(share));
    } else if (is_signed) {
      bits = static_cast<std::uint32_t>(extended);
    }
    value[channel] = bits;
  }
  return value;
}

TexelValue border_value(const TextureObject& texture, bool as_float) {
  TexelValue value{};
  for (unsigned channel = 0; channel < 4; ++channel) {
    float of = texture.border[channel];
    if (as_float && texture.reads_normalised && texture.kind == TextureObject::Kind::kUnsigned) {
      // It is kept in the texture's format.
      const float most = std::ldexp(1.0f, texture.channel_bits) - 1;
      of = std::floor(std::clamp(of, 0.0f, 1.0f) * most + 0.5f) / most;
    }
    value[channel] = as_float ? std::bit_cast<std::uint32_t>(of) : static_cast<std::uint32_t>(of);
  }
  return value;
}

Footprint footprint_of(const TextureObject& texture, const std::array<float, 3>& at,
                       unsigned dimensions, std::uint32_t layer) {
  Footprint footprint;
  if (!texture.is_linear) {
    std::array<std::int64_t, 3> index{};
    for (unsigned axis = 0; axis < dimensions; ++axis)
      index[axis] = static_cast<std::int64_t>(std::floor(in_texels(texture, at[axis], axis)));
    footprint.parts[footprint.count++] = part_at(texture, index, dimensions, layer);
    return footprint;
  }
  // One dimension is two for the hardware: with AddressMode::kBorder on the second axis, half of
  // what is blended is the border.
  dimensions = std::max(dimensions, 2u);
  std::array<Between, 3> sides{};
  for (unsigned axis = 0; axis < dimensions; ++axis)
    sides[axis] = between(in_texels(texture, at[axis], axis));
  const std::array<Share, 8> shares = shares_of(sides);
  for (unsigned corner = 0; corner < (1u << dimensions); ++corner) {
    std::array<std::int64_t, 3> index{};
    for (unsigned axis = 0; axis < dimensions; ++axis)
      index[axis] = sides[axis].first + ((corner >> axis) & 1);
    Footprint::Part part = part_at(texture, index, dimensions, layer);
    part.share = static_cast<float>(shares[corner]) / static_cast<float>(kWhole);
    footprint.parts[footprint.count++] = part;
  }
  return footprint;
}

Footprint gathered_by(const TextureObject& texture, const std::array<float, 3>& at,
                      std::uint32_t layer) {
  const std::int64_t x = between(in_texels(texture, at[0], 0)).first;
  const std::int64_t y = between(in_texels(texture, at[1], 1)).first;
  Footprint footprint;
  for (const auto& index :
       {std::array<std::int64_t, 3>{x, y + 1, 0}, {x + 1, y + 1, 0}, {x + 1, y, 0}, {x, y, 0}})
    footprint.parts[footprint.count++] = part_at(texture, index, 2, layer);
  return footprint;
}

CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  CubePlace place;
  float s = 0, t = 0, most = 0;
  if (ax >= ay && ax >= az) {
    place.face = x < 0 ? 1 : 0;
    most = ax;
    s = x < 0 ? z : -z;
    t = -y;
  } else if (ay >= az) {
    place.face = y < 0 ? 3 : 2;
    most = ay;
    s = x;
    t = y < 0 ? -z : z;
  } else {
    place.face = z < 0 ? 5 : 4;
    most = az;
    s = z < 0 ? -x : x;
    t = -y;
  }
  if (most == 0) most = 1;
  place.at = {(s / most + 1) / 2, (t / most + 1) / 2, 0};
  return place;
}

}  // namespace tilescope
