#include "export/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "export/drawn_shapes.h"
#include "export/font_library.h"

namespace tilescope {
namespace {

// At most so many decimals, no trailing zeros.
std::string decimals(float value, int most = 2) {
  const float scale = most == 1 ? 10 : 100;
  std::string text = fmt::format("{:.{}f}", std::round(value * scale) / scale, most);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

int css_weight(Weight weight) { return 400 + 100 * static_cast<int>(weight); }

}  // namespace

std::string hex_text(const Rgba& c) {
  const auto byte = [](float v) { return static_cast<int>(std::lround(v * 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j) {
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text += i + digit <= bytes.size() ? kDigits[group >> (18 - 6 * digit) & 63U] : '=';
    }
  }
  return text;
}

SvgCanvas::SvgCanvas(float width, float height, Theme theme, const FontLibrary& fonts,
                     SvgColours colours, std::string ids)
    : width_(width),
      height_(height),
      theme_(theme),
      fonts_(fonts),
      colours_(colours),
      ids_(std::move(ids)) {}

std::string SvgCanvas::number(float value) const {
  return decimals(value, colours_ == SvgColours::kClasses ? 1 : 2);
}

std::string SvgCanvas::box(const Rect& r) const {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", number(r.x), number(r.y),
                     number(std::max(r.w, 0.0f)), number(std::max(r.h, 0.0f)));
}

std::string SvgCanvas::points_attribute(std::span<const Point> points) const {
  std::string text;
  for (const Point& p : points) {
    if (!text.empty()) text += ' ';
    text += number(p.x) + "," + number(p.y);
  }
  return text;
}

std::string SvgCanvas::segments(const std::vector<std::pair<Point, Point>>& lines) const {
  std::string path;
  for (const auto& [from, to] : lines) {
    path += fmt::format("M{} {}L{} {}", number(from.x), number(from.y), number(to.x), number(to.y));
  }
  return path;
}

bool SvgCanvas::has_class(Paint paint) const {
  return colours_ == SvgColours::kClasses && paint.scale == Paint::Scale::kRole;
}

std::string SvgCanvas::fill(Paint paint, std::string classes) const {
  const Rgba c = colour(paint, theme_);
  std::string text;
  if (has_class(paint)) {
    if (!classes.empty()) classes += ' ';
    classes += "f" + std::to_string(static_cast<int>(paint.role));
  } else {
    text = fmt::format(R"( fill="{}")", hex_text(c));
  }
  if (c.a < 0.999f) text += fmt::format(R"( fill-opacity="{}")", decimals(c.a));
  if (!classes.empty()) text = fmt::format(R"( class="{}")", classes) + text;
  return text.substr(1);
}

std::string SvgCanvas::stroke(Paint paint, float width) const {
  const Rgba c = colour(paint, theme_);
  std::string text = has_class(paint) ? fmt::format(R"(class="s{}")", static_cast<int>(paint.role))
                                      : fmt::format(R"(fill="none" stroke="{}")", hex_text(c));
  if (width != 1 || colours_ == SvgColours::kValues) {
    text += fmt::format(R"( stroke-width="{}")", number(width));
  }
  if (c.a < 0.999f) text += fmt::format(R"( stroke-opacity="{}")", decimals(c.a));
  return text;
}

namespace {

bool overlap(const Rect& a, const Rect& b) {
  constexpr float kTouching = 0.05f;
  return a.x + kTouching < b.right() && b.x + kTouching < a.right() &&
         a.y + kTouching < b.bottom() && b.y + kTouching < a.bottom();
}

Rect common(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x);
  const float y = std::max(a.y, b.y);
  return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

}  // namespace

void SvgCanvas::add_plain_rect(const Rect& rect, const std::string& paint) {
  if (rect.w <= 0 || rect.h <= 0) return;
  if (!cut_.empty() && !overlap(rect, cut_.back())) return;
  constexpr std::size_t kMost = 8192;
  if (plain_.size() == kMost) flush();
  plain_.push_back({rect, paint});
}

// Those of one colour become one path. A rectangle may be drawn earlier than it came as long as it
// lies on none that came between.
void SvgCanvas::flush() {
  struct Group {
    std::string_view paint;
    std::string path;
    std::size_t first = 0;  // in plain_
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    const auto& [rect, paint] = plain_[i];
    auto group = std::find_if(groups.rbegin(), groups.rend(),
                              [&paint = paint](const Group& each) { return each.paint == paint; });
    const bool may_join =
        group != groups.rend() &&
        std::none_of(plain_.begin() + static_cast<std::ptrdiff_t>(group->first),
                     plain_.begin() + static_cast<std::ptrdiff_t>(i),
                     [&rect = rect](const PlainRect& each) { return overlap(each.rect, rect); });
    if (!may_join) {
      groups.push_back({paint, {}, i});
      group = groups.rbegin();
    }
    group->path += rect_path(rect);
  }
  for (const Group& group : groups) {
    body_ += fmt::format("<path d=\"{}\" {}/>\n", group.path, group.paint);
  }
  plain_.clear();
}

// Neighbours that say the same are one. Nobody meets one that is hardly a pixel wide.
void SvgCanvas::add_hit(const Rect& rect, std::string words) {
  constexpr float kLeast = 2;  // px
  constexpr float kTouching = 0.05f;
  if (rect.w < kLeast || rect.h < kLeast) return;
  if (words != hit_words_) flush_hit();
  hit_words_ = std::move(words);
  if (!hit_rects_.empty()) {
    Rect& last = hit_rects_.back();
    if (last.y == rect.y && last.h == rect.h && std::abs(last.right() - rect.x) < kTouching) {
      last.w = rect.right() - last.x;
      return;
    }
  }
  hit_rects_.push_back(rect);
}

void SvgCanvas::flush_hit() {
  if (hit_rects_.size() == 1) {
    hits_ += fmt::format("<rect {} class=\"h\"><title>{}</title></rect>\n", box(hit_rects_.front()),
                         hit_words_);
  } else if (!hit_rects_.empty()) {
    std::string path;
    for (const Rect& each : hit_rects_) path += rect_path(each);
    hits_ += fmt::format("<path d=\"{}\" class=\"h\"><title>{}</title></path>\n", path, hit_words_);
  }
  hit_rects_.clear();
}

std::string SvgCanvas::body() {
  flush();
  flush_hit();
  return body_ + hits_;
}

std::string SvgCanvas::rect_path(const Rect& rect) const {
  return fmt::format("M{} {}h{}v{}h-{}z", number(rect.x), number(rect.y), number(rect.w),
                     number(rect.h), number(rect.w));
}

void SvgCanvas::fill_rect(const Rect& rect, Paint paint, float corner) {
  constexpr float kPlainCorner = 2;  // px; hardly seen
  if (colours_ == SvgColours::kClasses && corner <= kPlainCorner) {
    add_plain_rect(rect, fill(paint));
    return;
  }
  flush();
  const std::string round = corner > 0 ? fmt::format(R"( rx="{}")", number(corner)) : "";
  body_ += fmt::format("<rect {}{} {}/>\n", box(rect), round, fill(paint));
}

void SvgCanvas::stroke_rect(const Rect& rect, Paint paint, float width, float corner) {
  flush();
  const std::string round = corner > 0 ? fmt::format(R"( rx="{}")", number(corner)) : "";
  body_ +=
      fmt::format("<rect {}{} {}/>\n", box(rect.inset(width / 2)), round, stroke(paint, width));
}

void SvgCanvas::line(Point from, Point to, Paint paint, float width) {
  flush();
  body_ += fmt::format(R"(<path d="M{} {}L{} {}" {}/>)", number(from.x), number(from.y),
                       number(to.x), number(to.y), stroke(paint, width));
  body_ += '\n';
}

void SvgCanvas::polyline(std::span<const Point> points, Paint paint, float width) {
  flush();
  body_ += fmt::format("<polyline points=\"{}\" {} stroke-linejoin=\"round\"/>\n",
                       points_attribute(points), stroke(paint, width));
}

void SvgCanvas::fill_polygon(std::span<const Point> points, Paint paint) {
  flush();
  body_ += fmt::format("<polygon points=\"{}\" {}/>\n", points_attribute(points), fill(paint));
}

void SvgCanvas::fill_circle(Point center, float radius, Paint paint) {
  flush();
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(center.x),
                       number(center.y), number(radius), fill(paint));
}

void SvgCanvas::hatch_rect(const Rect& rect, Paint paint, float spacing) {
  const auto lines = hatch_lines(rect, spacing);
  if (lines.empty()) return;
  flush();
  body_ += fmt::format("<path d=\"{}\" {}/>\n", segments(lines), stroke(paint, 1));
}

void SvgCanvas::text(Point where, std::string_view utf8, const TextStyle& style) {
  if (utf8.empty()) return;
  flush();
  std::string attributes;
  const bool mono = style.font == Font::kMono;
  if (mono && !has_class(style.paint)) attributes += " class=\"m\"";
  if (style.weight != Weight::kRegular) {
    attributes += fmt::format(" font-weight=\"{}\"", css_weight(style.weight));
  }
  if (style.align == Align::kCenter) attributes += " text-anchor=\"middle\"";
  if (style.align == Align::kRight) attributes += " text-anchor=\"end\"";
  if (style.keeps_width) {
    attributes += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                              number(text_width(utf8, style)));
  }
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} {}>{}</text>\n", number(where.x),
                  number(where.y + kHalfCapital * style.size), number(style.size), attributes,
                  fill(style.paint, mono && has_class(style.paint) ? "m" : ""), xml_text(utf8));
}

