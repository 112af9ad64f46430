#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/font_library.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {

struct HeatImage;  // export/drawn_shapes.h

// How colours of roles are written: as the theme has them, or as classes that a page's style sheet
// gives the reader's colours (export/page_figure.h). A page is to be small: with classes there is
// one decimal, not two, rectangles of one colour are one path, and tooltips come last.
enum class SvgColours : std::uint8_t { kValues, kClasses };

// Writes SVG 1.1: text stays text, tooltips become <title>s, one element per line, so that two
// pictures can be compared line by line. The same calls give the same bytes.
class SvgCanvas final : public Canvas {
 public:
  // `ids`: what the names of its clips begin with, so that several pictures share a page.
  SvgCanvas(float width, float height, Theme theme, const FontLibrary& fonts,
            SvgColours colours = SvgColours::kValues, std::string ids = "c");

  void fill_rect(const Rect& rect, Paint paint, float corner) override;
  void stroke_rect(const Rect& rect, Paint paint, float width, float corner) override;
  void line(Point from, Point to, Paint paint, float width) override;
  void polyline(std::span<const Point> points, Paint paint, float width) override;
  void fill_polygon(std::span<const Point> points, Paint paint) override;
  void fill_circle(Point center, float radius, Paint paint) override;
  void hatch_rect(const Rect& rect, Paint paint, float spacing) override;
  void text(Point where, std::string_view utf8, const TextStyle& style) override;
  [[nodiscard]] float text_width(std::string_view utf8, const TextStyle& style) const override;
  void cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) override;
  void push_clip(const Rect& rect) override;
  void pop_clip() override;
  void hit(const Rect& rect, Hit what) override;

  // What was drawn, without a document around it. Precondition: every push_clip has its pop_clip.
  [[nodiscard]] std::string body();
  // The whole document. `size`: attributes of its width and height; empty: px. `metadata`: elements
  // that follow its title, in XML. Precondition: every push_clip has its pop_clip.
  [[nodiscard]] std::string document(std::string_view title, std::string_view metadata = {},
                                     std::string_view size = {}) const;

 private:
  [[nodiscard]] std::string number(float value) const;
  [[nodiscard]] std::string box(const Rect& rect) const;
  [[nodiscard]] std::string points_attribute(std::span<const Point> points) const;
  [[nodiscard]] std::string segments(const std::vector<std::pair<Point, Point>>& lines) const;
  [[nodiscard]] bool has_class(Paint paint) const;
  // `classes`: of the element beside that of its colour.
  [[nodiscard]] std::string fill(Paint paint, std::string classes = {}) const;
  [[nodiscard]] std::string stroke(Paint paint, float width) const;
  void add_image(const Rect& rect, const HeatImage& image);
  [[nodiscard]] std::string rect_path(const Rect& rect) const;
  void add_plain_rect(const Rect& rect, const std::string& paint);
  void flush();
  void add_hit(const Rect& rect, std::string words);
  void flush_hit();
  float width_;
  float height_;
  Theme theme_;
  const FontLibrary& fonts_;
  SvgColours colours_;
  std::string ids_;
  std::string body_;
  int clips_ = 0;
  // With classes alone: rectangles that nothing else was drawn between, tooltips, and what is cut.
  struct PlainRect {
    Rect rect;
    std::string paint;  // attributes
  };
  std::vector<PlainRect> plain_;
  std::string hits_;
  std::string hit_words_;  // of the last tooltip, which is not in hits_ yet
  std::vector<Rect> hit_rects_;
  std::vector<Rect> cut_;
};

// "#2b6fd6", without its opacity.
[[nodiscard]] std::string hex_text(const Rgba& colour);

// RFC 4648, section 4.
[[nodiscard]] std::string base64(std::string_view bytes);

// A text as the content of an XML element: what XML 1.0 does not allow, control
// characters and what is not UTF-8, becomes U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace tilescope
