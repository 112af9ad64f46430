#include "scene/tiling/thread_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/quantity.h"
#include "scene/model/access_shape.h"
#include "scene/model/prepared.h"
#include "scene/view/drawn_numbers.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostMoves = 16;  // that the panel shows around now

// The least rectangle that holds both.
Rect joined(const Rect& a, const Rect& b) {
  const float x = std::min(a.x, b.x);
  const float y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

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

// Whether the block has written to this address before the event. Where that takes more than a
// glance it is taken to have.
bool written_before(const ViewContext& context, std::uint64_t address, std::uint32_t event) {
  constexpr std::size_t kMostEvents = 4096;
  const BlockTrace& trace = *context.study->trace;
  std::size_t looked = 0;
  for (const auto& warp : context.prepared->warps) {
    for (const std::uint32_t other : warp.global) {
      if (other >= event) break;
      if (++looked > kMostEvents) return true;
      const WarpAccess access = trace.access(trace.events[other].access);
      if (access.kind != AccessKind::kStore && access.kind != AccessKind::kAtomic) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint64_t first = access.address[lane];
        const bool active = (access.active >> lane & 1U) != 0;
        if (active && first <= address && address < first + access.bytes_per_lane) return true;
      }
    }
  }
  return false;
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
        if (matrix.written.empty() || !written_before(context, address, event))
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

namespace {

std::string box_name(const TilingModel& model, const BulkBox& box) {
  const MatrixView& view = model.matrices[box.matrix].view;
  const auto range = [](std::uint64_t first, std::uint64_t count) {
    return count == 1 ? std::to_string(first) : fmt::format("{}…{}", first, first + count - 1);
  };
  return fmt::format("{}[{}][{}]", view.name, range(box.box.row, box.box.rows),
                     range(box.box.col, box.box.cols));
}

const char* end_of(const BulkBox& box) {
  switch (box.kind) {
    case BulkCopy::Kind::kLoad:
      return "→ shared";
    case BulkCopy::Kind::kStore:
      return "← shared";
    case BulkCopy::Kind::kReduction:
      return "+= shared";
  }
  return "";
}

// Where the entries of a list stand: below one another, and in a wide panel column by column.
struct ListRows {
  float x = 0;
  float y = 0;
  float width = 0;  // of an entry
  float pitch = 0;  // from one to the one below it
  std::size_t rows = 1;
  std::size_t columns = 1;

  ListRows(const Pen& pen, const Rect& area) : x(area.x), y(area.y), pitch(pen.px(26)) {
    const auto whole = [](float times) { return static_cast<std::size_t>(std::max(times, 1.0f)); };
    rows = whole(area.h / pitch);
    columns = whole(area.w / pen.px(210));
    width = area.w / static_cast<float>(columns);
  }
  [[nodiscard]] std::size_t room() const { return std::min(rows * columns, kMostMoves); }
  [[nodiscard]] Rect place(std::size_t entry) const {
    return {x + width * static_cast<float>(entry / rows),
            y + pitch * static_cast<float>(entry % rows), width - (columns > 1 ? 8.0f : 0.0f),
            pitch};
  }
};

// The boxes that bulk copies move for the block, around now: of a thread that addresses no buffer
// itself.
ThreadPicture draw_boxes(Pen& pen, const Rect& area, const ViewContext& context,
                         const TilingMoment& moment) {
  const std::vector<BulkBox>& boxes = moment.model->boxes;
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const ListRows list(pen, area);
  pen.text(area.x, area.y + pen.px(10),
           pen.fitted("one lane copies for the whole block:", dim, list.place(0).w), dim);
  const auto now = std::ranges::upper_bound(boxes, moment.event, {}, &BulkBox::event);
  const auto past = static_cast<std::size_t>(now - boxes.begin());
  const std::size_t shown = std::min(boxes.size(), std::max<std::size_t>(list.room(), 2) - 1);
  const std::size_t first = std::min(past - std::min(past, (shown + 1) / 2), boxes.size() - shown);
  for (std::size_t i = first; i < first + shown; ++i) {
    const Rect row = list.place(i - first + 1);
    const BulkBox& box = boxes[i];
    const MatrixView& view = moment.model->matrices[box.matrix].view;
    const Rect cell{row.x, row.y, pen.px(20), row.h - 4};
    pen.canvas.fill_rect(
        cell,
        i < past ? Paint(view.colour, i + 1 == past ? 1.0f : 0.75f) : Paint(ColourRole::kRaised),
        2);
    if (i + 1 == past) pen.outline(cell.inset(-1.5f), ColourRole::kSelection, 1.5f, 3);
    const TextStyle mono =
        pen.style(12, i < past ? ColourRole::kText : ColourRole::kDim,
                  i + 1 == past ? Weight::kSemibold : Weight::kRegular, Align::kLeft, Font::kMono);
    const std::string name = box_name(*moment.model, box);
    const float x = cell.right() + pen.px(10);
    pen.first_that_fits(x, cell.center().y, {fmt::format("{} {}", name, end_of(box)), name}, mono,
                        row.right() - x);
    const bool known = box.event < context.study->trace->events.size() && !box.from_elsewhere();
    const std::string who =
        known ? fmt::format("warp {}, lane {}", context.study->trace->events[box.event].warp,
                            box.lane)
              : std::string("another block of the cluster");
    pen.hit(row, HitKind::kEvent, box.event,
            fmt::format("Event {}: a bulk copy by {}: {} {}, {}.", box.event, who, name,
                        end_of(box), format(static_cast<double>(box.bytes), Unit::kBytes)));
  }
  return {};
}

// How all entries of a list name their elements: as fully, and in letters as large, as the longest
// name allows.
struct NameForm {
  bool direction = true;  // "to" or "from" before the element
  float size = 12;
  float gap = 10;  // from the value's cell
};

std::string move_name(const LaneAccess& access, bool direction) {
  const std::string element = element_name(access);
  if (!direction) return element;
  return fmt::format("{} {}",
                     access.kind == AccessKind::kStore    ? "to  "
                     : access.kind == AccessKind::kAtomic ? "at  "
                                                          : "from",
                     element);
}

NameForm name_form(const Pen& pen, const std::vector<LaneAccess>& accesses, float room) {
  constexpr std::array<NameForm, 3> kForms = {{{true, 12, 10}, {false, 12, 10}, {false, 11, 6}}};
  for (const NameForm& form : kForms) {
    // The current one is bold: each has the room for it.
    const TextStyle style =
        pen.style(form.size, ColourRole::kText, Weight::kSemibold, Align::kLeft, Font::kMono);
    if (std::ranges::all_of(accesses, [&](const LaneAccess& access) {
          return pen.width(move_name(access, form.direction), style) + pen.px(form.gap) <= room;
        })) {
      return form;
    }
  }
  return kForms.back();
}

// One load or store: its value in `cell`, the element beside it.
void draw_access(Pen& pen, const Rect& row, const Rect& cell, const LaneAccess& access, bool now,
                 const NameForm& form, const TilingMoment& moment) {
  const bool past = access.event <= moment.event;
  const Paint paint =
      past ? Paint(access.matrix->colour, now ? 1.0f : 0.75f) : Paint(ColourRole::kRaised);
  pen.canvas.fill_rect(cell, paint, 2);
  if (now) pen.outline(cell.inset(-1.5f), ColourRole::kSelection, 1.5f, 3);
  if (access.value) {
    const TextStyle style =
        pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter, Font::kMono);
    pen.text_if_fits(cell.center().x, cell.center().y, short_value(*access.value), style,
                     cell.w - 4);
  }
  const TextStyle mono =
      pen.style(form.size, past ? ColourRole::kText : ColourRole::kDim,
                now ? Weight::kSemibold : Weight::kRegular, Align::kLeft, Font::kMono);
  const float x = cell.right() + pen.px(form.gap);
  pen.text(x, cell.center().y, pen.fitted(move_name(access, form.direction), mono, row.right() - x),
           mono);
  pen.hit(row, HitKind::kEvent, access.event,
          fmt::format("Event {}: lane {} {} {}.", access.event, moment.lane, verb_of(access.kind),
                      element_name(access)));
}

}  // namespace

