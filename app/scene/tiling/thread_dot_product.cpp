#include <fmt/format.h>

#include <algorithm>

#include "scene/drawn_numbers.h"
#include "scene/prepared.h"
#include "scene/tiling/thread_lists.h"

namespace tilescope {
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
  const float k_width = pen.width("k 00000", mono);
  const float cell = std::min(pen.px(48), (area.w - k_width - pen.px(60)) / 3);
  const float ax = area.x + k_width + pen.px(10);
  const float bx = ax + cell + pen.px(20);
  const float cx = bx + cell + pen.px(20);
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
                        product.a.row, product.b.col, past ? "has taken" : "will take", a.name,
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

}  // namespace tilescope
