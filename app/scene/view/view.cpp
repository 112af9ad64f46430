#include "scene/view/view.h"

#include <algorithm>

namespace tilescope {
namespace {

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