ThreadPicture draw_thread_moves(Pen& pen, const Rect& area, const ViewContext& context,
                                const TilingMoment& moment) {
  const ListRows list(pen, area);
  const std::vector<LaneAccess> accesses = lane_accesses(context, moment, list.room());
  if (accesses.empty() && !moment.model->boxes.empty())
    return draw_boxes(pen, area, context, moment);
  if (accesses.empty()) {
    const TextStyle dim = pen.style(12, ColourRole::kDim);
    pen.text(area.x, area.y + pen.px(14), pen.fitted("this lane accesses no buffer", dim, area.w),
             dim);
    return {};
  }
  std::uint32_t current = accesses.front().event;
  for (const LaneAccess& access : accesses) {
    if (access.event <= moment.event) current = access.event;
  }
  ThreadPicture picture;
  const float width = list.place(0).w;
  const float cell_width = std::min(pen.px(48), width * 0.3f);
  const NameForm form = name_form(pen, accesses, width - cell_width);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const LaneAccess& access = accesses[i];
    const Rect row = list.place(i);
    const Rect cell{row.x, row.y, cell_width, row.h - 4};
    const bool now = access.event <= moment.event && access.event == current;
    draw_access(pen, row, cell, access, now, form, moment);
    // An element that is accessed several times is where it is accessed now, else the first time.
    for (const Origin& origin : {access.origin, access.moved}) {
      const auto known = std::ranges::find(picture.values, origin, &std::pair<Origin, Rect>::first);
      if (known == picture.values.end()) {
        if (origin.known()) picture.values.emplace_back(origin, cell);
      } else if (now) {
        known->second = cell;
      }
    }
    picture.cells = picture.cells.w > 0 ? joined(picture.cells, cell) : cell;
  }
  return picture;
}

