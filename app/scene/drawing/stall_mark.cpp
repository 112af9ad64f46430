#include "scene/drawing/stall_mark.h"

#include "scene/drawing/phase_paint.h"

namespace tilescope {

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
