#include "scene/view/view.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

struct ViewName {
  View view;
  std::string_view name;
  std::string_view title;
};
constexpr std::array kNames{
    ViewName{View::kTiling, "tiling", "Tiling"},
    ViewName{View::kCoalescing, "coalescing", "Coalescing"},
    ViewName{View::kBanks, "banks", "Banks"},
    ViewName{View::kPipeline, "pipeline", "Pipeline"},
    ViewName{View::kDivergence, "divergence", "Divergence"},
    ViewName{View::kOccupancy, "occupancy", "Occupancy"},
    ViewName{View::kRoofline, "roofline", "Roofline"},
    ViewName{View::kCompare, "compare", "Compare"},
};

constexpr std::string_view kStep = "step:";  // before the key of a step of compare's waterfall

const ViewName& names_of(View view) { return *std::ranges::find(kNames, view, &ViewName::view); }

void change_compare_setting(ViewSettings& settings, const Hit& hit) {
  const auto value = static_cast<int>(hit.value);
  if (hit.name == "compare_base") settings.compare_base = value;
  if (hit.name == "compare_mode" && value >= 0 &&
      value <= static_cast<int>(CompareMode::kOverlay)) {
    settings.compare_mode = static_cast<CompareMode>(value);
  }
  if (hit.name == "compare_pane") settings.compare_pane = value;
  if (hit.name == "compare_view" && value >= -1 && value < static_cast<int>(all_views().size())) {
    settings.compare_view = value;
  }
  if (hit.name == "compare_part") settings.compare_part = value;
  if (hit.name == "compare_ladder") settings.compare_ladder = value != 0;
  if (!hit.name.starts_with(kStep)) return;
  const std::string key = hit.name.substr(kStep.size());
  if (value == 0) {
    settings.steps_off.insert(key);
  } else {
    settings.steps_off.erase(key);
  }
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
    std::array<View, kNames.size()> views{};
    std::ranges::transform(kNames, views.begin(), &ViewName::view);
    return views;
  }();
  return kViews;
}

std::string_view name_of(View view) { return names_of(view).name; }

std::string_view title_of(View view) { return names_of(view).title; }

std::optional<View> parse_view(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, &ViewName::name);
  if (found == kNames.end()) return std::nullopt;
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

}  // namespace tilescope
