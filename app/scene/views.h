#pragma once
#include <vector>

#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

namespace tilescope {

// Each view's sentence, picture and numbers. Without a traced study: an empty sentence, a picture
// that says so, no numbers.
[[nodiscard]] Sentence sentence_of(View view, const ViewContext& context);

// What a view needs at the least to be laid out right, its margins included.
[[nodiscard]] FigureSize least_size(View view);
// The view inside `area`, without its sentence; where that is too small, what the view needs.
void draw_view(View view, Canvas& canvas, const Rect& area, const ViewContext& context);

// All numbers that a view draws where it has the room, in full precision. What is not a number (no
// time known, an intensity without bytes) is left out.
[[nodiscard]] std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context);

}  // namespace tilescope
