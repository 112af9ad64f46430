#pragma once

#include <cstdint>

#include "scene/drawing/canvas.h"

namespace tilescope {

// The one selection that every view shares.
struct Selection {
  std::uint64_t block = 0;  // linear index of the traced block
  std::uint32_t warp = 0;
  int lane = 0;
  std::uint32_t event = 0;  // time: index into BlockTrace::events
  std::uint32_t line = 0;   // source line of interest, 0: follows time

  friend bool operator==(const Selection&, const Selection&) = default;
};

// How far a person has zoomed into the matrices. zoom 1 shows all of them.
struct MatrixCamera {
  static constexpr float kMostZoom = 4096;

  float zoom = 1;
  float center_x = 0.5f;  // of the view's area, 0..1: what is seen in its middle
  float center_y = 0.5f;

  friend bool operator==(const MatrixCamera&, const MatrixCamera&) = default;

  // By this factor, around the point of the view's area that lies (u, v) from its middle, -0.5 to
  // 0.5; never out of the area.
  void zoom_by(float factor, float u = 0, float v = 0);
  // By this part of what is seen.
  void move_by(float across, float down);
};

// How far a person has stretched the time of the pipeline view.
inline constexpr float kLeastTimeZoom = 1.0f / 64;
inline constexpr float kMostTimeZoom = 256;

}  // namespace tilescope
