#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "export/font_library.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

typedef struct _cairo cairo_t;

namespace tilescope {

// Draws on a Cairo context, in its units; the context outlives the canvas. For PNG and PDF, in
// which text stays text. Hits draw nothing.
class CairoCanvas final : public Canvas {
 public:
  CairoCanvas(cairo_t* cairo, Theme theme, const FontLibrary& fonts);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

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
  [[nodiscard]] bool wants_hit(const Rect& /*rect*/) const override { return false; }

 private:
  struct Faces;
  void set(const Rgba& c);
  void box(const Rect& rect, float corner);
  cairo_t* cairo_;
  Theme theme_;
  const FontLibrary& fonts_;
  std::unique_ptr<Faces> faces_;
};

}  // namespace tilescope
