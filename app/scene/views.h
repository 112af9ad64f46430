#pragma once
#include <vector>

#include "scene/view/drawn_numbers.h"
#include "scene/view/view.h"

namespace tilescope {

// Each view's sentence, picture and numbers. Without a traced study: an empty sentence, a picture
// that says so, no numbers.
[[nodiscard]] Sentence sentence_of(View view, const ViewContext& context);

// The view inside `area`, without its sentence.
void draw_view(View view, Canvas& canvas, const Rect& area, const ViewContext& context);

// All numbers that a view draws where it has the room, in full precision. What is not a number (no
// time known, an intensity without bytes) is left out.
[[nodiscard]] std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context);

}  // namespace tilescope
