#include "kernel/launch/tensor_shape.h"

#include <gtest/gtest.h>

#include "core/result.h"
#include "kernel/guess/tensor_guess.h"
#include "kernel/launch/file_launch.h"

namespace tilescope {
namespace {

TEST(TensorArguments, SayTypeBoxAndExtents) {
  std::string buffer;
  const auto shape =
      parse_tensor("tensormap:bf16+box64x128+swizzle128+nan[4096x2048]=random:1", &buffer);
  ASSERT_TRUE(shape.ok()) << to_string(shape.error());
  EXPECT_EQ(shape->rank, 2U);
  EXPECT_EQ(shape->extent[1], 2048U);
  EXPECT_EQ(shape->box[0], 64U);
  EXPECT_EQ(shape->swizzle_bytes, 128U);
  EXPECT_TRUE(shape->fills_with_nan);
  EXPECT_EQ(buffer, "bf16[8388608]=random:1");
}

TEST(TensorArguments, AreRefusedWithTheWordThatIsWrong) {
  const auto refused = [](const char* text, const char* words) {
    std::string buffer;
    const auto shape = parse_tensor(text, &buffer);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_NE(shape.error().message.find(words), std::string::npos) << shape.error().message;
  };
  refused("tensormap:f32[64x64]=zero", "box is missing");
  refused("tensormap:f32+box8[64x64]=zero", "another number of dimensions");
  refused("tensormap:f32+box8x300[64x64]=zero", "1 to 256");
  refused("tensormap:what+box8x8[64x64]=zero", "type is not known");
  refused("tensormap:f32+box8x8+twist[64x64]=zero", "'twist'");
  refused("tensormap:f32+box8x8", "brackets");
  refused("tensormap:f32+box8x8[]=zero", "1 to 5 extents");
}

TEST(TensorArguments, LieInStructuresByValue) {
  const auto members = file_arguments("{tensormap:f32+box8x8[64x64]=zero, i32:4}", 0);
  ASSERT_TRUE(members.ok()) << to_string(members.error());
  ASSERT_EQ(members->size(), 2U);
  EXPECT_EQ((*members)[1].member->offset, 128U);
  EXPECT_EQ((*members)[1].member->structure_bytes, 192U);
}

// Barriers, and arrays that no box can fill, say nothing of the boxes.
TEST(TensorArguments, AreGuessedByTheArrayThatBoxesFill) {
  ParameterText map;
  map.name = "in";
  map.type = "const CUtensorMap";
  const auto guessed = [&](const std::string& arrays) {
    return guessed_tensor("__global__ void k() {\n" + arrays + "}\n", map, "", 1).value_or("none");
  };
  const std::string barriers = "__shared__ unsigned long long full[4];\n";
  EXPECT_EQ(guessed(barriers + "__shared__ float tile[16][64];\n").find("f32+box64x16["), 0U);
  EXPECT_EQ(guessed(barriers).find("f32+box32x32["), 0U);
  const std::string ring = "__shared__ float ring[3][16][64];\n";
  EXPECT_EQ(guessed(ring).find("f32+box64x16x3["), 0U);
  EXPECT_EQ(guessed(ring + "cp_async_bulk_tensor_2d_global_to_shared();\n").find("f32+box64x16["),
            0U);
  EXPECT_EQ(guessed("__shared__ float odd[16][33];\n").find("f32+box32x32["), 0U);
}

}  // namespace
}  // namespace tilescope
