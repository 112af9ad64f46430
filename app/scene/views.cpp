#include "scene/views.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "scene/compare/compare_scene.h"
#include "scene/compare/compare_words.h"
#include "scene/compare/compared.h"

namespace tilescope {

#define VIEW(id, name) ViewDescriptor name##_view();
#include "scene/view/views.inc"
#undef VIEW

namespace {

template <void (*kDraw)(Pen&, const Rect&, const ViewContext&)>
void draw_compared_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  if (context.compared != nullptr && context.compared->variants.size() > 1) {
    kDraw(pen, area, context);
  }
}

void draw_all_cards(Pen& pen, const Rect& area, const ViewContext& context) {
  std::vector<std::size_t> all(context.compared->variants.size());
  std::iota(all.begin(), all.end(), 0U);
  draw_compare_cards(pen, area, context, all);
}

void draw_titled_table(Pen& pen, const Rect& area, const ViewContext& context) {
  draw_compare_table(pen, area, context);
}

void draw_own_waterfall(Pen& pen, const Rect& area, const ViewContext& context) {
  draw_waterfall(pen, area, waterfall_of(context));
}

void draw_all_reasons(Pen& pen, const Rect& area, const ViewContext& context) {
  draw_compare_reasons(pen, area, context);
}

constexpr std::array kCompareParts{
    ViewPart{"pictures",
             "sectors and banks of each variant",
             {300, 112},
             draw_compared_part<draw_all_cards>},
    ViewPart{
        "numbers", "the table of all numbers", {230, 90}, draw_compared_part<draw_titled_table>},
    ViewPart{"waterfall",
             "the way from the slowest kernel to the fastest",
             {230, 110},
             draw_compared_part<draw_own_waterfall>},
    ViewPart{"reasons",
             "what of the difference has which cause",
             {230, 90},
             draw_compared_part<draw_all_reasons>}};

// Its panes show other views.
void draw_compared(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                   const ViewContext& context) {
  draw_compare(canvas, inside, context, {view_descriptors(), draw_view});
}

constexpr std::array kCompareSettings{
    view_setting<&ViewSettings::compare_base>("compare_base", 0, 3, "--against"),
    view_setting<&ViewSettings::compare_mode>(
        "compare_mode", 0, static_cast<std::int64_t>(CompareMode::kOverlay), "--overlay"),
    view_setting<&ViewSettings::compare_pane>("compare_pane", -1, 3),
    view_setting<&ViewSettings::compare_view>(
        "compare_view", -1, static_cast<std::int64_t>(View::kCompare) - 1, "--panes"),
    view_setting<&ViewSettings::compare_part>("compare_part", 0, 3),
    view_setting<&ViewSettings::compare_ladder>("compare_ladder")};

ViewDescriptor named(View view, std::string_view name, ViewDescriptor descriptor) {
  descriptor.view = view;
  descriptor.name = name;
  return descriptor;
}

}  // namespace

ViewDescriptor compare_view() {
  return {
      .title = "Compare",
      .purpose = "Two to four variants side by side, and why one is faster",
      .least = {400, 240},
      .needs = {.registers = true, .issued = true, .times = true, .variants = true},
      .settings = kCompareSettings,
      .sentence = compare_sentence,
      .draw = draw_compared,
      .add_numbers = add_compare_numbers,
      .parts = kCompareParts,
  };
}

std::span<const ViewDescriptor> view_descriptors() {
  static const std::array kViews{
#define VIEW(id, name) named(View::id, #name, name##_view()),
#include "scene/view/views.inc"
#undef VIEW
  };
  return kViews;
}

const ViewDescriptor& descriptor_of(View view) {
  return view_descriptors()[static_cast<std::size_t>(view)];
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
  static constexpr std::array kInOrder{
#define VIEW(id, name) View::id,
#include "scene/view/views.inc"
#undef VIEW
  };
  static_assert(kInOrder.back() == View::kCompare, "its panes offer the views before it");
  return kInOrder;
}

std::string_view name_of(View view) { return descriptor_of(view).name; }
std::string_view title_of(View view) { return descriptor_of(view).title; }

std::optional<View> parse_view(std::string_view name) {
  const auto found = std::ranges::find(view_descriptors(), name, &ViewDescriptor::name);
  if (found == view_descriptors().end()) return std::nullopt;
  return found->view;
}

Selection default_selection(View view, const KernelStudy& study, const PreparedStudy& prepared) {
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

void draw_part(const ViewPart& part, Canvas& canvas, const Rect& area, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return;
  Pen pen(canvas, context);
  if (!has_room(pen, area, part.least)) return;
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  canvas.push_clip(area);
  part.draw(canvas, area, prepared);
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
