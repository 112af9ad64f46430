#include "scene/drawing/pen.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"

namespace tilescope {
namespace {

// Cuts before the last UTF-8 character.
void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

}  // namespace

TextStyle Pen::style(float size, Paint paint, Weight weight, Align align, Font font) const {
  TextStyle result;
  result.size = px(size);
  result.weight = weight;
  result.font = font;
  result.align = align;
  result.paint = paint;
  return result;
}

std::string Pen::fitted(std::string_view text, const TextStyle& style, float room) const {
  std::string kept(text);
  if (width(kept, style) <= room) return kept;
  constexpr std::string_view kEllipsis = "…";
  while (!kept.empty()) {
    drop_last_character(kept);
    while (!kept.empty() && kept.back() == ' ') kept.pop_back();
    const std::string candidate = kept + std::string(kEllipsis);
    if (!kept.empty() && width(candidate, style) <= room) return candidate;
  }
  return {};
}

bool Pen::text_if_fits(float x, float y, std::string_view words, const TextStyle& style,
                       float room) {
  if (width(words, style) > room) return false;
  text(x, y, words, style);
  return true;
}

namespace {

// Where the last part of an explanation ends the one before it; the comma of 1,024 does not.
std::size_t last_part(std::string_view words) {
  std::size_t end = std::string_view::npos;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (std::string_view(":;,").find(words[i]) != std::string_view::npos && words[i + 1] == ' ') {
      end = i;
    }
  }
  return end;
}

}  // namespace

float Pen::heading(float x, float y, std::string_view title, std::string_view explanation,
                   float right) {
  TextStyle strong = style(11, ColourRole::kDim, Weight::kSemibold);
  strong.keeps_width = true;  // the explanation begins behind it
  const std::string fitted_title = fitted(title, strong, right - x);
  text(x, y, fitted_title, strong);
  float end = x + width(fitted_title, strong);
  if (explanation.empty()) return end;
  const TextStyle plain_style = style(11, ColourRole::kDim);
  const float start = end + px(12);
  // As many of its parts as fit; half a sentence explains nothing, nor, in "rows: these; columns:
  // those", what the last colon introduces.
  for (bool introduces = false; introduces || width(explanation, plain_style) > right - start;) {
    const std::size_t part = last_part(explanation);
    if (part == std::string_view::npos) return end;
    const bool at_colon = explanation[part] == ':';
    explanation = explanation.substr(0, part);
    introduces = at_colon && explanation.find("; ") != std::string_view::npos;
  }
  text(start, y, explanation, plain_style);
  return start + width(explanation, plain_style);
}

bool Pen::first_that_fits(float x, float y, const std::vector<std::string>& candidates,
                          const TextStyle& style, float room) {
  for (const std::string& candidate : candidates) {
    if (text_if_fits(x, y, candidate, style, room)) return true;
  }
  return false;
}

void Pen::source_mark(Point center, Source source, Paint paint) {
  const float r = px(4);
  const std::array<Point, 5> diamond = {
      Point{center.x, center.y - r}, Point{center.x + r, center.y}, Point{center.x, center.y + r},
      Point{center.x - r, center.y}, Point{center.x, center.y - r}};
  switch (source) {
    case Source::kMeasured:
      canvas.fill_circle(center, r, paint);
      break;
    case Source::kRecorded:
      canvas.fill_circle(center, r, paint);
      canvas.fill_circle(center, r * 0.6f, ColourRole::kBackground);
      break;
    case Source::kEmulated:
      canvas.fill_polygon(std::span(diamond).first(4), paint);
      break;
    case Source::kModelled:
      canvas.polyline(diamond, paint, px(1.2f));
      break;
  }
}

namespace {

TextStyle style_of(const Pen& pen, const Segment& segment) {
  return pen.style(11, segment.chosen ? ColourRole::kStrong : ColourRole::kDim,
                   segment.chosen ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
}

float width_of(const Pen& pen, const Segment& segment) {
  return pen.width(segment.words, style_of(pen, segment)) + pen.px(14);
}

}  // namespace

float segments_width(const Pen& pen, std::span<const Segment> segments) {
  float width = 0;
  for (const Segment& segment : segments) width += width_of(pen, segment) + pen.px(2);
  return width;
}

float draw_segments(Pen& pen, float right, float y, std::span<const Segment> segments) {
  if (pen.on_paper) return right;
  const float left = right - segments_width(pen, segments) + pen.px(2);
  float x = left;
  pen.canvas.fill_rect({left, y - pen.px(9), right - left, pen.px(18)},
                       Paint(ColourRole::kRaised, 0.6f), 6);
  for (const Segment& segment : segments) {
    const Rect chip{x, y - pen.px(9), width_of(pen, segment), pen.px(18)};
    if (segment.chosen) pen.canvas.fill_rect(chip, ColourRole::kHover, 6);
    pen.text(chip.center().x, y, segment.words, style_of(pen, segment));
    pen.canvas.hit(chip, segment.hit);
    x = chip.right() + pen.px(2);
  }
  return left;
}

namespace {

// The same where all characters are narrow.
std::size_t spaced_end(std::string_view words, std::size_t from) {
  while (true) {
    const std::size_t space = std::min(words.find(' ', from), words.size());
    if (space == words.size()) return space;
    const std::string_view before = words.substr(0, space);
    const bool is_number =
        !before.empty() && std::isdigit(static_cast<unsigned char>(before.back())) != 0;
    if (!is_number && !before.ends_with("×")) return space;
    from = space + 1;
  }
}

}  // namespace

// Behind a wide character it may end sooner.
std::size_t unbroken_end(std::string_view words, std::size_t from) {
  const std::size_t end = spaced_end(words, from);
  for (std::size_t i = from; i < end;) {
    const std::size_t wide = wide_character(words, i);
    i += std::max<std::size_t>(wide, 1);
    if (wide > 0 && i < end && breaks_before(words, i)) return i;
  }
  return end;
}

}  // namespace tilescope
