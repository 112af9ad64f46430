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

// The products of the step that the selected warp is in, those to come included.
std::vector<Term> terms_of_step(const ViewContext& context, const TilingMoment& moment) {
  std::vector<Term> terms;
  const TilingModel& model = *moment.model;
  const Timeline& timeline = *context.study->timeline;
  if (moment.warp >= timeline.warp_steps.size() || timeline.warp_steps[moment.warp].empty())
    return terms;
  const std::vector<std::uint32_t>& begin = timeline.warp_steps[moment.warp];
  const std::uint32_t step = timeline.step_of(moment.warp, moment.event);
  const auto last = static_cast<std::uint32_t>(context.study->trace->events.size()) - 1;
  const std::uint32_t end = step + 1 < begin.size() ? begin[step + 1] - 1 : last;
  const std::uint32_t from = begin[step == 0 ? 0 : step - 1];
  const LaneFlow flow =
      follow_lane(*context.study, *context.prepared->flow, moment.warp, moment.lane, from, end);
  for (const LaneFlow::Product& product : flow.products) {
    if (product.event < begin[step]) continue;
    if (const auto gemm = gemm_product(model, product)) terms.push_back({product.event, *gemm});
  }
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
  for (const Term& term : terms_of_step(context, moment)) {
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

Rect draw_dot_product(Pen& pen, const Rect& area, const ViewContext& context,
                      const TilingMoment& moment) {
  const std::vector<Term> terms = terms_of_step(context, moment);
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
  const float pitch = pen.px(24);
  const float head = pen.px(20);
  const float caption = pen.px(24);
  const auto room = static_cast<std::size_t>(std::max((area.h - head - caption) / pitch, 1.0f));
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
    draw_value(pen, {ax, y, cell, h}, Paint(a.colour, fade), av);
    draw_value(pen, {bx, y, cell, h}, Paint(b.colour, fade), bv);
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
  const float bottom = area.y + head + pitch * static_cast<float>(shown);
  const GemmProduct& any = terms[first].product;
  pen.first_that_fits(
      area.x, bottom + pen.px(10),
      {fmt::format("into {}[{}][{}]: {} of {} multiply-adds of this step", c, any.a.row, any.b.col,
                   done, terms.size()),
       fmt::format("{}[{}][{}]: {} of {}", c, any.a.row, any.b.col, done, terms.size())},
      dim, area.w);
  return {area.x, area.y + head, cx + cell - area.x, bottom - area.y - head - 3};
}

}  // namespace tilescope
