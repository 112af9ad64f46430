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

namespace tilescope {
namespace {

template <void (*kDraw)(Canvas&, const Rect&, const ViewContext&)>
void draw_inside(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                 const ViewContext& context) {
  kDraw(canvas, inside, context);
}

// Its panes show other views.
void draw_compared(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                   const ViewContext& context) {
  draw_compare(canvas, inside, context, {view_descriptors(), draw_view});
}

constexpr std::array kTilingSettings{view_setting<&ViewSettings::heat>("heat", 0, 1, "--heat")};
constexpr std::array kDivergenceSettings{
    view_setting<&ViewSettings::lane_window>("lane_window", 0, std::int64_t{1} << 40)};
constexpr std::array kOccupancySettings{
    view_setting<&ViewSettings::device>("device", -1, 1000, "--device"),
    view_setting<&ViewSettings::latency_cycles>("latency_cycles", 0, 1'000'000)};
constexpr std::array kCompareSettings{
    view_setting<&ViewSettings::compare_base>("compare_base", 0, 3, "--against"),
    view_setting<&ViewSettings::compare_mode>(
        "compare_mode", 0, static_cast<std::int64_t>(CompareMode::kOverlay), "--overlay"),
    view_setting<&ViewSettings::compare_pane>("compare_pane", -1, 3),
    view_setting<&ViewSettings::compare_view>(
        "compare_view", -1, static_cast<std::int64_t>(View::kCompare) - 1, "--panes"),
    view_setting<&ViewSettings::compare_part>("compare_part", 0, 2),
    view_setting<&ViewSettings::compare_ladder>("compare_ladder")};

// To add a view, add a row here, in the order of the tabs.
constexpr std::array kViews{
    ViewDescriptor{
        .view = View::kTiling,
        .name = "tiling",
        .title = "Tiling",
        .purpose = "Which part of the matrices each block and thread uses, and when",
        .least = {240, 240},
        .needs = {.registers = true},
        .zoom = ViewZoom::kMatrices,
        .in_panes = true,
        .settings = kTilingSettings,
        .sentence = tiling_sentence,
        .draw = draw_tiling,
        .add_numbers = add_tiling_numbers,
    },
    ViewDescriptor{
        .view = View::kCoalescing,
        .name = "coalescing",
        .title = "Coalescing",
        .purpose = "The sectors that a warp's global access moves",
        .least = {320, 240},
        .in_panes = true,
        .select = look_at_worst_global,
        .sentence = coalescing_sentence,
        .draw = draw_inside<draw_coalescing>,
        .add_numbers = add_coalescing_numbers,
    },
    ViewDescriptor{
        .view = View::kBanks,
        .name = "banks",
        .title = "Banks",
        .purpose = "Bank conflicts: the wavefronts of a warp's shared access",
        .least = {240, 240},
        .needs = {.layouts = true},
        .in_panes = true,
        .select = look_at_worst_shared,
        .sentence = banks_sentence,
        .draw = draw_inside<draw_banks>,
        .add_numbers = add_bank_numbers,
    },
    ViewDescriptor{
        .view = View::kPipeline,
        .name = "pipeline",
        .title = "Pipeline",
        .purpose = "When the block's warps load, wait and compute, in modelled cycles",
        .least = {300, 240},
        .needs = {.registers = true,
                  .issued = true,
                  .pipeline = true,
                  .times = true,
                  .stages = true,
                  .phases = true},
        .zoom = ViewZoom::kTime,
        .in_panes = true,
        .sentence = pipeline_sentence,
        .draw = draw_inside<draw_pipeline>,
        .add_numbers = add_pipeline_numbers,
    },
    ViewDescriptor{
        .view = View::kDivergence,
        .name = "divergence",
        .title = "Divergence",
        .purpose = "Which lanes of a warp are active, and which wait",
        .least = {240, 200},
        .in_panes = true,
        .settings = kDivergenceSettings,
        .select = look_at_worst_warp,
        .sentence = divergence_sentence,
        .draw = draw_inside<draw_divergence>,
        .add_numbers = add_divergence_numbers,
    },
    ViewDescriptor{
        .view = View::kOccupancy,
        .name = "occupancy",
        .title = "Occupancy",
        .purpose = "How many blocks run on an SM, and what limits them",
        .least = {240, 240},
        .needs = {.registers = true, .issued = true},
        .in_panes = true,
        .settings = kOccupancySettings,
        .sentence = occupancy_sentence,
        .draw = draw_inside<draw_occupancy>,
        .add_numbers = add_occupancy_numbers,
    },
    ViewDescriptor{
        .view = View::kRoofline,
        .name = "roofline",
        .title = "Roofline",
        .purpose = "How fast the kernel is, and what limits it",
        .least = {240, 200},
        .needs = {.registers = true, .issued = true, .times = true, .family = true},
        .sentence = roofline_sentence,
        .draw = draw_inside<draw_roofline>,
        .add_numbers = add_roofline_numbers,
    },
    ViewDescriptor{
        .view = View::kCompare,
        .name = "compare",
        .title = "Compare",
        .purpose = "Two to four variants side by side, and why one is faster",
        .least = {400, 240},
        .needs = {.registers = true, .issued = true, .times = true, .variants = true},
        .settings = kCompareSettings,
        .sentence = compare_sentence,
        .draw = draw_compared,
        .add_numbers = add_compare_numbers,
    },
};

}  // namespace

std::span<const ViewDescriptor> view_descriptors() { return kViews; }

const ViewDescriptor& descriptor_of(View view) {
  return *std::ranges::find(kViews, view, &ViewDescriptor::view);
}

ViewNeeds needs_of(View view, const ViewSettings& settings) {
  ViewNeeds needs = descriptor_of(view).needs;
  if (!needs.variants || settings.compare_view < 0) return needs;
  const ViewNeeds& pane = descriptor_of(static_cast<View>(settings.compare_view)).needs;
  needs.pipeline |= pane.pipeline;
  needs.phases |= pane.phases;
  return needs;
}

std::span<const View> all_views() {
  static constexpr auto kInOrder = [] {
    std::array<View, kViews.size()> views{};
    std::ranges::transform(kViews, views.begin(), &ViewDescriptor::view);
    return views;
  }();
  return kInOrder;
}

std::string_view name_of(View view) { return descriptor_of(view).name; }
std::string_view title_of(View view) { return descriptor_of(view).title; }

std::optional<View> parse_view(std::string_view name) {
  const auto* found = std::ranges::find(kViews, name, &ViewDescriptor::name);
  if (found == kViews.end()) return std::nullopt;
  return found->view;
}

Selection telling_selection(View view, const KernelStudy& study, const PreparedStudy& prepared) {
  Selection selection = middle_of_time(study, prepared);
  if (const auto select = descriptor_of(view).select) select(study, prepared, selection);
  return selection;
}

FigureSize least_size(View view) { return descriptor_of(view).least; }

Sentence sentence_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  return descriptor_of(view).sentence(context);
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
  const ViewDescriptor& descriptor = descriptor_of(view);
  // The lane under the pointer is lit as the selected one is; a comparison lights it in its panes.
  if (context.hovered_lane >= 0 && !descriptor.needs.variants) {
    prepared.selection.lane = context.hovered_lane;
  }
  const float margin = std::min(24.0f, area.w * 0.02f + 4.0f);
  const Rect inside{area.x + margin, area.y + 8, area.w - 2 * margin, area.h - 16};
  canvas.push_clip(area);
  descriptor.draw(canvas, area, inside, prepared);
  canvas.pop_clip();
}

std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  NumberList list;
  descriptor_of(view).add_numbers(list, prepared);
  return list.take();
}

}  // namespace tilescope
