#pragma once
#include <span>
#include <string>
#include <vector>

#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kChoiceLabel = 68;  // units that a row's title takes

// What is chosen in a row, and in which unit its numbers are.
struct ChoiceTitle {
  const char* words;
  const char* meaning;
  const char* unit = "";
};
struct ChoiceWords {
  std::vector<std::string> words;
  int chosen = -1;  // that is strong
};
// Returns the one that was clicked, or -1.
int draw_choice(Sheet& sheet, float x, float y, const ChoiceTitle& title,
                const ChoiceWords& choice);

// One of some numbers, set by a click.
void choose_number(Sheet& sheet, float x, float y, const ChoiceTitle& title,
                   std::span<const int> numbers, int* number);

}  // namespace tilescope
