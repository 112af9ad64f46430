#include "scene/tiling/thread_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/coalescing/access_shape.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostMoves = 16;  // that the panel shows around now

struct LaneAccess {
  std::uint32_t event = 0;
  AccessKind kind = AccessKind::kLoad;
  const MatrixView* matrix = nullptr;
  Origin moved;                 // that a store takes out of its register, where it is known
  Origin origin;                // the first element
  MatrixView::Place place;      // of it
  std::uint64_t elements = 1;   // side by side
  std::optional<double> value;  // of the first element
};

std::string element_name(const LaneAccess& access) {
  const MatrixView& m = *access.matrix;
  const std::uint64_t first =
      m.folded ? access.place.row * m.leading + access.place.col : access.place.col;
  const std::string place = access.elements == 1
                                ? std::to_string(first)
                                : fmt::format("{}…{}", first, first + access.elements - 1);
  if (m.folded) return fmt::format("{}[{}]", m.name, place);
  return fmt::format("{}[{}][{}]", m.name, access.place.row, place);
}

// The lane's global accesses around now: as many as there is room for.
std::vector<LaneAccess> lane_accesses(const ViewContext& context, const TilingMoment& moment,
                                      std::size_t room) {
  const KernelStudy& study = *context.study;
  const auto& warps = context.prepared->warps;
  std::vector<LaneAccess> accesses;
  if (moment.warp >= warps.size()) return accesses;
  const std::vector<std::uint32_t>& events = warps[moment.warp].global;
  const auto now = std::upper_bound(events.begin(), events.end(), moment.event) - events.begin();
  const auto all = static_cast<std::ptrdiff_t>(events.size());
  const auto rows = static_cast<std::ptrdiff_t>(room);
  const std::ptrdiff_t first =
      std::clamp<std::ptrdiff_t>(now - (rows + 1) / 2, 0, std::max<std::ptrdiff_t>(all - rows, 0));
  const std::uint32_t last_event =
      events.empty() ? 0 : events[static_cast<std::size_t>(std::min(first + rows, all) - 1)];
  const std::uint32_t first_event = events.empty() ? 0 : events[static_cast<std::size_t>(first)];
  const LaneFlow flow = follow_lane(study, *context.prepared->flow, moment.warp, moment.lane,
                                    first_event > 4096 ? first_event - 4096 : 0, last_event);
  for (std::ptrdiff_t i = first; i < std::min(first + rows, all); ++i) {
    const std::uint32_t event = events[static_cast<std::size_t>(i)];
    const WarpAccess access = study.trace->access(study.trace->events[event].access);
    if ((access.active >> moment.lane & 1U) == 0) continue;
    const std::uint64_t address = access.address[static_cast<std::size_t>(moment.lane)];
    for (const TiledMatrix& matrix : moment.model->matrices) {
      const auto place = matrix.view.place(address);
      if (!place) continue;
      LaneAccess found{
          event,
          access.kind,
          &matrix.view,
          {},
          context.prepared->flow->origin_at(address),
          *place,
          std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(matrix.view.type)),
          std::nullopt};
      if (access.kind == AccessKind::kLoad || access.kind == AccessKind::kAsyncCopy) {
        if (matrix.written.empty())
          found.value = value_at(study, matrix.view, place->row, place->col);
      } else {
        for (const LaneFlow::Store& store : flow.stores) {
          if (store.event != event || store.to != context.prepared->flow->origin_at(address))
            continue;
          found.moved = store.from;
          const MatrixView& from = moment.model->matrices[store.from.matrix()].view;
          found.value = value_at(study, from, store.from.element() / from.leading,
                                 store.from.element() % from.leading);
        }
      }
      accesses.push_back(found);
    }
  }
  return accesses;
}

// Load by load, store by store: what this lane moves, with the values where they are known.
}  // namespace

void add_move_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment) {
  for (const LaneAccess& access : lane_accesses(context, moment, kMostMoves)) {
    list.item(fmt::format("{} {}", noun_of(access.kind), element_name(access)));
    list.add("moment", access.event);
    if (access.value) list.add("value", *access.value);
  }
}

ThreadPicture draw_thread_moves(Pen& pen, const Rect& area, const ViewContext& context,
                                const TilingMoment& moment) {
  const float pitch = pen.px(26);
  const auto room =
      static_cast<std::size_t>(std::clamp(area.h / pitch, 1.0f, static_cast<float>(kMostMoves)));
  const std::vector<LaneAccess> accesses = lane_accesses(context, moment, room);
  if (accesses.empty()) {
    const TextStyle dim = pen.style(12, ColourRole::kDim);
    pen.text(area.x, area.y + pen.px(14), pen.fitted("this lane touches no buffer", dim, area.w),
             dim);
    return {};
  }
  const float cell = std::min(pen.px(48), area.w * 0.3f);
  std::uint32_t current = accesses.front().event;
  for (const LaneAccess& access : accesses) {
    if (access.event <= moment.event) current = access.event;
  }
  ThreadPicture picture;
  float y = area.y;
  for (const LaneAccess& access : accesses) {
    const bool past = access.event <= moment.event;
    const bool now = past && access.event == current;
    const Rect box{area.x, y, cell, pitch - 4};
    const Paint paint =
        past ? Paint(access.matrix->colour, now ? 1.0f : 0.75f) : Paint(ColourRole::kRaised);
    pen.canvas.fill_rect(box, paint, 2);
    picture.values.emplace_back(access.origin, box);
    if (access.moved.known()) picture.values.emplace_back(access.moved, box);
    if (now) pen.outline(box.inset(-1.5f), ColourRole::kSelection, 1.5f, 3);
    if (access.value) {
      const TextStyle style =
          pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter, Font::kMono);
      pen.text_if_fits(box.center().x, box.center().y, short_value(*access.value), style,
                       box.w - 4);
    }
    const TextStyle mono =
        pen.style(12, past ? ColourRole::kText : ColourRole::kDim,
                  now ? Weight::kSemibold : Weight::kRegular, Align::kLeft, Font::kMono);
    const std::string element = element_name(access);
    const char* preposition = access.kind == AccessKind::kStore    ? "to  "
                              : access.kind == AccessKind::kAtomic ? "at  "
                                                                   : "from";
    const float x = box.right() + pen.px(10);
    pen.first_that_fits(x, box.center().y, {fmt::format("{} {}", preposition, element), element},
                        mono, area.right() - x);
    pen.hit({area.x, y, area.w, pitch}, HitKind::kEvent, access.event,
            fmt::format("Event {}: lane {} {} {}.", access.event, moment.lane, verb_of(access.kind),
                        element));
    y += pitch;
  }
  picture.cells = {area.x, area.y, cell, y - area.y - 4};
  return picture;
}

}  // namespace tilescope
