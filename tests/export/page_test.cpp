#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "export/font_library.h"
#include "export/page_figure.h"
#include "export/page_template.h"
#include "export/svg_canvas.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SvgClasses, RectanglesOfOneColourAreOnePathWhereNoneLiesOnAnother) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts, SvgColours::kClasses, "p");
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<float>(10 * i);
    canvas.fill_rect({x, 0, 8, 8}, ColourRole::kFirst, 0);
    canvas.fill_rect({x, 20, 8, 8}, ColourRole::kSecond, 0);
  }
  EXPECT_EQ(
      canvas.body(),
      "<path d=\"M0 0h8v8h-8zM10 0h8v8h-8zM20 0h8v8h-8zM30 0h8v8h-8z\" class=\"f9\"/>\n"
      "<path d=\"M0 20h8v8h-8zM10 20h8v8h-8zM20 20h8v8h-8zM30 20h8v8h-8z\" class=\"f10\"/>\n");
  canvas.fill_rect({0, 40, 8, 8}, ColourRole::kFirst, 0);
  canvas.fill_rect({0, 40, 8, 8}, ColourRole::kSecond, 0);
  canvas.fill_rect({4, 40, 8, 8}, ColourRole::kFirst, 0);  // over the second one
  EXPECT_EQ(count_of(canvas.body(), "<path"), 5U);
}

TEST(SvgClasses, TooltipsComeLastAndEndWhereTheirPictureIsCut) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts, SvgColours::kClasses, "p");
  canvas.push_clip({0, 0, 50, 50});
  canvas.hit({40, 0, 20, 10}, {.tooltip = "Half of it."});
  canvas.hit({60, 0, 20, 10}, {.tooltip = "Nothing of it."});
  canvas.fill_rect({60, 0, 5, 5}, ColourRole::kFirst, 0);
  canvas.pop_clip();
  EXPECT_EQ(
      canvas.body(),
      "<clipPath id=\"p1\"><rect x=\"0\" y=\"0\" width=\"50\" height=\"50\"/></clipPath>\n"
      "<g clip-path=\"url(#p1)\">\n</g>\n"
      "<rect x=\"40\" y=\"0\" width=\"10\" height=\"10\" class=\"h\"><title>Half of it.</title>"
      "</rect>\n");
}

TEST(SvgClasses, WhatLightAndDarkDrawAlikeIsThereOnce) {
  const FontLibrary fonts;
  const std::vector<std::string> elements =
      themed_elements(100, 50, fonts, "p", [](Canvas& canvas, Theme theme) {
        canvas.line({0, 0}, {9, 9}, ColourRole::kLine, 1);
        canvas.text({5, 5}, "8", {.paint = text_on(Paint::lane(16), theme)});
      });
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(elements[0], "<path d=\"M0 0L9 9\" class=\"s4\"/>");
  EXPECT_TRUE(elements[1].starts_with("<g class=\"light\"><text")) << elements[1];
  EXPECT_EQ(count_of(elements[1], ">8</text>"), 2U);
}

// What the script of a figure reads.
nlohmann::json unpacked(const std::string& html) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string_view begin = "<script type=\"text/plain\">";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t at = html.find(begin) + begin.size(); html[at] != '=' && html[at] != '<'; ++at) {
    bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(html[at]));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  std::string text(1U << 20, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  return nlohmann::json::parse(text.substr(0, size));
}

FigureFrame frame_with(float width, const std::string& moment) {
  return {.draw =
              [width](Canvas& canvas, Theme) {
                canvas.stroke_rect({0, 0, 5, 5}, ColourRole::kLine, 1, 0);
                canvas.fill_circle({9, 9}, width, ColourRole::kFirst);
              },
          .sentence = "It is <strong>so wide</strong>.",
          .alternative = "A circle & a frame",
          .caption = "",
          .moment = moment,
          .numbers = {{"circle", "", "radius", 2.5, "B", Source::kModelled, 0}}};
}

TEST(PageFigure, KeepsWhatDiffersAndDropsASliderThatChangesNothing) {
  const auto with = PageTemplate::load_shipped();
  ASSERT_TRUE(with);
  const auto made = [&] {
    PageFigure figure("f", "A circle", 20, 20);
    for (const float width : {1.0F, 2.0F}) {
      for (const char* moment : {"first", "last"}) figure.add(frame_with(width, moment));
    }
    return figure.make({{"RADIUS", {"1", "2"}, 1}, {"time", {"", ""}, 0}}, *with);
  };
  const PageFigure::Made figure = made();
  EXPECT_EQ(figure.html, made().html);
  ASSERT_EQ(figure.axes.size(), 1U);
  EXPECT_EQ(figure.axes[0].name, "RADIUS");
  EXPECT_NE(figure.html.find("data-values=\"1|2\" aria-valuetext=\"2\""), std::string::npos);
  EXPECT_EQ(count_of(figure.html, "<circle"), 1U) << "the others are packed";
  EXPECT_NE(figure.html.find("A circle &amp; a frame</desc>"), std::string::npos);
  EXPECT_NE(figure.html.find("<td>◇ modelled</td>"), std::string::npos);
  const nlohmann::json data = unpacked(figure.html);
  EXPECT_EQ(data["sizes"], nlohmann::json({2}));
  EXPECT_EQ(data["elements"].size(), 1U) << "the frame is in both";
  EXPECT_EQ(data["frames"].size(), 2U);
}

TEST(PageTemplate, FillsGapsAndRefusesABlockThatIsThereTwice) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("t.html",
                                 "words\n<!-- block: a -->\n<p>{{x}}, {{y}}</p>\n"
                                 "<!-- block: b -->\none\ntwo\n");
  const auto with = PageTemplate::load(file);
  ASSERT_TRUE(with);
  EXPECT_EQ(with->fill("a", {{"y", "2"}, {"x", "{{y}}"}}), "<p>{{y}}, 2</p>");
  EXPECT_EQ(with->fill("b", {}), "one\ntwo\n");
  EXPECT_FALSE(with->has("c"));
  const auto twice = folder.write("u.html", "<!-- block: a -->\n1\n<!-- block: a -->\n2\n");
  EXPECT_FALSE(PageTemplate::load(twice));
  EXPECT_FALSE(PageTemplate::load(folder / "none.html"));
}

TEST(HtmlText, IsSafeInAnAttribute) {
  EXPECT_EQ(html_text("<a \"b\" & c>"), "&lt;a &quot;b&quot; &amp; c&gt;");
}

}  // namespace
}  // namespace tilescope
