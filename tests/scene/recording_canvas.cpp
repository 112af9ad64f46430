#include "scene/recording_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/drawing/labels.h"

namespace tilescope {
namespace {

constexpr float kCapitals = 0.74f;  // height of a capital in both fonts, in ems

std::string describe(const Rect& r) {
  return fmt::format("[{:.1f} {:.1f} {:.1f} {:.1f}]", r.x, r.y, r.w, r.h);
}

bool finite(const Rect& r) {
  return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.w) && std::isfinite(r.h);
}

bool overlap(const Rect& a, const Rect& b) {
  constexpr float kTouch = 0.5f;  // px of rounding
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

bool inside(const Rect& r, const Rect& area, float slack) {
  return r.x >= area.x - slack && r.y >= area.y - slack && r.right() <= area.right() + slack &&
         r.bottom() <= area.bottom() + slack;
}

Rect around(std::span<const Point> points) {
  Rect box{points[0].x, points[0].y, 0, 0};
  for (const Point& p : points) {
    const float right = std::max(box.right(), p.x);
    const float bottom = std::max(box.bottom(), p.y);
    box.x = std::min(box.x, p.x);
    box.y = std::min(box.y, p.y);
    box.w = right - box.x;
    box.h = bottom - box.y;
  }
  return box;
}

}  // namespace

void RecordingCanvas::fill_rect(const Rect& rect, Paint paint, float /*corner*/) {
  fills.push_back({rect, paint});
}
void RecordingCanvas::stroke_rect(const Rect& rect, Paint paint, float /*width*/,
                                  float /*corner*/) {
  marks.push_back({rect, paint});
}
void RecordingCanvas::line(Point from, Point to, Paint paint, float /*width*/) {
  const std::vector<Point> points = {from, to};
  lines.push_back({from, to});
  marks.push_back({around(points), paint});
}
void RecordingCanvas::polyline(std::span<const Point> points, Paint paint, float /*width*/) {
  marks.push_back({around(points), paint});
}
void RecordingCanvas::fill_polygon(std::span<const Point> points, Paint paint) {
  marks.push_back({around(points), paint});
}
void RecordingCanvas::fill_circle(Point center, float radius, Paint paint) {
  marks.push_back({{center.x - radius, center.y - radius, 2 * radius, 2 * radius}, paint});
}
void RecordingCanvas::hatch_rect(const Rect& rect, Paint paint, float /*spacing*/) {
  marks.push_back({rect, paint});
}

void RecordingCanvas::text(Point where, std::string_view utf8, const TextStyle& style) {
  if (utf8.empty()) return;
  const float w = text_width(utf8, style);
  const float h = style.size * kCapitals;
  float x = where.x;
  if (style.align == Align::kCenter) x -= w / 2;
  if (style.align == Align::kRight) x -= w;
  const bool in_cell = style.font == Font::kMono && style.align == Align::kCenter;
  texts.push_back(
      {std::string(utf8), {x, where.y - h / 2, w, h}, style.size, in_cell, style.paint});
}

float RecordingCanvas::text_width(std::string_view utf8, const TextStyle& style) const {
  return fonts_->text_width(utf8, style);
}

void RecordingCanvas::cells(const Rect& rect, const CellGrid& grid, const CellWindow& /*window*/) {
  grids.emplace_back(rect, grid);
}
void RecordingCanvas::push_clip(const Rect& /*rect*/) { ++open_clips; }
void RecordingCanvas::pop_clip() { --open_clips; }
void RecordingCanvas::hit(const Rect& rect, Hit what) { hits.emplace_back(rect, std::move(what)); }

bool RecordingCanvas::says(std::string_view words) const {
  return std::any_of(texts.begin(), texts.end(), [words](const Text& text) {
    return text.words.find(words) != std::string::npos;
  });
}

std::string RecordingCanvas::all_text() const {
  std::string all;
  for (const Text& text : texts) all += text.words + "\n";
  return all;
}

std::string RecordingCanvas::fingerprint() const {
  std::string print;
  const auto add = [&print](const Rect& box) {
    print += fmt::format(" {} {} {} {}", box.x, box.y, box.w, box.h);
  };
  for (const Text& text : texts) {
    print += "\ntext " + text.words;
    add(text.box);
  }
  for (const auto* shapes : {&fills, &marks}) {
    for (const Shape& shape : *shapes) {
      print += fmt::format("\nshape {} {} {}", static_cast<int>(shape.paint.role),
                           shape.paint.value, shape.paint.opacity);
      add(shape.box);
    }
  }
  for (const auto& [rect, grid] : grids) {
    print += fmt::format("\ngrid {} x {}", grid.rows, grid.cols);
    if (grid.heat) print.append(grid.heat->begin(), grid.heat->end());
    add(rect);
  }
  for (const auto& [rect, hit] : hits) {
    print += fmt::format("\nhit {} {} {}", static_cast<int>(hit.kind), hit.value, hit.tooltip);
    add(rect);
  }
  return print;
}

std::string RecordingCanvas::crossed_label() const {
  for (const Text& text : texts) {
    for (const Line& line : lines) {
      const auto [first, last] = stretch_in(line.from, line.to, text.box);
      if (first >= last) continue;
      return fmt::format("'{}' at {} is crossed by a line from ({:.1f} {:.1f}) to ({:.1f} {:.1f})",
                         text.words, describe(text.box), line.from.x, line.from.y, line.to.x,
                         line.to.y);
    }
  }
  return {};
}

std::string RecordingCanvas::complaint(const Rect& area, float least) const {
  if (open_clips != 0) return fmt::format("{} clips left open", open_clips);
  for (const Text& text : texts) {
    if (!finite(text.box)) return fmt::format("'{}' has no place", text.words);
    if (text.size < (text.in_cell ? std::min(least, 11.0f) : least) - 0.01f)
      return fmt::format("'{}' is {} px", text.words, text.size);
    if (!inside(text.box, area, 1)) {
      return fmt::format("'{}' at {} leaves {}", text.words, describe(text.box), describe(area));
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!overlap(texts[i].box, texts[j].box)) continue;
      return fmt::format("'{}' at {} lies over '{}' at {}", texts[i].words, describe(texts[i].box),
                         texts[j].words, describe(texts[j].box));
    }
  }
  for (const std::vector<Shape>* shapes : {&fills, &marks}) {
    for (const Shape& shape : *shapes) {
      if (!finite(shape.box)) return "a shape has no place";
      if (shape.box.w < 0 || shape.box.h < 0) {
        return fmt::format("a shape at {} is inside out", describe(shape.box));
      }
      if (!inside(shape.box, area, 4)) {
        return fmt::format("a shape at {} leaves {}", describe(shape.box), describe(area));
      }
    }
  }
  for (const auto& [box, grid] : grids) {
    if (!finite(box) || box.w < 0 || box.h < 0 || !inside(box, area, 4)) {
      return fmt::format("a grid at {} leaves {}", describe(box), describe(area));
    }
  }
  return {};
}

}  // namespace tilescope