namespace {

struct Term {
  std::uint32_t event = 0;
  GemmProduct product;
};

constexpr std::size_t kUsualRoom = 16;  // rows of the panel in a window of 1920 x 1080

struct Terms {
  std::vector<Term> all;         // in order
  std::uint32_t step_begin = 0;  // events of the step: [step_begin, step_end)
  std::uint32_t step_end = 0;
  [[nodiscard]] bool in_step(const Term& term) const {
    return term.event >= step_begin && term.event < step_end;
  }
};

// The lane's products in steps [first, last] of its warp, those to come included.
std::vector<Term> products_in(const ViewContext& context, const TilingMoment& moment,
                              std::uint32_t first, std::uint32_t last) {
  const std::vector<std::uint32_t>& begin = context.study->timeline->warp_steps[moment.warp];
  const auto events = static_cast<std::uint32_t>(context.study->trace->events.size());
  const std::uint32_t end = last + 1 < begin.size() ? begin[last + 1] : events;
  // What a step multiplies may have come in the one before.
  const LaneFlow flow = follow_lane(*context.study, *context.prepared->flow, moment.warp,
                                    moment.lane, begin[first == 0 ? 0 : first - 1], end - 1);
  std::vector<Term> terms;
  for (const LaneFlow::Product& product : flow.products) {
    if (product.event < begin[first]) continue;
    if (const auto gemm = gemm_product(*moment.model, product)) {
      terms.push_back({product.event, *gemm});
    }
  }
  return terms;
}

// The products of the step that the selected warp is in; where there is room for more, of the steps
// around it.
Terms terms_around(const ViewContext& context, const TilingMoment& moment, std::size_t room) {
  constexpr std::size_t kMostSteps = 32;  // on either side
  Terms terms;
  const Timeline& timeline = *context.study->timeline;
  if (moment.warp >= timeline.warp_steps.size() || timeline.warp_steps[moment.warp].empty())
    return terms;
  const std::vector<std::uint32_t>& begin = timeline.warp_steps[moment.warp];
  const auto last = static_cast<std::uint32_t>(begin.size()) - 1;
  const std::uint32_t step = timeline.step_of(moment.warp, moment.event);
  terms.step_begin = begin[step];
  terms.step_end = step < last ? begin[step + 1]
                               : static_cast<std::uint32_t>(context.study->trace->events.size());
  terms.all = products_in(context, moment, step, step);
  const std::size_t own = terms.all.size();
  if (own == 0 || own >= room) return terms;
  const auto more = static_cast<std::uint32_t>(std::min((room + own - 1) / own, kMostSteps));
  terms.all =
      products_in(context, moment, step - std::min(step, more), std::min(step + more, last));
  return terms;
}

void draw_value(Pen& pen, const Rect& box, Paint paint, const std::optional<double>& value) {
  pen.canvas.fill_rect(box, paint, 2);
  if (!value) return;
  const TextStyle style =
      pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter, Font::kMono);
  pen.text_if_fits(box.center().x, box.center().y, short_value(*value), style, box.w - 2);
}

}  // namespace

