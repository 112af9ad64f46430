#include "ui/panels/chart_choices.h"

#include <array>

namespace tilescope {
namespace {

constexpr std::array kChoices{
    ChartChoice{ChartKind::kLive, "show live", "Live", "Throughput over time, a point a launch."},
    ChartChoice{ChartKind::kOverSize, "show size", "Size",
                "Throughput over the problem's size, these parameters."},
    ChartChoice{ChartKind::kOverParameter, "show parameter", "Parameter",
                "Throughput over the slider that was touched last."}};

struct Word {
  const char* id;
  const char* text;
  const char* meaning;
  bool holds;
};

// Ends at `right`; true: it was clicked. Moves `right` to where the next one may end.
bool draw_word(Sheet& sheet, const Rect& area, const Word& word, float* right) {
  const TextStyle style = styled(12, word.holds ? ColourRole::kStrong : ColourRole::kDim,
                                 Weight::kMedium, Align::kRight);
  const float width = sheet.canvas().text_width(word.text, style);
  const Rect button{*right - width - 6, area.y - 4, width + 12, 20};
  const Touch touch = sheet.control(word.id, button);
  sheet.text(*right, area.y + 6, word.text, style);
  if (word.holds) {
    sheet.canvas().fill_rect({*right - width, area.y + 15, width, 2}, ColourRole::kFirst, 0);
  }
  sheet.explain(button, word.meaning);
  *right -= width + 16;
  return touch.clicked;
}

}  // namespace

std::span<const ChartChoice> chart_choices() { return kChoices; }

float draw_chart_choice(Sheet& sheet, const Rect& area, ChartKind shown,
                        std::span<const ChartChoice> choices) {
  float right = area.right();
  for (const ChartChoice& choice : choices) {
    const Word word{choice.id, choice.word, choice.meaning, choice.kind == shown};
    if (draw_word(sheet, area, word, &right)) sheet.desk().charts.chosen = choice.kind;
  }
  return area.right() - right;
}

float draw_l2_choice(Sheet& sheet, const Rect& area) {
  Workbench& bench = sheet.desk().bench;
  float right = area.right();
  const bool cold = bench.cold();
  if (draw_word(sheet, area,
                {"warm L2", "warm", "Each launch finds the L2 as the same launch left it.", !cold},
                &right)) {
    bench.set_cold(false);
  }
  if (draw_word(
          sheet, area,
          {"cold L2", "L2 cold", "The L2 is overwritten before each launch that is timed.", cold},
          &right)) {
    bench.set_cold(true);
  }
  return area.right() - right + 8;
}

}  // namespace tilescope
