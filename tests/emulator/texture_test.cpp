#include "emulator/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

namespace tilescope {
namespace {

TextureObject plane(std::uint32_t width, std::uint32_t height) {
  TextureObject texture;
  texture.width = width;
  texture.height = height;
  texture.pitch = width * 4;
  texture.is_linear = true;
  return texture;
}

// The share of the texel at (x, y) of what is blended, in parts of 256.
float share_of(const Footprint& footprint, std::int64_t x, std::int64_t y) {
  float share = 0;
  for (unsigned i = 0; i < footprint.count; ++i) {
    const TexelPlace& place = footprint.parts[i].place;
    if (place.x == x && place.y == y && !footprint.parts[i].is_border)
      share += footprint.parts[i].share * 256;
  }
  return share;
}

TEST(TextureFootprint, TakesTheNearestTexelWithoutAFilter) {
  TextureObject texture = plane(4, 2);
  texture.is_linear = false;
  const Footprint footprint = footprint_of(texture, {2.99f, 1.0f, 0}, 2, 0);
  ASSERT_EQ(footprint.count, 1U);
  EXPECT_EQ(footprint.parts[0].place.x, 2);
  EXPECT_EQ(footprint.parts[0].place.y, 1);
}

// 100/256 to the right, 200/256 down: 100 * 200 / 256 = 78.1 is rounded, and the rest is what is
// left, so that the four add up to 256.
TEST(TextureFootprint, DividesAWholeOf256) {
  const Footprint footprint =
      footprint_of(plane(8, 8), {1.5f + 100 / 256.0f, 2.5f + 200 / 256.0f, 0}, 2, 0);
  EXPECT_EQ(share_of(footprint, 2, 3), 78);
  EXPECT_EQ(share_of(footprint, 2, 2), 22);
  EXPECT_EQ(share_of(footprint, 1, 3), 122);
  EXPECT_EQ(share_of(footprint, 1, 2), 34);
}

TEST(TextureFootprint, RepeatsOnlyNormalisedCoordinates) {
  TextureObject texture = plane(4, 4);
  texture.is_linear = false;
  texture.address_mode = {TextureObject::AddressMode::kWrap, TextureObject::AddressMode::kMirror,
                          TextureObject::AddressMode::kClamp};
  EXPECT_EQ(footprint_of(texture, {5.5f, 5.5f, 0}, 2, 0).parts[0].place.x, 3);  // clamped
  texture.has_normalised_coordinates = true;
  const TexelPlace place = footprint_of(texture, {1.375f, 1.375f, 0}, 2, 0).parts[0].place;
  EXPECT_EQ(place.x, 1);  // texel 5 of 4
  EXPECT_EQ(place.y, 2);  // ... mirrored
}

// The second coordinate of one dimension is 0, which lies between the border and the only row.
TEST(TextureFootprint, OfOneDimensionIsHalfBorderWhereTheSecondAxisHasOne) {
  TextureObject texture = plane(4, 1);
  texture.address_mode.fill(TextureObject::AddressMode::kBorder);
  EXPECT_EQ(share_of(footprint_of(texture, {1.5f, 0, 0}, 1, 0), 1, 0), 128);
  texture.address_mode[1] = TextureObject::AddressMode::kClamp;
  EXPECT_EQ(share_of(footprint_of(texture, {1.5f, 0, 0}, 1, 0), 1, 0), 256);
}

TEST(TexelValue, FollowsTheFormat) {
  TextureObject texture;
  texture.channels = 2;
  texture.channel_bits = 8;
  texture.kind = TextureObject::Kind::kSigned;
  const std::vector<std::byte> texel{std::byte{0x80}, std::byte{127}};
  EXPECT_EQ(texel_value(texture, texel.data(), false), (TexelValue{0xffffff80, 127, 0, 1}));
  texture.reads_normalised = true;
  const TexelValue shares = texel_value(texture, texel.data(), true);
  EXPECT_EQ(std::bit_cast<float>(shares[0]), -1.0f);
  EXPECT_EQ(std::bit_cast<float>(shares[1]), 1.0f);

  texture.channel_bits = 16;
  texture.kind = TextureObject::Kind::kFloat;
  const std::uint16_t halves[2] = {0x3c00, 0xc000};
  const TexelValue floats = texel_value(texture, reinterpret_cast<const std::byte*>(halves), true);
  EXPECT_EQ(std::bit_cast<float>(floats[0]), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(floats[1]), -2.0f);
}

TEST(CubePlace, ChoosesTheFaceOfTheLargestCoordinate) {
  EXPECT_EQ(cube_place(1, 0.5f, 0).face, 0U);
  EXPECT_EQ(cube_place(-1, 0.5f, 0).face, 1U);
  EXPECT_EQ(cube_place(0, 2, 1).face, 2U);
  EXPECT_EQ(cube_place(0, -2, 1).face, 3U);
  EXPECT_EQ(cube_place(0, 0, 3).face, 4U);
  const CubePlace behind = cube_place(0.5f, -0.5f, -1);
  EXPECT_EQ(behind.face, 5U);
  EXPECT_EQ(behind.at[0], 0.25f);
  EXPECT_EQ(behind.at[1], 0.75f);
}

}  // namespace
}  // namespace tilescope