void add_dot_product_numbers(NumberList& list, const ViewContext& context,
                             const TilingMoment& moment) {
  const Terms terms = terms_around(context, moment, kUsualRoom);
  for (const Term& term : terms.all) {
    const ElementIndex& at = term.product.a;
    const ElementIndex& of_b = term.product.b;
    const auto a = value_at(*context.study, moment.model->find(Role::kA)->view, at.row, at.col);
    const auto b = value_at(*context.study, moment.model->find(Role::kB)->view, of_b.row, of_b.col);
    list.item(fmt::format("{}[{}][{}] at k = {}", moment.model->find(Role::kC)->view.name, at.row,
                          of_b.col, at.col));
    list.add("moment", term.event);
    if (!a || !b) continue;
    list.add("a", *a);
    list.add("b", *b);
    list.add("product", *a * *b);
  }
}

ThreadPicture draw_dot_product(Pen& pen, const Rect& area, const ViewContext& context,
                               const TilingMoment& moment) {
  const float pitch = pen.px(24);
  const float head = pen.px(20);
  const float caption = pen.px(42);  // two lines
  const auto room = static_cast<std::size_t>(std::max((area.h - head - caption) / pitch, 1.0f));
  const Terms around = terms_around(context, moment, room);
  const std::vector<Term>& terms = around.all;
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  if (terms.empty()) {
    pen.text(area.x, area.y + pen.px(14), pen.fitted("no multiply-add in this step", dim, area.w),
             dim);
    return {};
  }
  const TilingModel& model = *moment.model;
  const MatrixView& a = model.find(Role::kA)->view;
  const MatrixView& b = model.find(Role::kB)->view;
  const std::string& c = model.find(Role::kC)->view.name;
  ThreadPicture picture;
  // Notes where the element is drawn; whether it has come into a register by now.
  const auto place = [&](Role role, const ElementIndex& at, const Rect& box) {
    const TiledMatrix& matrix = *model.find(role);
    const Origin origin = Origin::of(static_cast<std::size_t>(&matrix - model.matrices.data()),
                                     at.row * matrix.view.leading + at.col);
    picture.values.emplace_back(origin, box);
    return std::ranges::find(moment.flow.loads, origin, &LaneFlow::Load::origin) !=
           moment.flow.loads.end();
  };
  const auto done = static_cast<std::size_t>(std::count_if(
      terms.begin(), terms.end(), [&](const Term& t) { return t.event <= moment.event; }));
  const std::size_t shown = std::min(room, terms.size());
  const std::size_t middle = done > shown / 2 ? done - shown / 2 : 0;
  const std::size_t first = std::min(middle, terms.size() - shown);

  const TextStyle mono =
      pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight, Font::kMono);
  float k_width = pen.width("k 00000", mono);
  float gap = pen.px(20);
  // Where the numbers would not fit into their boxes, the rest stands closer.
  if ((area.w - k_width - 3 * gap) / 3 < pen.width("-.00", mono) + 3) {
    k_width = 0;
    for (std::size_t i = first; i < first + shown; ++i) {
      k_width = std::max(k_width, pen.width(fmt::format("k {}", terms[i].product.a.col), mono));
    }
    gap = pen.px(12);
  }
  const float cell = std::min(pen.px(48), (area.w - k_width - 3 * gap) / 3);
  const float ax = area.x + k_width + gap / 2;
  const float bx = ax + cell + gap;
  const float cx = bx + cell + gap;
  const TextStyle sign = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  pen.text(ax + cell / 2, area.y + pen.px(7), "a",
           pen.style(12, a.colour, Weight::kSemibold, Align::kCenter));
  pen.text(bx + cell / 2, area.y + pen.px(7), "b",
           pen.style(12, b.colour, Weight::kSemibold, Align::kCenter));
  pen.text(cx + cell / 2, area.y + pen.px(7), "a · b",
           pen.style(12, ColourRole::kThird, Weight::kSemibold, Align::kCenter));
  for (std::size_t i = first; i < first + shown; ++i) {
    const GemmProduct& product = terms[i].product;
    const bool past = i < done;
    const bool now = i + 1 == done;
    const float y = area.y + head + pitch * static_cast<float>(i - first);
    const float h = pitch - 3;
    const auto av = value_at(*context.study, a, product.a.row, product.a.col);
    const auto bv = value_at(*context.study, b, product.b.row, product.b.col);
    std::optional<double> value;
    if (av && bv) value = *av * *bv;
    const float fade = past ? 1.0f : 0.22f;
    const bool has_a = place(Role::kA, product.a, {area.x, y, ax + cell - area.x, h}) || past;
    const bool has_b = place(Role::kB, product.b, {bx, y, cell, h}) || past;
    draw_value(pen, {ax, y, cell, h}, Paint(a.colour, has_a ? 1.0f : fade), av);
    draw_value(pen, {bx, y, cell, h}, Paint(b.colour, has_b ? 1.0f : fade), bv);
    if (now) (void)place(Role::kC, {product.a.row, product.b.col}, {cx, y, cell, h});
    draw_value(pen, {cx, y, cell, h},
               now ? Paint(ColourRole::kSelection) : Paint(ColourRole::kThird, fade), value);
    pen.text(area.x + k_width, y + h / 2, fmt::format("k {}", product.a.col), mono);
    pen.text((ax + cell + bx) / 2, y + h / 2, "×", sign);
    pen.text((bx + cell + cx) / 2, y + h / 2, "=", sign);
    pen.hit({area.x, y, cx + cell - area.x, pitch}, HitKind::kEvent, terms[i].event,
            fmt::format("Event {}: {}[{}][{}] {} {}[{}][{}] · {}[{}][{}].", terms[i].event, c,
                        product.a.row, product.b.col, past ? "has added" : "will add", a.name,
                        product.a.row, product.a.col, b.name, product.b.row, product.b.col));
  }
  const auto in_step =
      std::ranges::count_if(terms, [&](const Term& t) { return around.in_step(t); });
  const auto done_in_step = std::ranges::count_if(
      terms, [&](const Term& t) { return around.in_step(t) && t.event <= moment.event; });
  const float bottom = area.y + head + pitch * static_cast<float>(shown);
  const GemmProduct& any = terms[first].product;
  float y = bottom + pen.px(10);
  if (moment.travel) {
    pen.first_that_fits(
        area.x, y, travel_words(model, *moment.travel),
        pen.style(12, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono), area.w);
    y += pen.px(18);
  }
  const std::string element = fmt::format("{}[{}][{}]", c, any.a.row, any.b.col);
  pen.first_that_fits(
      area.x, y,
      {fmt::format("into {}: {} of {} multiply-adds of this {}", element, done_in_step, in_step,
                   moment.model->by_tile.count > 0 ? "tile" : "step"),
       fmt::format("{}: {} of {}", element, done_in_step, in_step)},
      dim, area.w);
  picture.cells = {area.x, area.y + head, cx + cell - area.x, bottom - area.y - head - 3};
  return picture;
}

