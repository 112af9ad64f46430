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

// Above or below the line, at one of several places along it. False: there is no room.
bool write_name(Pen& pen, FreeLabels& labels, const Roof& roof) {
  const TextStyle style = pen.style(11, roof.colour, Weight::kMedium);
  const bool level = roof.begin.y == roof.end.y;
  const float slope = (roof.begin.y - roof.end.y) / std::max(roof.end.x - roof.begin.x, 1.0f);
  const float away = pen.px(11) / std::max(slope, 0.05f);
  for (const std::string& name : roof.names) {
    const float width = pen.width(name, style);
    if (level) {
      const float last = roof.end.x - width - pen.px(6);
      for (float x = last; x >= roof.begin.x - width / 2; x -= std::max(width / 3, pen.px(12))) {
        if (put(labels, {x, roof.begin.y - pen.px(9)}, width, name, style) ||
            put(labels, {x, roof.begin.y + pen.px(9)}, width, name, style)) {
          return true;
        }
      }
      continue;
    }
    // Below it, above it, or on its upper end.
    for (float share = 0.06f; share < 0.95f; share += 0.08f) {
      const Point on{roof.begin.x + (roof.end.x - roof.begin.x) * share,
                     roof.begin.y + (roof.end.y - roof.begin.y) * share};
      if (put(labels, {on.x + away, on.y}, width, name, style) ||
          put(labels, {on.x - away - width, on.y}, width, name, style)) {
        return true;
      }
    }
    if (put(labels, {roof.end.x - width / 2, roof.end.y - pen.px(9)}, width, name, style)) {
      return true;
    }
  }
  return false;
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
    if (!write_name(pen, labels, roof)) continue;
    pen.canvas.line(roof.begin, roof.end, roof.colour, pen.px(1.6f));
    hit(pen, roof);
  }
}

}  // namespace tilescope
