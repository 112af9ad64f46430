#include "scene/views.h"

#include <algorithm>
#include <array>

#include "scene/banks/banks_scene.h"
#include "scene/banks/banks_words.h"
#include "scene/coalescing/coalescing_scene.h"
#include "scene/coalescing/coalescing_words.h"
#include "scene/compare/compare_scene.h"
#include "scene/compare/compare_words.h"
#include "scene/divergence/divergence_scene.h"
#include "scene/divergence/divergence_words.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/occupancy/occupancy_words.h"
#include "scene/pipeline/pipeline_scene.h"
#include "scene/pipeline/pipeline_words.h"
#include "scene/roofline/roofline_scene.h"
#include "scene/roofline/roofline_words.h"
#include "scene/tiling/tiling_scene.h"
#include "scene/tiling/tiling_words.h"
#include "scene/view/empty_view.h"

namespace tilescope {
namespace {

// What differs from view to view. To add a view, add a row here, its enumerator and its names.
struct ViewParts {
  View view;
  FigureSize least;
  Sentence (*sentence)(const ViewContext& context);
  // `area` is all there is, `inside` what its margins leave.
  void (*draw)(Canvas& canvas, const Rect& area, const Rect& inside, const ViewContext& context);
  void (*add_numbers)(NumberList& list, const ViewContext& context);
};

template <void (*kDraw)(Canvas&, const Rect&, const ViewContext&)>
void draw_inside(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                 const ViewContext& context) {
  kDraw(canvas, inside, context);
}

// Its panes show other views.
void draw_compared(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                   const ViewContext& context) {
  draw_compare(canvas, inside, context, draw_view);
}

constexpr std::array kViews{
    ViewParts{View::kTiling, {240, 240}, tiling_sentence, draw_tiling, add_tiling_numbers},
    ViewParts{View::kCoalescing,
              {320, 240},
              coalescing_sentence,
              draw_inside<draw_coalescing>,
              add_coalescing_numbers},
    ViewParts{View::kBanks, {240, 240}, banks_sentence, draw_inside<draw_banks>, add_bank_numbers},
    ViewParts{View::kPipeline,
              {300, 240},
              pipeline_sentence,
              draw_inside<draw_pipeline>,
              add_pipeline_numbers},
    ViewParts{View::kDivergence,
              {240, 200},
              divergence_sentence,
              draw_inside<draw_divergence>,
              add_divergence_numbers},
    ViewParts{View::kOccupancy,
              {240, 240},
              occupancy_sentence,
              draw_inside<draw_occupancy>,
              add_occupancy_numbers},
    ViewParts{View::kRoofline,
              {240, 200},
              roofline_sentence,
              draw_inside<draw_roofline>,
              add_roofline_numbers},
    ViewParts{View::kCompare, {400, 240}, compare_sentence, draw_compared, add_compare_numbers},
};

const ViewParts& parts_of(View view) { return *std::ranges::find(kViews, view, &ViewParts::view); }

}  // namespace

FigureSize least_size(View view) { return parts_of(view).least; }

Sentence sentence_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  return parts_of(view).sentence(context);
}

void draw_view(View view, Canvas& canvas, const Rect& area, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) {
    Pen pen(canvas, context);
    draw_empty(pen, area, "No kernel has run yet", "Choose one of the kernels on the left.");
    return;
  }
  Pen pen(canvas, context);
  if (!has_room(pen, area, least_size(view))) return;
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  // The lane under the pointer is lit as the selected one is, in every view; compare has its own
  // way.
  if (context.hovered_lane >= 0 && view != View::kCompare) {
    prepared.selection.lane = context.hovered_lane;
  }
  const float margin = std::min(24.0f, area.w * 0.02f + 4.0f);
  const Rect inside{area.x + margin, area.y + 8, area.w - 2 * margin, area.h - 16};
  canvas.push_clip(area);
  parts_of(view).draw(canvas, area, inside, prepared);
  canvas.pop_clip();
}

std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  NumberList list;
  parts_of(view).add_numbers(list, prepared);
  return list.take();
}

}  // namespace tilescope
