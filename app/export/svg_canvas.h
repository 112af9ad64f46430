#pragma once

#include <string>
#include <string_view>

#include "export/font_library.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

namespace tilescope {

struct HeatImage;  // export/drawn_shapes.h

// Writes SVG 1.1: text stays text, tooltips become <title>s, one element per line, so that two
// pictures can be compared line by line. The same calls give the same bytes.
class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(float width, float height, Theme theme, const FontLibrary& fonts);

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

  // The whole document. `metadata`: elements that follow its title, in XML. Precondition: every
  // push_clip has its pop_clip.
  [[nodiscard]] std::string document(std::string_view title, std::string_view metadata = {}) const;

 private:
  [[nodiscard]] std::string fill(Paint paint) const;
  [[nodiscard]] std::string stroke(Paint paint, float width) const;
  void add_image(const Rect& rect, const HeatImage& image);
  float width_;
  float height_;
  Theme theme_;
  const FontLibrary& fonts_;
  std::string body_;
  int clips_ = 0;
};

// A text as the content of an XML element: what XML 1.0 does not allow, control
// characters and what is not UTF-8, becomes U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace tilescope
