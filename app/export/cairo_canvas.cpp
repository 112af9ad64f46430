#include "export/cairo_canvas.h"

#include <cairo-ft.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <string>

#include "export/drawn_shapes.h"

namespace tilescope {

struct CairoCanvas::Faces {
  std::array<cairo_font_face_t*, 8> face{};
  Faces() = default;
  ~Faces() {
    for (cairo_font_face_t* each : face) {
      if (each != nullptr) cairo_font_face_destroy(each);
    }
  }
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  cairo_font_face_t* get(const FontLibrary& fonts, Font font, Weight weight) {
    const std::size_t index = (font == Font::kMono ? 4u : 0u) + static_cast<std::size_t>(weight);
    if (face[index] != nullptr) return face[index];
    if (FT_FaceRec_* file = fonts.face(font, weight); file != nullptr) {
      face[index] = cairo_ft_font_face_create_for_ft_face(file, FT_LOAD_NO_HINTING);
      // Cairo keeps the face in caches of its own after the last canvas is gone.
      static const cairo_user_data_key_t kKeepOpen = {};
      auto* open = new std::shared_ptr<const void>(fonts.keep_open());
      const auto close = [](void* data) { delete static_cast<std::shared_ptr<const void>*>(data); };
      if (cairo_font_face_set_user_data(face[index], &kKeepOpen, open, close) !=
          CAIRO_STATUS_SUCCESS) {
        close(open);
      }
    } else {
      face[index] = cairo_toy_font_face_create(
          font == Font::kMono ? "monospace" : "sans", CAIRO_FONT_SLANT_NORMAL,
          weight >= Weight::kSemibold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    }
    return face[index];
  }
};

namespace {

double d(float value) { return static_cast<double>(value); }

}  // namespace

CairoCanvas::CairoCanvas(cairo_t* cairo, Theme theme, const FontLibrary& fonts)
    : cairo_(cairo), theme_(theme), fonts_(fonts), faces_(std::make_unique<Faces>()) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);  // widths as measured
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo_, options);
  cairo_font_options_destroy(options);
}
CairoCanvas::~CairoCanvas() = default;

void CairoCanvas::set(const Rgba& c) {
  cairo_set_source_rgba(cairo_, d(c.r), d(c.g), d(c.b), d(c.a));
}

void CairoCanvas::box(const Rect& r, float corner) {
  cairo_new_path(cairo_);
  const double radius = d(std::min({corner, r.w / 2, r.h / 2}));
  if (radius <= 0) {
    cairo_rectangle(cairo_, d(r.x), d(r.y), d(r.w), d(r.h));
    return;
  }
  constexpr double kQuarter = std::numbers::pi / 2;
  cairo_arc(cairo_, d(r.right()) - radius, d(r.y) + radius, radius, -kQuarter, 0);
  cairo_arc(cairo_, d(r.right()) - radius, d(r.bottom()) - radius, radius, 0, kQuarter);
  cairo_arc(cairo_, d(r.x) + radius, d(r.bottom()) - radius, radius, kQuarter, 2 * kQuarter);
  cairo_arc(cairo_, d(r.x) + radius, d(r.y) + radius, radius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cairo_);
}

void CairoCanvas::fill_rect(const Rect& rect, Paint paint, float corner) {
  set(colour(paint, theme_));
  box(rect, corner);
  cairo_fill(cairo_);
}

void CairoCanvas::stroke_rect(const Rect& rect, Paint paint, float width, float corner) {
  set(colour(paint, theme_));
  cairo_set_line_width(cairo_, d(width));
  box(rect.inset(width / 2), corner);
  cairo_stroke(cairo_);
}

void CairoCanvas::line(Point from, Point to, Paint paint, float width) {
  const std::array<Point, 2> points = {from, to};
  polyline(points, paint, width);
}

void CairoCanvas::polyline(std::span<const Point> points, Paint paint, float width) {
  set(colour(paint, theme_));
  cairo_set_line_width(cairo_, d(width));
  cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path(cairo_);
  for (const Point& p : points) cairo_line_to(cairo_, d(p.x), d(p.y));
  cairo_stroke(cairo_);
}

void CairoCanvas::fill_polygon(std::span<const Point> points, Paint paint) {
  set(colour(paint, theme_));
  cairo_new_path(cairo_);
  for (const Point& p : points) cairo_line_to(cairo_, d(p.x), d(p.y));
  cairo_close_path(cairo_);
  cairo_fill(cairo_);
}

void CairoCanvas::fill_circle(Point center, float radius, Paint paint) {
  set(colour(paint, theme_));
  cairo_new_path(cairo_);
  cairo_arc(cairo_, d(center.x), d(center.y), d(radius), 0, 2 * std::numbers::pi);
  cairo_fill(cairo_);
}

void CairoCanvas::hatch_rect(const Rect& rect, Paint paint, float spacing) {
  set(colour(paint, theme_));
  cairo_set_line_width(cairo_, 1);
  cairo_new_path(cairo_);
  for (const auto& [from, to] : hatch_lines(rect, spacing)) {
    cairo_move_to(cairo_, d(from.x), d(from.y));
    cairo_line_to(cairo_, d(to.x), d(to.y));
  }
  cairo_stroke(cairo_);
}

void CairoCanvas::text(Point where, std::string_view utf8, const TextStyle& style) {
  if (utf8.empty()) return;
  float x = where.x;
  if (style.align != Align::kLeft) {
    const float width = text_width(utf8, style);
    x -= style.align == Align::kCenter ? width / 2 : width;
  }
  set(colour(style.paint, theme_));
  cairo_set_font_face(cairo_, faces_->get(fonts_, style.font, style.weight));
  cairo_set_font_size(cairo_, d(style.size));
  cairo_move_to(cairo_, d(x), d(where.y + kHalfCapital * style.size));
  cairo_show_text(cairo_, std::string(utf8).c_str());
}

float CairoCanvas::text_width(std::string_view utf8, const TextStyle& style) const {
  return fonts_.text_width(utf8, style);
}

void CairoCanvas::cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) {
  cairo_save(cairo_);
  cairo_set_antialias(cairo_, CAIRO_ANTIALIAS_NONE);  // no seams between neighbours
  const std::vector<HeatRect> rects = heat_rects(rect, grid, window);
  if (rects.size() > kMostHeatRects) {
    const HeatImage image = heat_image(rect, grid, window, theme_);
    box(rect, 0);
    cairo_clip(cairo_);
    cairo_translate(cairo_, d(image.rect.x), d(image.rect.y));
    cairo_scale(cairo_, d(image.rect.w) / cairo_image_surface_get_width(image.pixels.get()),
                d(image.rect.h) / cairo_image_surface_get_height(image.pixels.get()));
    cairo_set_source_surface(cairo_, image.pixels.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo_);
    cairo_restore(cairo_);
    return;
  }
  for (const HeatRect& cell : rects) {
    set(cell_colour(cell.heat, grid.tint, theme_));
    box(cell.rect, 0);
    cairo_fill(cairo_);
  }
  cairo_restore(cairo_);
  for (const auto& [from, to] : cell_lines(rect, grid, window))
    line(from, to, Paint(grid.tint, 0.25f), 1);
}

void CairoCanvas::push_clip(const Rect& rect) {
  cairo_save(cairo_);
  box(rect, 0);
  cairo_clip(cairo_);
}

void CairoCanvas::pop_clip() { cairo_restore(cairo_); }

void CairoCanvas::hit(const Rect& /*rect*/, Hit /*what*/) {}

}  // namespace tilescope