float SvgCanvas::text_width(std::string_view utf8, const TextStyle& style) const {
  return fonts_.text_width(utf8, style);
}

void SvgCanvas::cells(const Rect& rect, const CellGrid& grid, const CellWindow& window) {
  const std::vector<HeatRect> rects = heat_rects(rect, grid, window);
  if (rects.size() > kMostHeatRects) {
    add_image(rect, heat_image(rect, grid, window, theme_));
    return;
  }
  for (const HeatRect& cell : rects) {
    const Rgba c = cell_colour(cell.heat, grid.tint, theme_);
    const std::string alpha =
        c.a < 0.999f ? fmt::format(R"( fill-opacity="{}")", decimals(c.a)) : std::string();
    const std::string paint =
        fmt::format("fill=\"{}\"{} shape-rendering=\"crispEdges\"", hex_text(c), alpha);
    if (colours_ == SvgColours::kClasses) {
      add_plain_rect(cell.rect, paint);
    } else {
      body_ += fmt::format("<rect {} {}/>\n", box(cell.rect), paint);
    }
  }
  const auto lines = cell_lines(rect, grid, window);
  if (!lines.empty()) {
    flush();
    body_ +=
        fmt::format("<path d=\"{}\" {}/>\n", segments(lines), stroke(Paint(grid.tint, 0.25f), 1));
  }
}

