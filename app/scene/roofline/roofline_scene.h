#pragma once

#include <cstdint>
#include <span>

#include "scene/drawing/pen.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

void draw_roofline(Canvas& canvas, const Rect& area, const ViewContext& context);

// What the parts of the view draw from.
struct RooflinePicture {
  const KernelStudy& study;
  const Diagnosis& diagnosis;
  RooflineFigure figure;
  const RooflineData* data = nullptr;  // nullptr: no times are known
  std::uint32_t chosen_line = 0;       // of the kernel, and the one under the pointer; 0: none
  std::uint32_t hovered_line = 0;
  bool final = true;  // ViewContext::final

  // Whether its causes are to be believed: else the model is off, or counts may still change.
  [[nodiscard]] bool is_sure() const { return final && !figure.model_is_off(); }
};

// Parts of the view.
// Flop per second over flop per byte, both logarithmic: the roofs, the kernel, its family's steps.
void draw_roofline_chart(Pen& pen, const Rect& area, const RooflinePicture& picture);
// Bytes per second as bars, for kernels without arithmetic to speak of.
void draw_bandwidth_chart(Pen& pen, const Rect& area, const RooflinePicture& picture);
// How long each part of the GPU would need alone.
void draw_time_parts(Pen& pen, const Rect& area, const RooflinePicture& picture);
// The first causes side by side; where their words have no room there, one below the other.
[[nodiscard]] float verdict_row_height(const Pen& pen, float width, const RooflinePicture& picture);
void draw_verdict_row(Pen& pen, const Rect& area, const RooflinePicture& picture);

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> roofline_parts();

}  // namespace tilescope
