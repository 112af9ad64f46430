#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "scene/drawn_numbers.h"
#include "scene/prepared.h"
#include "scene/tiling/thread_lists.h"

namespace tilescope {
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
            fmt::format("{} lies in shared memory, where the tensor cores read it themselves.",
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
                fmt::format("{}[{}][{}] of this product lies in a register of lane {}.",
                            operand.name, row, col, owner));
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
    if (!all) all = part;
    const float x = std::min(all->x, part.x);
    const float y = std::min(all->y, part.y);
    all = Rect{x, y, std::max(all->right(), part.right()) - x,
               std::max(all->bottom(), part.bottom()) - y};
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
  const std::string held = a.in_shared() ? "no a, no b (in shared),"
                                         : fmt::format("{} of a, {} of b,", a.held_by(moment.lane),
                                                       b.held_by(moment.lane));
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
