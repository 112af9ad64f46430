#include "scene/model/selection.h"

#include <algorithm>

namespace tilescope {
namespace {}  // namespace

void MatrixCamera::zoom_by(float factor, float u, float v) {
  const float before = zoom;
  zoom = std::clamp(zoom * factor, 1.0f, kMostZoom);
  center_x += u / before - u / zoom;
  center_y += v / before - v / zoom;
  move_by(0, 0);
}

void MatrixCamera::move_by(float across, float down) {
  const float half = 0.5f / zoom;
  center_x = std::clamp(center_x + across / zoom, half, 1 - half);
  center_y = std::clamp(center_y + down / zoom, half, 1 - half);
}

}  // namespace tilescope
