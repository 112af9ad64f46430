#pragma once
#include <utility>

#include "scene/drawing/canvas.h"

namespace tilescope {

// A canvas that draws on another one: a base for those that change or note a part of it.
class ForwardingCanvas : public Canvas {
 public:
  explicit ForwardingCanvas(Canvas& target) : target_(target) {}

  void fill_rect(const Rect& rect, Paint paint, float corner) override {
    target_.fill_rect(rect, paint, corner);
  }
  void stroke_rect(const Rect& rect, Paint paint, float width, float corner) override {
    target_.stroke_rect(rect, paint, width, corner);
  }
  void line(Point from, Point to, Paint paint, float width) override {
    target_.line(from, to, paint, width);
  }
  void polyline(std::span<const Point> points, Paint paint, float width) override {
    target_.polyline(points, paint, width);
  }
  void fill_polygon(std::span<const Point> points, Paint paint) override {
    target_.fill_polygon(points, paint);
  }
  void fill_circle(Point center, float radius, Paint paint) override {
    target_.fill_circle(center, radius, paint);
  }
  void hatch_rect(const Rect& rect, Paint paint, float spacing) override {
    target_.hatch_rect(rect, paint, spacing);
  }
  void text(Point where, std::string_view utf8, const TextStyle& style) override {
    target_.text(where, utf8, style);
  }
  [[nodiscard]] float text_width(std::string_view utf8, const TextStyle& style) const override {
    return target_.text_width(utf8, style);
  }
  void cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) override {
    target_.cells(rect, grid, window);
  }
  void push_clip(const Rect& rect) override { target_.push_clip(rect); }
  void pop_clip() override { target_.pop_clip(); }
  void hit(const Rect& rect, Hit what) override { target_.hit(rect, std::move(what)); }
  [[nodiscard]] bool wants_hit(const Rect& rect) const override { return target_.wants_hit(rect); }

 protected:
  [[nodiscard]] Canvas& target() { return target_; }

 private:
  Canvas& target_;
};

}  // namespace tilescope
