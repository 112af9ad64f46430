#include "ui/dialogs/choice_row.h"

namespace tilescope {

int draw_choice(Sheet& sheet, float x, float y, const ChoiceTitle& title,
                const ChoiceWords& choice) {
  const auto& [words, chosen] = choice;
  sheet.text(x, y, title.words, styled(12, ColourRole::kDim));
  x += kChoiceLabel;
  int clicked = -1;
  int index = 0;
  for (const std::string& word : words) {
    const TextStyle style = styled(13, index == chosen ? ColourRole::kStrong : ColourRole::kDim,
                                   index == chosen ? Weight::kSemibold : Weight::kRegular);
    const float width = sheet.canvas().text_width(word, style) + 20;
    const Rect rect{x, y - 13, width, 26};
    const Touch touch = sheet.control((title.words + word).c_str(), rect, title.meaning);
    if (index == chosen || touch.hovered) {
      sheet.canvas().fill_rect(rect, index == chosen ? ColourRole::kHover : ColourRole::kPanel, 6);
    }
    sheet.text(x + 10, y, word, style);
    if (touch.clicked) clicked = index;
    x += width + 4;
    ++index;
  }
  return clicked;
}

void choose_number(Sheet& sheet, float x, float y, const ChoiceTitle& title,
                   std::span<const int> numbers, int* number) {
  std::vector<std::string> words;
  int chosen = -1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    words.push_back(std::to_string(numbers[i]) + title.unit);
    if (numbers[i] == *number) chosen = static_cast<int>(i);
  }
  const int clicked = draw_choice(sheet, x, y, title, {std::move(words), chosen});
  if (clicked >= 0) *number = numbers[static_cast<std::size_t>(clicked)];
}

}  // namespace tilescope
