#include "scene/view.h"

#include <algorithm>
#include <array>

#include "scene/banks_scene.h"
#include "scene/coalescing_scene.h"
#include "scene/prepared_access.h"
#include "scene/sentences.h"
#include "scene/tiling_scene.h"

namespace tilescope {
namespace {

constexpr std::array<View, 3> kViews = {View::kTiling, View::kCoalescing, View::kBanks};

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

std::string_view name_of(View view) {
  switch (view) {
    case View::kTiling:
      return "tiling";
    case View::kCoalescing:
      return "coalescing";
    case View::kBanks:
      return "banks";
  }
  return "";
}

std::string_view title_of(View view) {
  switch (view) {
    case View::kTiling:
      return "Tiling";
    case View::kCoalescing:
      return "Coalescing";
    case View::kBanks:
      return "Banks";
  }
  return "";
}

std::optional<View> parse_view(std::string_view name) {
  for (const View view : kViews) {
    if (name == name_of(view)) return view;
  }
  return std::nullopt;
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
  if (selection.line != 0) {
    const auto on_line = nearest(events, selection.event, [&](std::uint32_t event) {
      return source_line(*context.study, event) == selection.line;
    });
    if (on_line) return on_line;
  }
  return nearest(events, selection.event, [](std::uint32_t) { return true; });
}

Sentence sentence_of(View view, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) return {};
  switch (view) {
    case View::kTiling:
      return tiling_sentence(context);
    case View::kCoalescing:
      return coalescing_sentence(context);
    case View::kBanks:
      return banks_sentence(context);
  }
  return {};
}

void draw_view(View view, Canvas& canvas, const Rect& area, const ViewContext& context) {
  if (context.study == nullptr || !context.study->traced()) {
    Pen pen(canvas, context);
    draw_empty(pen, area, "No kernel has run yet", "Choose one of the kernels on the left.");
    return;
  }
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  const float margin = std::min(24.0f, area.w * 0.02f + 4.0f);
  const Rect inside{area.x + margin, area.y + 8, area.w - 2 * margin, area.h - 16};
  canvas.push_clip(area);
  switch (view) {
    case View::kTiling:
      draw_tiling(canvas, area, inside, prepared);
      break;
    case View::kCoalescing:
      draw_coalescing(canvas, inside, prepared);
      break;
    case View::kBanks:
      draw_banks(canvas, inside, prepared);
      break;
  }
  canvas.pop_clip();
}

}  // namespace tilescope