namespace {

constexpr float kLeastCell = 3;        // px; smaller ones show no lanes
constexpr unsigned kMostColumns = 64;  // of a wider product only the first few are drawn:
constexpr unsigned kFewColumns = 32;   // every eight columns lie alike

// One operand, element by element.
struct Operand {
  const char* name;
  ColourRole colour;
  unsigned rows;
  unsigned cols;
  const std::vector<std::uint8_t>* lanes;
  unsigned drawn_cols;
  Point corner;

  [[nodiscard]] std::ptrdiff_t held_by(int lane) const {
    return std::ranges::count(*lanes, static_cast<std::uint8_t>(lane));
  }
  [[nodiscard]] Rect box(float cell) const {
    return {corner.x, corner.y, cell * static_cast<float>(drawn_cols),
            cell * static_cast<float>(rows)};
  }
  // What lies in the register of this number in all lanes: as the PTX ISA draws it, pieces of 8
  // rows of a, one below the other and then beside them; of b all rows of one piece of its k.
  [[nodiscard]] Rect part(float cell, std::size_t number, std::size_t registers) const {
    const std::size_t down =
        name[0] == 'a' ? std::min<std::size_t>(rows / 8, registers) : registers;
    const std::size_t across = std::max<std::size_t>(registers / down, 1);
    const Rect all = box(cell);
    const float w = all.w / static_cast<float>(across);
    const float h = all.h / static_cast<float>(down);
    return {all.x + w * static_cast<float>(number / down),
            all.y + h * static_cast<float>(number % down), w, h};
  }
  [[nodiscard]] bool in_shared() const { return lanes->front() == MatrixOperands::kInShared; }
};

unsigned drawn_columns(const MatrixOperands& of) {
  return of.n > kMostColumns ? kFewColumns : of.n;
}

// As the matrices lie in the other panels: a on the left of d, b above it.
std::array<Operand, 3> operands_of(const MatrixOperands& of) {
  const unsigned columns = drawn_columns(of);
  return {Operand{"a", ColourRole::kFirst, of.m, of.k, &of.lane_of_a, of.k, {}},
          Operand{"b", ColourRole::kSecond, of.k, of.n, &of.lane_of_b, columns, {}},
          Operand{"d", ColourRole::kThird, of.m, of.n, &of.lane_of_d, columns, {}}};
}

// The chosen lane's elements stand out of the ramp, so they are drawn last.
void draw_operand(Pen& pen, const Operand& operand, float cell, int lane) {
  const float gap = cell >= 6 ? 1.0f : 0.0f;
  if (operand.in_shared()) {
    pen.canvas.fill_rect(operand.box(cell), Paint(operand.colour, 0.35f), 0);
    pen.hit(operand.box(cell), HitKind::kNone, 0,
            fmt::format("{} is in shared memory; the tensor cores read it there directly.",
                        operand.name));
    pen.outline(operand.box(cell).inset(-1.0f), operand.colour, 1);
    return;
  }
  for (const bool chosen : {false, true}) {
    for (unsigned row = 0; row < operand.rows; ++row) {
      for (unsigned col = 0; col < operand.drawn_cols; ++col) {
        const int owner = (*operand.lanes)[std::size_t{row} * operand.cols + col];
        if ((owner == lane) != chosen) continue;
        const Rect box{operand.corner.x + cell * static_cast<float>(col),
                       operand.corner.y + cell * static_cast<float>(row), cell - gap, cell - gap};
        pen.canvas.fill_rect(box, chosen ? Paint(ColourRole::kSelection) : Paint::lane(owner));
        pen.hit(box, HitKind::kLane, owner,
                fmt::format("{}[{}][{}] of this product is in a register of lane {}.", operand.name,
                            row, col, owner));
      }
    }
  }
  pen.outline(operand.box(cell).inset(-1.0f), operand.colour, 1);
}

// Finds the product that takes its operands out of the registers which the ldmatrix `load` fills.
void find_filled(const CopyFlow& flow, const BlockTrace& trace, std::uint32_t load,
                 std::uint32_t warp, WarpProduct& product) {
  const auto step_of = [&](std::uint32_t event) -> const CopyStep& {
    return flow.steps[trace.events[event].instruction];
  };
  const std::vector<std::uint32_t>& loaded = step_of(load).results;
  std::set<std::uint32_t> held(loaded.begin(), loaded.end());  // with what they are moved to
  const std::vector<std::uint32_t>& events = flow.warp_events[warp];
  for (auto at = std::ranges::upper_bound(events, load); at != events.end(); ++at) {
    const CopyStep& step = step_of(*at);
    const bool multiplies = step.kind == CopyStep::Kind::kMatrixProduct;
    for (std::size_t i = 0; multiplies && i < step.operands.size(); ++i) {
      if (held.contains(step.operands[i])) product.filled.push_back(i);
    }
    if (!product.filled.empty()) {
      product.event = *at;
      product.past = false;
      product.of_a = step.left;
      product.of_b = step.operands.size() - step.left;
      return;
    }
    const bool moves = step.kind == CopyStep::Kind::kMove;
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      if (moves && held.contains(step.operands[i])) {
        held.insert(step.results[i]);
      } else {
        held.erase(step.results[i]);
      }
    }
    if (held.empty()) return;  // nobody multiplies them
  }
}

