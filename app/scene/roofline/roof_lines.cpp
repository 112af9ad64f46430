#include "scene/roofline/roof_lines.h"

#include <algorithm>

namespace tilescope {
namespace {

// Lines of several pieces, so that a label may lie close beside a slanted one.
void reserve(FreeLabels& labels, const Roof& roof) {
  constexpr int kPieces = 64;
  const Point step{(roof.end.x - roof.begin.x) / kPieces, (roof.begin.y - roof.end.y) / kPieces};
  for (int i = 0; i < kPieces; ++i) {
    const auto share = static_cast<float>(i);
    labels.keep_free({roof.begin.x + step.x * share, roof.begin.y - step.y * (share + 1) - 1,
                      step.x, step.y + 2});
  }
}

bool put(FreeLabels& labels, Point left, float width, const std::string& words,
         const TextStyle& style) {
  const float half = style.size * 0.65f;
  return labels.put({left.x - 2, left.y - half, width + 4, 2 * half}, left, words, style);
}

// Places for a name along a level roof: above it and below it, the right end first.
bool write_along(Pen& pen, FreeLabels& labels, const Roof& roof, const std::string& name,
                 const TextStyle& style) {
  const float width = pen.width(name, style);
  for (float x = roof.end.x - width - pen.px(6); x >= roof.begin.x - width / 2;
       x -= std::max(width / 3, pen.px(12))) {
    for (const float away : {-pen.px(9), pen.px(9)}) {
      if (put(labels, {x, roof.begin.y + away}, width, name, style)) return true;
    }
  }
  return false;
}

// Places for a name beside a rising roof, `away` from it: below it, above it, then over its end.
bool write_beside(Pen& pen, FreeLabels& labels, const Roof& roof, const std::string& name,
                  const TextStyle& style, float away) {
  const float width = pen.width(name, style);
  for (float share = 0.02f; share < 0.99f; share += 0.04f) {
    const Point on{roof.begin.x + (roof.end.x - roof.begin.x) * share,
                   roof.begin.y + (roof.end.y - roof.begin.y) * share};
    for (const float left : {on.x + away, on.x - away - width}) {
      if (!put(labels, {left, on.y}, width, name, style)) continue;
      const float near = left > on.x ? left - 3 : left + width + 3;
      pen.canvas.line(on, {near, on.y}, Paint(roof.colour, 0.7f), 1);
      return true;
    }
  }
  return put(labels, {roof.end.x - width / 2, roof.end.y - pen.px(9)}, width, name, style);
}

// As near as there is room, tied to its line, and rather in short than far off. What finds no
// room is named by the line's tooltip alone.
void write_name(Pen& pen, FreeLabels& labels, const Roof& roof) {
  const TextStyle style = pen.style(11, roof.colour, Weight::kMedium);
  const bool level = roof.begin.y == roof.end.y;
  const float slope = (roof.begin.y - roof.end.y) / std::max(roof.end.x - roof.begin.x, 1.0f);
  const float near = pen.px(11) / std::max(slope, 0.05f);
  for (int farther = 0; farther < 10; ++farther) {
    for (const std::string& name : roof.names) {
      if (level ? write_along(pen, labels, roof, name, style)
                : write_beside(pen, labels, roof, name, style,
                               near + pen.px(20) * static_cast<float>(farther))) {
        return;
      }
    }
    if (level) return;
  }
}

void hit(Pen& pen, const Roof& roof) {
  if (roof.tooltip.empty()) return;
  constexpr int kPieces = 16;
  const float reach = pen.px(5);
  const float w = (roof.end.x - roof.begin.x) / kPieces;
  const float rise = (roof.begin.y - roof.end.y) / kPieces;
  for (int i = 0; i < kPieces; ++i) {
    const auto share = static_cast<float>(i);
    pen.hit(
        {roof.begin.x + w * share, roof.begin.y - rise * (share + 1) - reach, w, rise + 2 * reach},
        HitKind::kNone, 0, roof.tooltip);
  }
}

}  // namespace

void keep_roofs_free(FreeLabels& labels, std::span<const Roof> roofs) {
  for (const Roof& roof : roofs) reserve(labels, roof);
}

void draw_roofs(Pen& pen, FreeLabels& labels, std::span<const Roof> roofs) {
  for (const Roof& roof : roofs) {
    write_name(pen, labels, roof);
    pen.canvas.line(roof.begin, roof.end, roof.colour, pen.px(1.6f));
    hit(pen, roof);
  }
}

}  // namespace tilescope
