#pragma once

#include <string>

#include "session/lesson.h"
#include "ui/state/panel_surface.h"

namespace tilescope {

// How a lesson's text is set, in units.
struct LessonType {
  float size = 14.5F;
  float pitch = 22;              // from line to line
  bool values_stand_out = true;  // strong and with their marks; off in a choice that is not made
  bool strong = false;           // all of it
};

// A paragraph of the open lesson, broken into lines no wider than `room`: values with their marks
// and what they come from, terms that open the glossary. `first_y`: the middle of its first line;
// returns that of the line below the last. `after_answer`: of the part behind the question. With
// `draws` off it is only measured.
float draw_lesson_text(PanelSurface& surface, Point first, float room,
                       const LessonParagraph& paragraph, bool after_answer, const LessonType& type,
                       bool draws = true);

}  // namespace tilescope