// Where the registers that an ldmatrix loads now are drawn.
Rect filled_part(const WarpProduct& product, const Operand& a, const Operand& b, float cell) {
  std::optional<Rect> all;
  for (const std::size_t number : product.filled) {
    const bool is_a = number < product.of_a;
    const Rect part = is_a ? a.part(cell, number, product.of_a)
                           : b.part(cell, number - product.of_a, product.of_b);
    all = all ? joined(*all, part) : part;
  }
  return *all;
}

}  // namespace

std::optional<WarpProduct> warp_product(const ViewContext& context, const TilingMoment& moment) {
  const KernelStudy& study = *context.study;
  const auto& all_events = context.prepared->flow->warp_events;
  const auto is_product = [](const StaticInstruction& instruction) {
    return instruction.instruction_class == InstructionClass::kTensor;
  };
  if (moment.warp >= all_events.size() ||
      std::ranges::none_of(study.program->instructions(), is_product)) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t>& events = all_events[moment.warp];
  const auto multiplies = [&](std::uint32_t event) {
    return is_product(study.program->instructions()[study.trace->events[event].instruction]);
  };
  const auto next = std::ranges::upper_bound(events, moment.event);
  const auto last = std::find_if(std::make_reverse_iterator(next), events.rend(), multiplies);
  WarpProduct product;
  product.past = last != events.rend();
  if (product.past) {
    product.event = *last;
  } else {
    const auto first = std::find_if(next, events.end(), multiplies);
    if (first == events.end()) return std::nullopt;
    product.event = *first;
  }
  if (moment.travel && moment.travel->matrices > 0) {
    find_filled(*context.prepared->flow, *study.trace, moment.travel->event, moment.warp, product);
  }
  auto operands = matrix_operands(*study.program, study.trace->events[product.event].instruction);
  if (!operands) return std::nullopt;
  product.operands = *std::move(operands);
  const Timeline& timeline = *study.timeline;
  const std::uint32_t step = timeline.step_of(moment.warp, product.event);
  for (const std::uint32_t event : events) {
    if (!multiplies(event) || timeline.step_of(moment.warp, event) != step) continue;
    ++product.in_step;
    if (event <= product.event) ++product.number;
  }
  return product;
}

