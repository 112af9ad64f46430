#include "ui/drawing/imgui_canvas.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/drawing/word_table.h"

namespace tilescope {
namespace {

ImVec2 vec(Point p) { return {p.x, p.y}; }

float font_size(const TextStyle& style, float scale) { return std::round(style.size * scale); }

// Figures of one width are for numbers that stand below one another, not for those in a sentence:
// "0.190 ms", but not "16 of 64".
bool is_number(std::string_view words) {
  const auto blanks = std::ranges::count(words, ' ');
  const std::size_t last = words.rfind(' ');
  const std::size_t unit = last == std::string_view::npos ? 0 : words.size() - last - 1;
  return blanks <= 1 && unit <= 7;
}

bool has_wide_character(std::string_view words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (wide_character(words, i) > 0) return true;
  }
  return false;
}

ImFont* font_of(const Fonts& fonts, std::string_view words, TextStyle style) {
  const bool is_figure = is_number(words) && !has_wide_character(words);
  if (style.align == Align::kRight && !is_figure) style.align = Align::kLeft;
  return fonts.of(style);
}

}  // namespace

ImGuiCanvas::ImGuiCanvas(const Target& target, const Fonts& fonts, CellRenderer& cells)
    : target_(target), fonts_(fonts), cells_(cells) {}

Point ImGuiCanvas::place(Point p) const {
  return {target_.origin.x + p.x * target_.scale, target_.origin.y + p.y * target_.scale};
}

Rect ImGuiCanvas::place(const Rect& rect) const {
  const Point corner = place(Point{rect.x, rect.y});
  return {corner.x, corner.y, rect.w * target_.scale, rect.h * target_.scale};
}

unsigned ImGuiCanvas::ink(Paint paint) const {
  if (paint.scale == Paint::Scale::kRole && paint.role == ColourRole::kBackground) {
    paint.role = target_.ground;
  }
  return packed(paint, target_.theme, target_.opacity);
}

void ImGuiCanvas::fill_rect(const Rect& rect, Paint paint, float corner) {
  const Rect r = place(rect);
  target_.list->AddRectFilled({r.x, r.y}, {r.right(), r.bottom()}, ink(paint),
                              corner * target_.scale);
}

void ImGuiCanvas::stroke_rect(const Rect& rect, Paint paint, float width, float corner) {
  const Rect r = place(rect);
  const float px = std::max(1.0F, width * target_.scale);
  if (corner > 0) {
    // Half a pixel inwards, so that a thin line falls on whole pixels.
    const float half = px / 2;
    target_.list->AddRect({r.x + half, r.y + half}, {r.right() - half, r.bottom() - half},
                          ink(paint), corner * target_.scale, 0, px);
    return;
  }
  const float x0 = std::round(r.x);
  const float y0 = std::round(r.y);
  const float x1 = std::max(std::round(r.right()), x0 + px);
  const float y1 = std::max(std::round(r.bottom()), y0 + px);
  const float w = std::round(px);
  const unsigned c = ink(paint);
  target_.list->AddRectFilled({x0, y0}, {x1, y0 + w}, c);
  target_.list->AddRectFilled({x0, y1 - w}, {x1, y1}, c);
  target_.list->AddRectFilled({x0, y0 + w}, {x0 + w, y1 - w}, c);
  target_.list->AddRectFilled({x1 - w, y0 + w}, {x1, y1 - w}, c);
}

void ImGuiCanvas::line(Point from, Point to, Paint paint, float width) {
  const Point a = place(from);
  const Point b = place(to);
  const float px = std::max(1.0F, width * target_.scale);
  if (a.x == b.x || a.y == b.y) {  // on whole pixels: crisp
    const float w = std::max(1.0F, std::round(px));
    const float x0 = std::round(std::min(a.x, b.x) - (a.x == b.x ? w / 2 : 0));
    const float y0 = std::round(std::min(a.y, b.y) - (a.y == b.y ? w / 2 : 0));
    const float x1 = a.x == b.x ? x0 + w : std::round(std::max(a.x, b.x));
    const float y1 = a.x == b.x ? std::round(std::max(a.y, b.y)) : y0 + w;
    target_.list->AddRectFilled({x0, y0}, {x1, y1}, ink(paint));
    return;
  }
  target_.list->AddLine(vec(a), vec(b), ink(paint), px);
}

void ImGuiCanvas::polyline(std::span<const Point> points, Paint paint, float width) {
  std::vector<ImVec2> placed;
  placed.reserve(points.size());
  for (const Point p : points) placed.push_back(vec(place(p)));
  target_.list->AddPolyline(placed.data(), static_cast<int>(placed.size()), ink(paint), 0,
                            std::max(1.0F, width * target_.scale));
}

void ImGuiCanvas::fill_polygon(std::span<const Point> points, Paint paint) {
  std::vector<ImVec2> placed;
  placed.reserve(points.size());
  for (const Point p : points) placed.push_back(vec(place(p)));
  target_.list->AddConvexPolyFilled(placed.data(), static_cast<int>(placed.size()), ink(paint));
}

