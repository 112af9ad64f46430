#include <gtest/gtest.h>

#include "export/export_view.h"
#include "export/font_library.h"

namespace tilescope {
namespace {

TEST(FontLibrary, WidthsAddUpAndScale) {
  const FontLibrary fonts;
  TextStyle style;
  style.size = 13;
  const float a = fonts.text_width("sectors", style);
  const float b = fonts.text_width(" per request", style);
  EXPECT_GT(a, 20);
  EXPECT_NEAR(fonts.text_width("sectors per request", style), a + b, 1e-3);
  style.size = 26;
  EXPECT_NEAR(fonts.text_width("sectors", style), 2 * a, 1e-3);
}

TEST(FontLibrary, MonospacedDigitsAreEquallyWide) {
  const FontLibrary fonts;
  TextStyle style;
  style.font = Font::kMono;
  EXPECT_FLOAT_EQ(fonts.text_width("111", style), fonts.text_width("888", style));
}

TEST(Utf8, ReadsCharactersAndReplacesWhatIsNone) {
  const std::string text = "a×…\xff";
  std::size_t at = 0;
  EXPECT_EQ(next_code(text, at), U'a');
  EXPECT_EQ(next_code(text, at), U'×');
  EXPECT_EQ(next_code(text, at), U'…');
  EXPECT_EQ(next_code(text, at), 0xFFFDu);
  EXPECT_EQ(at, text.size());
}

TEST(PictureFormat, FollowsTheEnding) {
  EXPECT_EQ(*picture_format("a.svg"), PictureFormat::kSvg);
  EXPECT_EQ(*picture_format("x/y.pdf"), PictureFormat::kPdf);
  EXPECT_EQ(*picture_format("z.png"), PictureFormat::kPng);
  const auto wrong = picture_format("a.bmp");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace tilescope