void add_warp_product_numbers(NumberList& list, const TilingMoment& moment,
                              const WarpProduct& product) {
  const MatrixOperands& mma = product.operands;
  list.item(fmt::format("m{}n{}k{}", mma.m, mma.n, mma.k));
  list.add("moment", product.event);
  list.add("matrix product of this step", product.number);
  list.add("matrix products of this step", product.in_step);
  for (const Operand& operand : operands_of(mma)) {
    list.add(fmt::format("elements of {} in lane {}", operand.name, moment.lane),
             operand.held_by(moment.lane));
  }
}

ThreadPicture draw_warp_product(Pen& pen, const Rect& area, const TilingMoment& moment,
                                const WarpProduct& product) {
  const MatrixOperands& mma = product.operands;
  std::array<Operand, 3> operands = operands_of(mma);
  auto& [a, b, d] = operands;
  const float label = pen.px(18);
  const float gap = pen.px(8);
  const float pitch = pen.px(17);
  const auto cell_above = [&, &d = d](float caption) {
    return std::floor(std::min(
        {(area.w - gap) / static_cast<float>(mma.k + d.drawn_cols),
         (area.h - label - gap - caption) / static_cast<float>(mma.k + mma.m), pen.px(14)}));
  };
  const std::string shape = fmt::format("m{}n{}k{}", mma.m, mma.n, mma.k);
  const std::string types = fmt::format("{} → {}", name_of(mma.a), name_of(mma.d));
  const std::string count =
      !product.filled.empty() ? fmt::format("{} of {} is next", product.number, product.in_step)
      : product.past          ? fmt::format("{} of {}", product.number, product.in_step)
                              : fmt::format("none of {} yet", product.in_step);
  const auto held_of = [&](const auto& operand, std::string_view name) {
    return operand.in_shared() ? fmt::format("no {}", name)
                               : fmt::format("{} of {}", operand.held_by(moment.lane), name);
  };
  const std::string held = fmt::format("{}, {}{},", held_of(a, "a"), held_of(b, "b"),
                                       b.in_shared() ? " (in shared)" : "");
  const std::string mnemonic = b.in_shared() ? "wgmma, 1 of 4 warps" : "mma.sync";
  const char* of_step = moment.model->by_tile.count > 0 ? "of this tile" : "in this step";
  const std::vector<std::string> words = {mnemonic, shape,
                                          types,    fmt::format("lane {} holds", moment.lane),
                                          held,     fmt::format("{} of d", d.held_by(moment.lane)),
                                          count,    of_step};
  // The words stand in the free corner, left of b and above a, where it is large enough.
  const float under_d = pen.px(22);
  const float corner = static_cast<float>(mma.k) * cell_above(under_d);
  const bool in_corner =
      corner >= pen.px(120) && corner >= pitch * static_cast<float>(words.size() + 2);
  const float cell = in_corner ? cell_above(under_d) : cell_above(pen.px(60));
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const TextStyle mono =
      pen.style(12, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono);
  Rect shown{area.x, area.y, 0, 0};
  if (cell >= kLeastCell) {
    d.corner = {area.x + cell * static_cast<float>(mma.k) + gap,
                area.y + label + cell * static_cast<float>(mma.k) + gap};
    a.corner = {area.x, d.corner.y};
    b.corner = {d.corner.x, area.y + label};
    for (const Operand& operand : operands) draw_operand(pen, operand, cell, moment.lane);
    shown = d.box(cell);
    const auto name = [&](const Operand& operand, Point where) {
      const TextStyle style = pen.style(12, operand.colour, Weight::kSemibold);
      pen.text_if_fits(where.x, where.y,
                       fmt::format("{} {} × {}{}", operand.name, operand.rows, operand.cols,
                                   operand.drawn_cols < operand.cols
                                       ? fmt::format(", the first {} columns", operand.drawn_cols)
                                       : ""),
                       style, area.right() - where.x);
    };
    name(b, {b.corner.x, area.y + pen.px(7)});
    name(a, {a.corner.x, a.corner.y - pen.px(11)});
    name(d, in_corner ? Point{d.corner.x, shown.bottom() + pen.px(12)}
                      : Point{shown.right() + pen.px(8), shown.center().y});
  }
  if (in_corner) {
    float y = area.y + pen.px(7);
    for (std::size_t i = 0; i < words.size(); ++i, y += pitch) {
      if (i == 3 || i == 6) y += pitch / 2;
      const TextStyle& style = i < 3 ? mono : dim;
      pen.text(area.x, y, pen.fitted(words[i], style, corner), style);
    }
  } else {
    const float y = shown.bottom() + pen.px(14);
    pen.first_that_fits(area.x, y, {mnemonic + " " + shape + " " + types, shape}, mono, area.w);
    pen.first_that_fits(area.x, y + pitch, {words[3] + " " + words[4] + " " + words[5]}, dim,
                        area.w);
    pen.first_that_fits(area.x, y + 2 * pitch, {count + " " + words[7], count}, dim, area.w);
  }
  ThreadPicture picture;
  if (cell < kLeastCell) return picture;
  picture.cells = shown;
  const TilingModel& model = *moment.model;
  if (!product.filled.empty()) {
    picture.operands.emplace_back(moment.travel->matrix(), filled_part(product, a, b, cell));
    return picture;
  }
  for (const auto& [role, operand] : {std::pair(Role::kA, &a), std::pair(Role::kB, &b)}) {
    const TiledMatrix* matrix = model.find(role);
    if (matrix == nullptr) continue;
    picture.operands.emplace_back(matrix - model.matrices.data(), operand->box(cell));
  }
  return picture;
}

}  // namespace tilescope
