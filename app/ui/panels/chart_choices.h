#pragma once
#include <span>

#include "ui/desk/desk.h"
#include "ui/drawing/sheet.h"

namespace tilescope {

struct ChartChoice {
  ChartKind kind;
  const char* id;
  const char* word;
  const char* meaning;
};
// The charts that one place may show, the last one where it is the only place.
[[nodiscard]] std::span<const ChartChoice> chart_choices();

// Words at the right end of a chart's title, of which the one that holds is strong and a click
// takes another: the chart that stands there, and whether the L2 is cold or warm. They give the
// width that they take.
float draw_chart_choice(Sheet& sheet, const Rect& area, ChartKind shown,
                        std::span<const ChartChoice> choices);
float draw_l2_choice(Sheet& sheet, const Rect& area);

}  // namespace tilescope
