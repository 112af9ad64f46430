#include "ui/panels/source_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilescope {
namespace {

const char* tab_name(SourceLanguage language) {
  return language == SourceLanguage::kCuda  ? "CUDA"
         : language == SourceLanguage::kPtx ? "PTX"
                                            : "SASS";
}

const char* tab_meaning(SourceLanguage language) {
  return language == SourceLanguage::kCuda ? "The kernel's source, as a person writes it."
         : language == SourceLanguage::kPtx
             ? "PTX, which the compiler makes of it: the pictures come from there."
             : "The machine code that ptxas makes of that: what the GPU executes and its "
               "counters count.";
}

bool tab(Sheet& sheet, SourceLanguage language, float* x, bool on) {
  const char* words = tab_name(language);
  const TextStyle style = styled(12, on ? ColourRole::kStrong : ColourRole::kText,
                                 on ? Weight::kSemibold : Weight::kMedium);
  const float width = sheet.canvas().text_width(words, style) + 18;
  const Rect rect{*x, kSourceHead / 2 - 11, width, 22};
  const Touch touch = sheet.control(words, rect, tab_meaning(language));
  if (on || touch.hovered) {
    sheet.canvas().fill_rect(rect, on ? ColourRole::kHover : ColourRole::kRaised, 6);
  }
  sheet.text(rect.center().x, rect.center().y, words,
             styled(12, style.paint, style.weight, Align::kCenter));
  *x += width + 4;
  return touch.clicked;
}

const char* meaning_of(HeatColumn column) {
  switch (column) {
    case HeatColumn::kSectors:
      return "the sectors of 32 B of global memory that it moves. Teal is the least that the same "
             "bytes could cost, orange what is more";
    case HeatColumn::kWavefronts:
      return "the wavefronts of shared memory that it takes. Teal is the least that the same "
             "bytes could cost, orange what is more";
    case HeatColumn::kExecuted:
      return "the warp instructions that it executes";
  }
  return "";
}

// What the column of heat beside the lines counts, at the right of the tabs; a click shows the
// next. Returns where it begins.
float draw_heat_title(Sheet& sheet, float left) {
  Desk& desk = sheet.desk();
  const std::string words(name_of(desk.heat_column));
  const float right = sheet.width() - 14;
  TextStyle style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float x = right - sheet.canvas().text_width(words, style);
  if (x - 22 < left) return sheet.width();
  const Rect title{x - 16, kSourceHead / 2 - 10, right - x + 16, 20};
  const Touch touch = sheet.control("heat column", title);
  if (touch.hovered) style.paint = ColourRole::kText;
  sheet.text(right, kSourceHead / 2, words, style);
  sheet.mark({x - 10, kSourceHead / 2}, Source::kEmulated, ColourRole::kFaint);
  sheet.explain(title,
                fmt::format("Beside each line: {}; over the whole launch, to the scale of "
                            "the dearest line. Click, or H, for {}.",
                            meaning_of(desk.heat_column), name_of(next_of(desk.heat_column))));
  if (touch.clicked) desk.heat_column = next_of(desk.heat_column);
  return title.x;
}

// Where several places of a text come from the chosen line: which one is meant, and the way to the
// others.
void draw_places(Sheet& sheet, SourceLanguage language, float left, float right) {
  SourceEditor& editor = sheet.desk().editor;
  const auto [meant, count] = editor.places_of(language);
  if (count < 2) return;
  constexpr float kButton = 20;
  const TextStyle style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  for (const char* unit : {" places", ""}) {
    const std::string words = fmt::format("{} of {}{}", meant + 1, count, unit);
    const float width = sheet.canvas().text_width(words, style) + 12;
    if (left + width + 2 * kButton > right) continue;
    const Rect back{left, kSourceHead / 2 - 10, kButton, 20};
    const Rect on{back.right() + width, back.y, kButton, 20};
    const std::string name = tab_name(language);
    if (sheet.push((name + " place before").c_str(), back, "‹")) editor.step_places(language, -1);
    sheet.explain(back, "The place before (Shift N)");
    if (sheet.push((name + " next place").c_str(), on, "›")) editor.step_places(language, 1);
    sheet.explain(on, "The next place (N)");
    sheet.text(back.right() + width / 2, kSourceHead / 2, words, style);
    sheet.explain({left, back.y, width + 2 * kButton, 20},
                  fmt::format("The compiler made the line into {} places of this text: it was "
                              "unrolled, inlined or moved. ‹ and ›, or Shift N and N, go from one "
                              "to the next.",
                              count));
    return;
  }
}

}  // namespace

void draw_source_head(Sheet& sheet, const Variant& variant, const std::vector<SourceText>& shown) {
  Desk& desk = sheet.desk();
  const TextStyle name = styled(13, ColourRole::kStrong, Weight::kSemibold);
  const float width = sheet.width() / static_cast<float>(shown.size());
  float x = std::min(width * 0.37F, 16 + sheet.canvas().text_width(variant.file_name(), name) + 14);
  sheet.fitted(16, x - 8, kSourceHead / 2, variant.file_name(), name);
  std::vector<float> ends(shown.size());  // of the tabs over each column
  std::size_t column = 0;
  for (const SourceText& text : source_texts(variant)) {
    const auto at = std::ranges::find(shown, text.language, &SourceText::language);
    if (at != shown.end()) column = static_cast<std::size_t>(at - shown.begin());
    if (at != shown.end() && column > 0) x = std::max(x, static_cast<float>(column) * width + 8);
    if (tab(sheet, text.language, &x, at != shown.end())) desk.source_tab = text.language;
    ends[column] = x;
  }
  const bool heated = variant.study != nullptr && variant.study->counters;
  const float right = heated ? draw_heat_title(sheet, x) : sheet.width();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const float end = i + 1 < shown.size() ? static_cast<float>(i + 1) * width : right;
    draw_places(sheet, shown[i].language, ends[i] + 4, end - 8);
  }
}

}  // namespace tilescope
