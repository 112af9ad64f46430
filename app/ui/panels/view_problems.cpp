#include "ui/panels/view_problems.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ui/actions.h"

namespace tilescope {

float draw_findings(Sheet& sheet, float edge, float y, float size) {
  const std::vector<SourceMark>& marks = sheet.desk().marks.source;
  const auto count =
      std::ranges::count_if(marks, [](const SourceMark& mark) { return mark.finding.has_value(); });
  if (count == 0) return edge;
  const std::string words = std::to_string(count) + (count == 1 ? " finding" : " findings");
  const TextStyle style = styled(size - 1, ColourRole::kExcess, Weight::kSemibold, Align::kCenter);
  const float width = sheet.canvas().text_width(words, style) + 20;
  const float height = std::round(size * 1.6F);
  const Rect badge{edge - width, y - height / 2, width, height};
  const Touch touch = sheet.control("findings", badge);
  if (touch.hovered) sheet.canvas().fill_rect(badge, ColourRole::kHover, 6);
  sheet.canvas().stroke_rect(badge, ColourRole::kExcess, 1, 6);
  sheet.text(badge.center().x, badge.center().y, words, style);
  const auto first =
      std::ranges::find_if(marks, [](const SourceMark& mark) { return mark.finding.has_value(); });
  sheet.explain(badge, "Line " + std::to_string(first->line) + ": " + first->words +
                           "\nA click goes to the next one.");
  if (touch.clicked) go_to_finding(sheet.desk());
  return badge.x - 16;
}

void draw_error(Sheet& sheet, const Variant& variant, const Rect& area) {
  const float x = area.x;
  const float room = area.w;
  float y = area.y;
  const Error& error = *variant.error;
  sheet.text(
      x, y,
      error.code == ErrorCode::kKernel ? "This kernel cannot be shown" : "This cannot be done here",
      styled(15, ColourRole::kStrong, Weight::kSemibold));
  y += 28;
  const std::vector<SourceMark>& marks = sheet.desk().marks.source;
  if (marks.empty()) {
    Error without_remedy = error;
    without_remedy.remedy.clear();
    y = sheet.paragraph(x, y, room, to_string(without_remedy), styled(13, ColourRole::kExcess));
    if (!error.remedy.empty()) sheet.paragraph(x, y + 8, room, error.remedy, styled(13));
    return;
  }
  for (const SourceMark& mark : marks) {
    if (y + 80 > area.bottom()) break;
    std::string words = "Line " + std::to_string(mark.line) + ": " + mark.words;
    std::ranges::replace(words, '\n', ' ');
    y = sheet.paragraph(x, y, room, words, styled(13, ColourRole::kExcess)) + 6;
  }
  const std::uint32_t first = std::ranges::min(marks, {}, &SourceMark::line).line;
  const std::string words = "Show line " + std::to_string(first) + " in the source";
  const float width = sheet.canvas().text_width(words, styled(12)) + 28;
  const Rect button{x, y + 8, width, 28};
  const bool pressed = sheet.push("to the error", button, words, true);
  sheet.explain(button, "Goes to the line, in the source (F8).");
  if (pressed) {
    sheet.desk().problem_line = 0;
    go_to_problem(sheet.desk(), 1);
  }
}

}  // namespace tilescope
