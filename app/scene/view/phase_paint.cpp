#include "scene/view/phase_paint.h"

#include <algorithm>
#include <string_view>

#include "scene/drawing/pen.h"

namespace tilescope {

Paint phase_paint(const Program& program, std::int16_t phase) {
  if (phase < 0) return {ColourRole::kFaint, 0.7f};
  const std::string_view name = program.phases()[static_cast<std::size_t>(phase)];
  if (name.starts_with("load") || name.starts_with("copy")) return ColourRole::kFirst;
  if (name.starts_with("compute") || name.starts_with("multiply")) return ColourRole::kSecond;
  if (name.starts_with("wait") || name.starts_with("barrier") || name.starts_with("sync")) {
    return ColourRole::kFourth;
  }
  if (name.starts_with("store") || name.starts_with("epilogue")) return ColourRole::kThird;
  return ColourRole::kDim;
}

std::string phase_name(const Program& program, std::int16_t phase) {
  if (phase < 0) return "before the first phase";
  std::string name(program.phases()[static_cast<std::size_t>(phase)]);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void fill_time(Pen& pen, const Rect& box, Paint paint, float corner) {
  pen.canvas.fill_rect(box, paint, corner);
  const bool waits = paint.scale == Paint::Scale::kRole && paint.role == ColourRole::kFourth;
  const float spacing = pen.px(4);
  if (waits && box.w >= spacing) {
    pen.canvas.hatch_rect(box, Paint(ColourRole::kBackground, 0.6f), spacing);
  }
}

StallMark mark_of(Stall stall) {
  using Pattern = StallMark::Pattern;
  switch (stall) {
    case Stall::kNone:
      return {ColourRole::kIdeal};
    case Stall::kLongScoreboard:
      return {ColourRole::kFaint, Pattern::kHatched};
    case Stall::kShortScoreboard:
      return {ColourRole::kThird, Pattern::kHatched};
    case Stall::kWait:
      return {ColourRole::kSecond, Pattern::kHatched};
    case Stall::kBarrier:
      return {ColourRole::kFourth};
    case Stall::kMathPipeThrottle:
      return {ColourRole::kSecond, Pattern::kOutlined};
    case Stall::kMioThrottle:
      return {ColourRole::kThird, Pattern::kOutlined};
    case Stall::kLgThrottle:
      return {ColourRole::kFirst, Pattern::kOutlined};
    case Stall::kBranchResolving:
      return {ColourRole::kStrong};
    case Stall::kNotSelected:
      return {ColourRole::kFaint, Pattern::kOutlined};
    case Stall::kMbarrier:
      return {ColourRole::kFirst, Pattern::kHatched};
    case Stall::kGmma:
      return {ColourRole::kFourth, Pattern::kOutlined};
  }
  return {};
}

void draw_stall_mark(Pen& pen, const Rect& box, const StallMark& mark) {
  switch (mark.pattern) {
    case StallMark::Pattern::kSolid:
      fill_time(pen, box, mark.paint, 1.5f);
      return;
    case StallMark::Pattern::kHatched:  // with a tint below it, to be seen on a projector too
      pen.canvas.fill_rect(box, Paint(mark.paint.role, 0.25f));
      pen.canvas.hatch_rect(box, mark.paint, pen.px(4));
      return;
    case StallMark::Pattern::kOutlined:
      pen.canvas.fill_rect(box, Paint(mark.paint.role, 0.25f), 1.5f);
      if (box.w >= 3 && box.h >= 3) {  // narrower ones have no inside
        pen.outline(box.inset(0.75f), mark.paint, 1.5f, 1.5f);
      } else {
        pen.canvas.fill_rect(box, mark.paint);
      }
      return;
  }
}

}  // namespace tilescope
