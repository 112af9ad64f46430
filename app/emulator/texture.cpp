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
AxisPlace on_axis(std::int64_t index, std::int64_t extent, Texture::AddressMode mode) {
  switch (mode) {
    case Texture::AddressMode::kWrap:
      return {((index % extent) + extent) % extent};
    case Texture::AddressMode::kMirror: {
      const std::int64_t period = 2 * extent;
      const std::int64_t inside = ((index % period) + period) % period;
      return {inside < extent ? inside : period - 1 - inside};
    }
    case Texture::AddressMode::kBorder:
      return {std::clamp<std::int64_t>(index, 0, extent - 1), index < 0 || index >= extent};
    case Texture::AddressMode::kClamp:
      break;
  }
  return {std::clamp<std::int64_t>(index, 0, extent - 1)};
}

// Wrapping and mirroring ask for normalised coordinates; without them CUDA clamps.
Texture::AddressMode mode_of(const Texture& texture, unsigned axis) {
  const Texture::AddressMode mode = texture.address_mode[axis];
  const bool repeats = mode == Texture::AddressMode::kWrap || mode == Texture::AddressMode::kMirror;
  return repeats && !texture.has_normalised_coordinates ? Texture::AddressMode::kClamp : mode;
}

std::int64_t extent_of(const Texture& texture, unsigned axis) {
  return axis == 0 ? texture.width : axis == 1 ? texture.height : texture.depth;
}

// In texels; what is no number is the first.
double in_texels(const Texture& texture, float coordinate, unsigned axis) {
  if (!std::isfinite(coordinate)) return 0;
  const double scale =
      texture.has_normalised_coordinates ? static_cast<double>(extent_of(texture, axis)) : 1.0;
  return std::clamp(static_cast<double>(coordinate) * scale, -1e15, 1e15);
}

// The two texels that a coordinate lies between, and the second one's share: its fraction has eight
// bits (CUDA Programming Guide, "Linear Filtering").
struct Between {
  std::int64_t first = 0;
  float share = 0;
};
Between between(double coordinate) {
  const double middle = coordinate - 0.5;
  const double floor = std::floor(middle);
  const double share = std::floor((middle - floor) * 256 + 0.5) / 256;
  return {static_cast<std::int64_t>(floor), static_cast<float>(share)};
}

// The texel at these indices, each brought inside by its axis's mode.
Footprint::Part part_at(const Texture& texture, const std::array<std::int64_t, 3>& index,
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

std::uint64_t texel_address(const Texture& texture, const TexelPlace& place) {
  const auto at = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };
  return texture.data + (at(place.z) + place.layer) * texture.slice + at(place.y) * texture.pitch +
         at(place.x) * texture.texel_bytes();
}

bool is_inside(const Texture& texture, const TexelPlace& place) {
  return place.x >= 0 && place.x < texture.width && place.y >= 0 && place.y < texture.height &&
         place.z >= 0 && place.z < texture.depth && place.layer < texture.layers;
}

TexelValue texel_value(const Texture& texture, const std::byte* texel, bool as_float) {
  TexelValue value{0, 0, 0, as_float ? kOne : 1};
  const unsigned bytes = texture.channel_bits / 8u;
  const unsigned unused = 32u - texture.channel_bits;
  for (unsigned channel = 0; channel < texture.channels; ++channel) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, texel + channel * bytes, bytes);
    const auto extended = static_cast<std::int32_t>(bits << unused) >> unused;
    const bool is_signed = texture.kind == Texture::Kind::kSigned;
    if (as_float && texture.kind == Texture::Kind::kFloat && bytes == 2) {
      const double half = decode(bits, float_format(DataType::kF16));
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(half));
    } else if (as_float && texture.kind != Texture::Kind::kFloat && texture.reads_normalised) {
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

TexelValue border_value(const Texture& texture, bool as_float) {
  TexelValue value{};
  for (unsigned channel = 0; channel < 4; ++channel) {
    const float of = texture.border[channel];
    value[channel] = as_float ? std::bit_cast<std::uint32_t>(of) : static_cast<std::uint32_t>(of);
  }
  return value;
}

Footprint footprint_of(const Texture& texture, const std::array<float, 3>& at, unsigned dimensions,
                       std::uint32_t layer) {
  Footprint footprint;
  if (!texture.is_linear) {
    std::array<std::int64_t, 3> index{};
    for (unsigned axis = 0; axis < dimensions; ++axis)
      index[axis] = static_cast<std::int64_t>(std::floor(in_texels(texture, at[axis], axis)));
    footprint.parts[footprint.count++] = part_at(texture, index, dimensions, layer);
    return footprint;
  }
  std::array<Between, 3> sides{};
  for (unsigned axis = 0; axis < dimensions; ++axis)
    sides[axis] = between(in_texels(texture, at[axis], axis));
  for (unsigned corner = 0; corner < (1u << dimensions); ++corner) {
    std::array<std::int64_t, 3> index{};
    float share = 1;
    for (unsigned axis = 0; axis < dimensions; ++axis) {
      const bool second = ((corner >> axis) & 1u) != 0;
      index[axis] = sides[axis].first + (second ? 1 : 0);
      share *= second ? sides[axis].share : 1 - sides[axis].share;
    }
    Footprint::Part part = part_at(texture, index, dimensions, layer);
    part.share = share;
    footprint.parts[footprint.count++] = part;
  }
  return footprint;
}

Footprint gathered_by(const Texture& texture, const std::array<float, 3>& at, std::uint32_t layer) {
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
