#pragma once
#include "ui/desk/desk.h"
#include "ui/drawing/sheet.h"

namespace tilescope {

// What stands in the place of charts of throughput that have nothing in them.

// Why a chart is empty, and what would fill it. `otherwise`: it would not be, with the L2 in the
// other state.
void draw_empty_chart(Sheet& sheet, const Rect& area, const Variant& variant,
                      bool otherwise = false);
// The same of the live chart: what was measured long ago or is recorded does not fill it.
void draw_empty_live(Sheet& sheet, const Rect& area, const Variant& variant);
// All that is left of the charts where nothing fills them.
void draw_folded_charts(Sheet& sheet);

}  // namespace tilescope
