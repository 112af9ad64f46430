#include "scene/drawing/canvas.h"

#include <algorithm>

namespace tilescope {

Paint Paint::lane(int lane, float alpha) {
  constexpr float kFirst = 0.12f;  // viridis below is too dark to tell apart on a dark panel,
  constexpr float kLast = 0.95f;   // above too pale on a light one
  Paint paint;
  paint.scale = Scale::kLane;
  paint.value = kFirst + (kLast - kFirst) * static_cast<float>(std::clamp(lane, 0, 31)) / 31.0f;
  paint.opacity = alpha;
  return paint;
}

Paint Paint::heat(float value, float alpha) {
  Paint paint;
  paint.scale = Scale::kHeat;
  paint.value = std::clamp(value, 0.0f, 1.0f);
  paint.opacity = alpha;
  return paint;
}

}  // namespace tilescope
