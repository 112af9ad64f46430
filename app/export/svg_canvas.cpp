#include "export/svg_canvas.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "export/drawn_shapes.h"
#include "export/font_library.h"

namespace tilescope {
namespace {

// At most two decimals, no trailing zeros.
std::string number(float value) {
  std::string text = fmt::format("{:.2f}", std::round(value * 100) / 100);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(const Rgba& c) {
  const auto byte = [](float v) { return static_cast<int>(std::lround(v * 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

std::string box(const Rect& r) {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", number(r.x), number(r.y),
                     number(std::max(r.w, 0.0f)), number(std::max(r.h, 0.0f)));
}

std::string points_attribute(std::span<const Point> points) {
  std::string text;
  for (const Point& p : points) {
    if (!text.empty()) text += ' ';
    text += number(p.x) + "," + number(p.y);
  }
  return text;
}

std::string segments(const std::vector<std::pair<Point, Point>>& lines) {
  std::string path;
  for (const auto& [from, to] : lines) {
    path += fmt::format("M{} {}L{} {}", number(from.x), number(from.y), number(to.x), number(to.y));
  }
  return path;
}

// https://www.rfc-editor.org/rfc/rfc4648#section-4
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

int css_weight(Weight weight) { return 400 + 100 * static_cast<int>(weight); }

}  // namespace

SvgCanvas::SvgCanvas(float width, float height, Theme theme, const FontLibrary& fonts)
    : width_(width), height_(height), theme_(theme), fonts_(fonts) {}

std::string SvgCanvas::fill(Paint paint) const {
  const Rgba c = colour(paint, theme_);
  if (c.a >= 0.999f) return fmt::format(R"(fill="{}")", hex(c));
  return fmt::format(R"(fill="{}" fill-opacity="{}")", hex(c), number(c.a));
}

std::string SvgCanvas::stroke(Paint paint, float width) const {
  const Rgba c = colour(paint, theme_);
  std::string text =
      fmt::format(R"(fill="none" stroke="{}" stroke-width="{}")", hex(c), number(width));
  if (c.a < 0.999f) text += fmt::format(R"( stroke-opacity="{}")", number(c.a));
  return text;
}

void SvgCanvas::fill_rect(const Rect& rect, Paint paint, float corner) {
  const std::string round = corner > 0 ? fmt::format(R"( rx="{}")", number(corner)) : "";
  body_ += fmt::format("<rect {}{} {}/>\n", box(rect), round, fill(paint));
}

void SvgCanvas::stroke_rect(const Rect& rect, Paint paint, float width, float corner) {
  const std::string round = corner > 0 ? fmt::format(R"( rx="{}")", number(corner)) : "";
  body_ +=
      fmt::format("<rect {}{} {}/>\n", box(rect.inset(width / 2)), round, stroke(paint, width));
}

void SvgCanvas::line(Point from, Point to, Paint paint, float width) {
  body_ += fmt::format(R"(<path d="M{} {}L{} {}" {}/>)", number(from.x), number(from.y),
                       number(to.x), number(to.y), stroke(paint, width));
  body_ += '\n';
}

void SvgCanvas::polyline(std::span<const Point> points, Paint paint, float width) {
  body_ += fmt::format("<polyline points=\"{}\" {} stroke-linejoin=\"round\"/>\n",
                       points_attribute(points), stroke(paint, width));
}

void SvgCanvas::fill_polygon(std::span<const Point> points, Paint paint) {
  body_ += fmt::format("<polygon points=\"{}\" {}/>\n", points_attribute(points), fill(paint));
}

void SvgCanvas::fill_circle(Point center, float radius, Paint paint) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(center.x),
                       number(center.y), number(radius), fill(paint));
}

void SvgCanvas::hatch_rect(const Rect& rect, Paint paint, float spacing) {
  const auto lines = hatch_lines(rect, spacing);
  if (lines.empty()) return;
  body_ += fmt::format("<path d=\"{}\" {}/>\n", segments(lines), stroke(paint, 1));
}

void SvgCanvas::text(Point where, std::string_view utf8, const TextStyle& style) {
  if (utf8.empty()) return;
  std::string attributes;
  if (style.font == Font::kMono) attributes += " class=\"m\"";
  if (style.weight != Weight::kRegular) {
    attributes += fmt::format(" font-weight=\"{}\"", css_weight(style.weight));
  }
  if (style.align == Align::kCenter) attributes += " text-anchor=\"middle\"";
  if (style.align == Align::kRight) attributes += " text-anchor=\"end\"";
  if (style.keeps_width) {
    attributes += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                              number(text_width(utf8, style)));
  }
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} {}>{}</text>\n", number(where.x),
                       number(where.y + kHalfCapital * style.size), number(style.size), attributes,
                       fill(style.paint), xml_text(utf8));
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
        c.a < 0.999f ? fmt::format(R"( fill-opacity="{}")", number(c.a)) : std::string();
    body_ += fmt::format("<rect {} fill=\"{}\"{} shape-rendering=\"crispEdges\"/>\n",
                         box(cell.rect), hex(c), alpha);
  }
  const auto lines = cell_lines(rect, grid, window);
  if (!lines.empty()) {
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
  ++clips_;
  body_ += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>\n<g clip-path=\"url(#c{})\">\n",
                       clips_, box(rect), clips_);
}

void SvgCanvas::pop_clip() { body_ += "</g>\n"; }

void SvgCanvas::hit(const Rect& rect, Hit what) {
  if (what.tooltip.empty()) return;
  body_ += fmt::format("<rect {} fill-opacity=\"0\"><title>{}</title></rect>\n", box(rect),
                       xml_text(what.tooltip));
}

std::string SvgCanvas::document(std::string_view title, std::string_view metadata) const {
  std::string result;
  fmt::format_to(std::back_inserter(result),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"{0}\" "
                 "height=\"{1}\" "
                 "viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n{3}"
                 "<style>text{{font-family:Inter,sans-serif;white-space:pre}}"
                 ".m{{font-family:'JetBrains Mono',monospace}}</style>\n",
                 number(width_), number(height_), xml_text(title), metadata);
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
