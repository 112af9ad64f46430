#include "scene/view.h"

#include <algorithm>
#include <array>

#include "scene/banks/banks_scene.h"
#include "scene/coalescing/coalescing_scene.h"
#include "scene/compare/compare_scene.h"
#include "scene/divergence/divergence_scene.h"
#include "scene/drawing/empty_view.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/pipeline/pipeline_scene.h"
#include "scene/prepared_access.h"
#include "scene/roofline/roofline_scene.h"
#include "scene/sentences.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

// All that differs from view to view. To add one, add a row here and its enumerator.
struct ViewDescription {
  View view;
  std::string_view name;
  std::string_view title;
  FigureSize least;
  Sentence (*sentence)(const ViewContext& context);
  // `area` is all there is, `inside` what its margins leave.
  void (*draw)(Canvas& canvas, const Rect& area, const Rect& inside, const ViewContext& context);
};

template <void (*kDraw)(Canvas&, const Rect&, const ViewContext&)>
void draw_inside(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                 const ViewContext& context) {
  kDraw(canvas, inside, context);
}

constexpr std::array kDescriptions{
    ViewDescription{View::kTiling, "tiling", "Tiling", {240, 240}, tiling_sentence, draw_tiling},
    ViewDescription{View::kCoalescing,
                    "coalescing",
                    "Coalescing",
                    {320, 240},
                    coalescing_sentence,
                    draw_inside<draw_coalescing>},
    ViewDescription{
        View::kBanks, "banks", "Banks", {240, 240}, banks_sentence, draw_inside<draw_banks>},
    ViewDescription{View::kPipeline,
                    "pipeline",
                    "Pipeline",
                    {240, 240},
                    pipeline_sentence,
                    draw_inside<draw_pipeline>},
    ViewDescription{View::kDivergence,
                    "divergence",
                    "Divergence",
                    {240, 200},
                    divergence_sentence,
                    draw_inside<draw_divergence>},
    ViewDescription{View::kOccupancy,
                    "occupancy",
                    "Occupancy",
                    {240, 240},
                    occupancy_sentence,
                    draw_inside<draw_occupancy>},
    ViewDescription{View::kRoofline,
                    "roofline",
                    "Roofline",
                    {240, 200},
                    roofline_sentence,
                    draw_inside<draw_roofline>},
    ViewDescription{View::kCompare,
                    "compare",
                    "Compare",
                    {320, 240},
                    compare_sentence,
                    draw_inside<draw_compare>},
};

const ViewDescription& description_of(View view) {
  return *std::ranges::find(kDescriptions, view, &ViewDescription::view);
}

std::uint32_t source_line(const KernelStudy& study, std::uint32_t event) {
  const std::uint32_t instruction = study.trace->events[event].instruction;
  return study.program->instructions()[instruction].outermost.line;
}

// The event at or before `now`, else the first after it, among those that `wanted` accepts.
template <typename Predicate>
std::optional<std::uint32_t> nearest(const std::vector<std::uint32_t>& events, std::uint32_t now,
                                     const Predicate& wanted) {
  const auto after = std::upper_bound(events.begin(), events.end(), now);
  for (auto it = after; it != events.begin();) {
    if (wanted(*--it)) return *it;
  }
  for (auto it = after; it != events.end(); ++it) {
    if (wanted(*it)) return *it;
  }
  return std::nullopt;
}

}  // namespace

std::string plain(const Sentence& sentence) {
  std::string text;
  for (const SentenceRun& run : sentence) text += run.text;
  return text;
}

std::span<const View> all_views() {
  static constexpr auto kViews = [] {
    std::array<View, kDescriptions.size()> views{};
    std::ranges::transform(kDescriptions, views.begin(), &ViewDescription::view);
    return views;
  }();
  return kViews;
}

std::string_view name_of(View view) { return description_of(view).name; }

std::string_view title_of(View view) { return description_of(view).title; }

FigureSize least_size(View view) { return description_of(view).least; }

std::optional<View> parse_view(std::string_view name) {
  const auto* found = std::ranges::find(kDescriptions, name, &ViewDescription::name);
  if (found == kDescriptions.end()) return std::nullopt;
  return found->view;
}

void change_setting(ViewSettings& settings, const Hit& hit) {
  if (hit.name == "heat") settings.heat = hit.value != 0;
  if (hit.name == "device") settings.device = static_cast<int>(hit.value);
  if (hit.name == "latency_cycles") settings.latency_cycles = static_cast<int>(hit.value);
  if (hit.name == "lane_window") settings.lane_window = hit.value;
  change_compare_setting(settings, hit);
}

std::shared_ptr<const PreparedStudy> prepared_of(const ViewContext& context) {
  return context.prepared ? context.prepared : prepare(*context.study);
}

std::optional<std::uint32_t> access_event(const ViewContext& context, MemorySpace space) {
  if (context.study == nullptr || !context.study->traced()) return std::nullopt;
  const auto prepared = prepared_of(context);
  const Selection& selection = context.selection;
  if (selection.warp >= prepared->warps.size()) return std::nullopt;
  const PreparedStudy::WarpAccesses& warp = prepared->warps[selection.warp];
  const std::vector<std::uint32_t>& events =
      space == MemorySpace::kShared ? warp.shared : warp.global;
  // A line that follows time is that of the present event.
  const bool stands = selection.event < context.study->trace->events.size();
  const std::uint32_t line = selection.line != 0 ? selection.line
                             : stands            ? source_line(*context.study, selection.event)
                                                 : 0;
  if (line != 0) {
    const auto on_line = nearest(events, selection.event, [&](std::uint32_t event) {
      return source_line(*context.study, event) == line;
    });
    if (on_line) return on_line;
  }
  return nearest(events, selection.event, [](std::uint32_t) { return true; });
}

Sentence sentence_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  return description_of(view).sentence(context);
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
  description_of(view).draw(canvas, area, inside, prepared);
  canvas.pop_clip();
}

}  // namespace tilescope
