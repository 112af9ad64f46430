#pragma once
#include <span>
#include <string>
#include <vector>

#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kChoiceLabel = 68;  // units that a row's title takes

// A choice among words, the chosen one strong. Returns the one that was clicked, or -1.
int draw_choice(Sheet& sheet, float x, float y, const char* title,
                const std::vector<std::string>& words, int chosen);

// One of some numbers, set by a click.
void choose_number(Sheet& sheet, float x, float y, const char* title, const char* unit,
                   std::span<const int> numbers, int* number);

}  // namespace tilescope