void SvgCanvas::add_image(const Rect& rect, const HeatImage& image) {
  push_clip(rect);
  body_ += fmt::format(
      "<image {} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      box(image.rect), base64(png_bytes(image.pixels.get())));
  pop_clip();
}

void SvgCanvas::push_clip(const Rect& rect) {
  flush();
  cut_.push_back(cut_.empty() ? rect : common(cut_.back(), rect));
  ++clips_;
  body_ += fmt::format(
      "<clipPath id=\"{0}{1}\"><rect {2}/></clipPath>\n<g clip-path=\"url(#{0}{1})\">\n", ids_,
      clips_, box(rect));
}

void SvgCanvas::pop_clip() {
  flush();
  cut_.pop_back();
  body_ += "</g>\n";
}

void SvgCanvas::hit(const Rect& rect, Hit what) {
  if (what.tooltip.empty()) return;
  if (colours_ == SvgColours::kClasses) {
    add_hit(cut_.empty() ? rect : common(cut_.back(), rect), xml_text(what.tooltip));
    return;
  }
  body_ += fmt::format("<rect {} fill-opacity=\"0\"><title>{}</title></rect>\n", box(rect),
                       xml_text(what.tooltip));
}

std::string SvgCanvas::document(std::string_view title, std::string_view metadata,
                                std::string_view size) const {
  const std::string px = fmt::format(R"(width="{}" height="{}")", number(width_), number(height_));
  std::string result;
  fmt::format_to(std::back_inserter(result),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" {4} "
                 "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}"
                 "<style>text{{font-family:Inter,sans-serif;white-space:pre}}"
                 ".m{{font-family:'JetBrains Mono',monospace}}</style>\n",
                 number(width_), number(height_), xml_text(title), metadata,
                 size.empty() ? px : size);
  return result + body_ + "</svg>\n";
}

namespace {

// https://www.w3.org/TR/xml/#charsets; surrogates are no characters either.
bool is_allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t code = next_code(text, at);
    if (code == '&') {
      result += "&amp;";
    } else if (code == '<') {
      result += "&lt;";
    } else if (code == '>') {
      result += "&gt;";
    } else if (code == 0xfffd || !is_allowed(code)) {
      result += "\xEF\xBF\xBD";
    } else {
      result += text.substr(begin, at - begin);
    }
  }
  return result;
}

}  // namespace tilescope