void ImGuiCanvas::fill_circle(Point center, float radius, Paint paint) {
  target_.list->AddCircleFilled(vec(place(center)), radius * target_.scale, ink(paint));
}

void ImGuiCanvas::hatch_rect(const Rect& rect, Paint paint, float spacing) {
  const Rect r = place(rect);
  const ImVec2 clip_min = target_.list->GetClipRectMin();
  const ImVec2 clip_max = target_.list->GetClipRectMax();
  const float step = std::max(3.0F, spacing * target_.scale);
  target_.list->PushClipRect({r.x, r.y}, {r.right(), r.bottom()}, true);
  const unsigned c = ink(paint);
  // Lines x + y = constant, in the screen's own raster so that neighbours join; only visible ones.
  const float first = std::max(r.x, clip_min.x) + std::max(r.y, clip_min.y);
  const float last = std::min(r.right(), clip_max.x) + std::min(r.bottom(), clip_max.y);
  for (float sum = std::ceil(first / step) * step; sum < last; sum += step) {
    target_.list->AddLine({sum - r.bottom(), r.bottom()}, {sum - r.y, r.y}, c, 1);
  }
  target_.list->PopClipRect();
}

void ImGuiCanvas::text(Point where, std::string_view words, const TextStyle& style) {
  if (words.empty()) return;
  const std::string translated = target_.words != nullptr ? target_.words->in(words) : "";
  const std::string_view utf8 = target_.words != nullptr ? translated : words;
  const Point p = place(where);
  const float size = font_size(style, target_.scale);
  float x = p.x;
  if (style.align != Align::kLeft) {
    const float width = width_of(utf8, style) * target_.scale;
    x -= style.align == Align::kCenter ? width / 2 : width;
  }
  if (target_.audit != nullptr) {
    note_text(utf8, {x, top_of_text(p.y, size), width_of(utf8, style) * target_.scale, size});
  }
  target_.list->AddText(font_of(fonts_, utf8, style), size, {std::round(x), top_of_text(p.y, size)},
                        ink(style.paint), utf8.data(), utf8.data() + utf8.size());
}

void ImGuiCanvas::note_text(std::string_view words, const Rect& screen) {
  const ImVec2 low = target_.list->GetClipRectMin();
  const ImVec2 high = target_.list->GetClipRectMax();
  const bool outside = screen.right() <= low.x || screen.x >= high.x || screen.bottom() <= low.y ||
                       screen.y >= high.y;
  if (outside) return;
  constexpr float kBearing = 1;  // px that no letter reaches
  const bool whole = screen.x >= low.x - kBearing && screen.right() <= high.x + kBearing &&
                     screen.y >= low.y - kBearing && screen.bottom() <= high.y + kBearing;
  target_.audit->texts.push_back({std::string(words), screen, !whole});
}

float ImGuiCanvas::text_width(std::string_view words, const TextStyle& style) const {
  return target_.words != nullptr ? width_of(target_.words->in(words), style)
                                  : width_of(words, style);
}

float ImGuiCanvas::width_of(std::string_view utf8, const TextStyle& style) const {
  if (utf8.empty()) return 0;  // its data may be a null pointer
  const float size = font_size(style, target_.scale);
  const ImVec2 box = font_of(fonts_, utf8, style)
                         ->CalcTextSizeA(size, FLT_MAX, 0, utf8.data(), utf8.data() + utf8.size());
  return box.x / target_.scale;
}

void ImGuiCanvas::cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) {
  cells_.draw(target_.list, place(rect), grid, window, target_.theme, target_.opacity);
}

void ImGuiCanvas::push_clip(const Rect& rect) {
  const Rect r = place(rect);
  target_.list->PushClipRect({r.x, r.y}, {r.right(), r.bottom()}, true);
}

void ImGuiCanvas::pop_clip() { target_.list->PopClipRect(); }

void ImGuiCanvas::hit(const Rect& rect, Hit what) {
  if (!wants_hit(rect)) return;
  const Rect r = place(rect);
  const ImVec2 low = target_.list->GetClipRectMin();
  const ImVec2 high = target_.list->GetClipRectMax();
  const float x0 = std::max(r.x, low.x);
  const float y0 = std::max(r.y, low.y);
  const float x1 = std::min(r.right(), high.x);
  const float y1 = std::min(r.bottom(), high.y);
  if (x1 > x0 && y1 > y0) hits_.push_back({{x0, y0, x1 - x0, y1 - y0}, std::move(what)});
}

bool ImGuiCanvas::wants_hit(const Rect& rect) const {
  return !target_.pointer || place(rect).contains(*target_.pointer);
}

const ImGuiCanvas::PlacedHit* ImGuiCanvas::hit_at(Point screen) const {
  for (auto it = hits_.rbegin(); it != hits_.rend(); ++it) {
    if (it->screen.contains(screen)) return &*it;
  }
  return nullptr;
}

}  // namespace tilescope
