#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel/guess/launch_guess.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {
namespace {

// "name:type name:type … of bytes", or the error.
std::string read(const std::string& text) {
  const auto arguments = file_arguments(text, 2);
  if (!arguments) return to_string(arguments.error());
  std::string words;
  for (const Argument& argument : *arguments) {
    words += fmt::format("{}:{}{} ", argument.name, argument.is_pointer ? "*" : "",
                         name_of(argument.type));
  }
  const auto& member = arguments->back().member;
  return words + (member ? fmt::format("of {}", member->structure_bytes) : "alone");
}

TEST(ArgumentText, IsOneArgumentOrAStructure) {
  EXPECT_EQ(read("f32[16]=zero"), "arg2:*f32 alone");
  EXPECT_EQ(read("{i32:4, f32[16]=zero}"), "arg2+0:i32 arg2+8:*f32 of 16");
  EXPECT_EQ(read("{f64:1,i32:4}"), "arg2+0:f64 arg2+8:i32 of 16");
  EXPECT_EQ(read("{i8:1, pad:15, f32:2, pad:12}"), "arg2+0:i8 arg2+16:f32 of 32");
  EXPECT_EQ(read("{i8:1, {i8:2, f64:1}, i16:3}"),
            "arg2+0:i8 arg2+8:i8 arg2+16:f64 arg2+24:i16 of 32");
}

TEST(ArgumentText, StructuresInABufferHaveACount) {
  const auto arguments = file_arguments("{i32:4, {f32[64]=random:1}[2], f32[8]=zero}[16]", 0);
  ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
  ASSERT_EQ(arguments->size(), 1U);
  const Argument& rows = arguments->front();
  EXPECT_TRUE(rows.is_pointer);
  EXPECT_EQ(rows.structures(), 16U);
  EXPECT_EQ(rows.buffer.bytes(), 16U * 24);
  ASSERT_EQ(rows.behind.size(), 3U);
  EXPECT_EQ(rows.behind[1].member->offset, 8U);
  EXPECT_EQ(rows.behind[1].structures(), 2U);
  EXPECT_EQ(rows.behind[1].behind.at(0).buffer.count, 64U);
  EXPECT_EQ(read("{i32:1, {i8:1}[4], i8:1}"), "arg2+0:i32 arg2+8:*u8 arg2+16:i8 of 24");
  EXPECT_NE(read("{i32:1}[0]").find("their number must be from 1"), std::string::npos);
  EXPECT_NE(read("{i32:1}[x]").find("their number must be from 1"), std::string::npos);
  EXPECT_NE(read("{texture:f32[4]}[2]").find("can hold a texture"), std::string::npos);
  std::string deep = "i32:1";
  for (int i = 0; i < 40; ++i) deep = "{" + deep + "}[1]";
  EXPECT_NE(read(deep).find("too many braces"), std::string::npos);
}

TEST(ArgumentText, ABufferMayBeRowsOfColumns) {
  for (const char* text : {"f32[64x32]=zero", "f32[64 x 32]=zero", "f32[64 × 32]"}) {
    const auto arguments = file_arguments(text, 0);
    ASSERT_TRUE(arguments.ok()) << text;
    EXPECT_EQ(arguments->front().buffer.count, 2048U) << text;
    EXPECT_EQ(arguments->front().rows, 64U) << text;
    EXPECT_EQ(arguments->front().cols, 32U) << text;
    EXPECT_EQ(arguments->front().leading, 32U) << text;
  }
  EXPECT_EQ(file_arguments("f32[2048]", 0)->front().rows, 0U);
  for (const char* text : {"f32[64x]", "f32[x32]", "f32[0x32]", "f32[64x32x2]", "f32[6e1x32]",
                           "f32[4294967296x4294967296]"}) {
    EXPECT_FALSE(file_arguments(text, 0).ok()) << text;
  }
}

TEST(ArgumentText, ATextureIsItsTexels) {
  const auto arguments = file_arguments("texture:u8x4+linear+unit[640x480]=random:3", 1);
  ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
  const Argument& argument = arguments->front();
  ASSERT_TRUE(argument.texture);
  EXPECT_TRUE(argument.is_pointer);
  EXPECT_EQ(argument.type, ElementType::kU8);
  EXPECT_EQ(argument.buffer.count, 640U * 480 * 4);
  EXPECT_EQ(argument.buffer.fill, Fill::kRandom);
  EXPECT_EQ(argument.texture->width, 640U);
  EXPECT_EQ(argument.texture->height, 480U);
  EXPECT_TRUE(argument.texture->is_linear && argument.texture->reads_normalised);
  EXPECT_FALSE(argument.texture->has_normalised_coordinates || argument.written);
  EXPECT_TRUE(file_arguments("surface:f32[64x64x8]", 0)->front().written);
  EXPECT_TRUE(file_arguments("texture:f32+fetch[4096]=ramp", 0)->front().texture->is_buffer);
  EXPECT_EQ(read("{texture:f32[64], i32:4}"), "arg2+0:*f32 arg2+8:i32 of 16");
}

TEST(ArgumentText, MistakesOfATextureAreNamed) {
  EXPECT_NE(read("texture:f64[64]").find("its type is none of"), std::string::npos);
  EXPECT_NE(read("texture:f32x3[64]").find("1, 2 or 4 channels"), std::string::npos);
  EXPECT_NE(read("texture:f32").find("extents in brackets"), std::string::npos);
  EXPECT_NE(read("texture:f32[0x4]").find("an extent is no number"), std::string::npos);
  EXPECT_NE(read("texture:f32[2x2x2x2]").find("three extents"), std::string::npos);
  EXPECT_NE(read("texture:f32+smooth[4]").find("'smooth' is not known"), std::string::npos);
  EXPECT_NE(read("texture:f32+fetch[4x4]").find("one extent"), std::string::npos);
  EXPECT_NE(read("texture:f32[4]=blue").find("unknown contents"), std::string::npos);
}

TEST(ArgumentText, MistakesAreNamed) {
  EXPECT_NE(read("image=texture:f32[4]").find("'image=' names an argument"), std::string::npos);
  EXPECT_NE(read("n=i32:4").find("Leave 'n=' out"), std::string::npos);
  EXPECT_NE(read("{i32:4").find("a '}' is missing"), std::string::npos);
  EXPECT_NE(read("{i32:4} 5").find("text behind its '}'"), std::string::npos);
  EXPECT_NE(read("{pad:8}").find("no member"), std::string::npos);
  EXPECT_NE(read("{pad:x}").find("pad: has no length"), std::string::npos);
  EXPECT_NE(read("{pad:99999, i32:1}").find("pad: has no length"), std::string::npos);
  EXPECT_NE(read("{i32}").find("i32"), std::string::npos);
  EXPECT_NE(read(std::string(40, '{')).find("too many braces"), std::string::npos);
}

// What a form says is what is read back.
TEST(ArgumentText, AGuessedStructureComesBackAsItIsLaidOut) {
  const KernelFile file{"k.cu",
                        "struct __align__(16) Edge { float x; };\n"
                        "struct Image { int width, height; const float* pixels; char kind; float4 "
                        "tint; Edge edge; };\n"
                        "__global__ void k(float* out, Image image, float3 by, int n) {}\n"};
  const LaunchForm form = guess_launch(file);
  ASSERT_EQ(form.arguments.size(), 14U);
  EXPECT_EQ(form.arguments[3].fill, "random:4");
  EXPECT_EQ(form.arguments[3].name, "image.pixels");
  EXPECT_EQ(form.arguments[1].value, "1024") << "a width is a size";
  const auto launch = launch_text(form);
  ASSERT_TRUE(launch.ok());
  ASSERT_EQ(launch->arguments.size(), 4U);
  EXPECT_EQ(launch->arguments[2], "{f32:1, f32:1, f32:1}");
  const auto instance = launch_file(file, *launch);
  ASSERT_TRUE(instance.ok());
  ASSERT_EQ(instance->arguments.size(), form.arguments.size());
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    EXPECT_EQ(instance->arguments[i].name, form.arguments[i].name);
    EXPECT_EQ(instance->arguments[i].member, form.arguments[i].member) << i;
  }
}

TEST(ArgumentText, AStructureThatIsNotDefinedIsNamed) {
  const LaunchForm form =
      guess_launch({"k.cu", "#include \"image.h\"\n__global__ void k(Image image) {}\n"});
  const auto launch = launch_text(form);
  ASSERT_FALSE(launch.ok());
  EXPECT_NE(launch.error().message.find("image is a Image, and what that holds is not known"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
