#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/quantity.h"
#include "scene/banks/bank_cells.h"
#include "scene/banks/banks_scene.h"
#include "scene/drawing/hardware_note.h"

namespace tilescope {
namespace {

int rows_shown(std::size_t wavefronts) {
  for (const int rows : {8, 16, 32}) {
    if (wavefronts <= static_cast<std::size_t>(rows)) return rows;
  }
  return static_cast<int>(wavefronts);
}

std::uint32_t lanes_of(const Wavefront& wavefront) {
  std::uint32_t lanes = 0;
  for (const std::uint32_t bank : wavefront.lanes) lanes |= bank;
  return lanes;
}

// Left of the grid: which wavefront a row is, or which lanes pass where a warp goes in parts.
void draw_row_labels(Pen& pen, const BankGrid& grid, const SharedRequest& request, bool passes) {
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float x = grid.box.x - pen.px(7);
  const float row_height = grid.cell(0, 0).h + grid.gap;
  if (!passes) {
    const int every = row_height >= pen.px(15) ? 1 : 4;
    for (int row = 0; row < grid.rows; row += every) {
      pen.text(x, grid.cell(row, 0).center().y, std::to_string(row + 1), style);
    }
    return;
  }
  const int pass_lanes = 128 / request.access.bytes_per_lane;
  float free_from = grid.box.y - pen.px(8);
  int group = -1;
  for (int row = 0; row < static_cast<int>(request.wavefronts.size()); ++row) {
    const std::uint32_t lanes = lanes_of(request.wavefronts[static_cast<std::size_t>(row)]);
    const int first = std::countr_zero(lanes) / pass_lanes;
    const int last = (31 - std::countl_zero(lanes)) / pass_lanes;
    if (first == group) continue;
    group = first;
    const float y = grid.cell(row, 0).center().y;
    if (row > 0) {
      const float line_y = grid.cell(row, 0).y - grid.gap / 2;
      pen.canvas.line({grid.box.x - pen.px(60), line_y}, {grid.box.right(), line_y},
                      ColourRole::kFaint, 1);
    }
    if (y - pen.px(7) < free_from) continue;
    pen.text(x, y, fmt::format("lanes {}–{}", first * pass_lanes, (last + 1) * pass_lanes - 1),
             style);
    free_from = y + pen.px(7);
  }
}

void draw_bank_numbers(Pen& pen, const BankGrid& grid, float y, const SharedRequest& request) {
  const TextStyle dim = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  const bool all = pen.width("00", dim) + pen.px(2) <= grid.cell(0, 0).w;
  for (int bank = 0; bank < kBankCount; ++bank) {
    const bool hot = request.lanes_meet && bank == request.busiest_bank;
    if (!all && bank % 4 != 0) continue;
    TextStyle style = dim;
    if (hot) style.paint = ColourRole::kExcess;
    if (hot) style.weight = Weight::kSemibold;
    pen.text(grid.cell(0, bank).center().x, y, std::to_string(bank), style);
  }
}

// The largest free place for the remark: cells that no wavefront uses, nearest to the busy bank.
std::optional<Point> free_place(const BankGrid& grid, const SharedRequest& request, float w,
                                float h) {
  const Rect cell = grid.cell(0, 0);
  const int cols = static_cast<int>(w / (cell.w + grid.gap)) + 2;
  const int rows = static_cast<int>(h / (cell.h + grid.gap)) + 2;
  const auto used = [&](int row, int bank) {
    return row < static_cast<int>(request.wavefronts.size()) &&
           request.wavefronts[static_cast<std::size_t>(row)]
                   .lanes[static_cast<std::size_t>(bank)] != 0;
  };
  for (int row = 1; row + rows <= grid.rows; ++row) {
    for (int bank = 1; bank + cols <= kBankCount; ++bank) {
      bool empty = true;
      for (int r = row - 1; r < row + rows && empty; ++r) {
        for (int b = bank; b < bank + cols && empty; ++b) empty = !used(r, b);
      }
      if (empty) return Point{grid.cell(row, bank).x, grid.cell(row, bank).y};
    }
  }
  return std::nullopt;
}

void draw_remark(Pen& pen, const BankGrid& grid, const SharedRequest& request) {
  std::string first;
  std::string second;
  Paint tone = ColourRole::kIdeal;
  const int idle = kBankCount - request.banks_used;
  if (request.wavefronts.empty()) {
    first = "no wavefront";
    second = "a copy past the L1 waits for no bank";
  } else if (request.cost.conflicts() > 0 && !request.lanes_meet) {
    tone = ColourRole::kExcess;
    first = fmt::format("from {} of 128 B, each written apart",
                        counted(request.copy->source_lines, "line"));
    second = "no two lanes meet in a bank";
  } else if (request.lanes_meet) {
    tone = ColourRole::kExcess;
    first = fmt::format("{} lanes queue for bank {}", request.busiest_lanes, request.busiest_bank);
    second = idle == 0
                 ? fmt::format("each bank has to deliver up to {} words", request.busiest_words)
                 : fmt::format("{} bank{} idle for {} wavefronts", idle,
                               idle == 1 ? " stands" : "s stand", request.cost.wavefronts);
  } else if (request.shape.distinct == 1 && request.shape.lanes > 1) {
    first = fmt::format("one word for {} lanes", request.shape.lanes);
    second = "a broadcast costs as much as a single lane";
  } else {
    first = request.shape.distinct < request.shape.lanes ? "lanes that want one word share it"
                                                         : "no two lanes meet in a bank";
    second = request.cost.wavefronts == 1
                 ? "one wavefront serves the warp"
                 : fmt::format("{} wavefronts, as its width needs", request.cost.wavefronts);
  }
  const TextStyle strong = pen.style(13, tone, Weight::kSemibold);
  const TextStyle dim = pen.style(12, ColourRole::kText);
  const float w = std::max(pen.width(first, strong), pen.width(second, dim));
  const auto at = free_place(grid, request, w + pen.px(16), pen.px(40));
  if (!at) return;
  const float x = at->x + pen.px(8);
  pen.canvas.fill_rect({x - pen.px(4), at->y, w + pen.px(12), pen.px(40)},
                       Paint(ColourRole::kBackground, 0.8f), 3);
  pen.text(x + pen.px(2), at->y + pen.px(11), first, strong);
  pen.text(x + pen.px(2), at->y + pen.px(29), second, dim);
}

}  // namespace

void draw_bank_grid(Pen& pen, const Rect& area, const ViewContext& context,
                    const SharedRequest& request) {
  const bool passes = request.access.bytes_per_lane > 4;
  const float gutter = passes ? pen.px(78) : pen.px(26);
  const bool conflict = request.cost.conflicts() > 0;
  const int ideal_rows = std::max(request.cost.ideal_wavefronts, 1);
  const float ideal_row = ideal_rows > 1 ? pen.px(9) : pen.px(14);
  const float ideal_height = ideal_row * static_cast<float>(ideal_rows);
  BankGrid grid;
  grid.rows = rows_shown(request.wavefronts.size());
  const float top = area.y + pen.px(40);
  const float available = area.bottom() - top - pen.px(38) - ideal_height;
  grid.gap = available / static_cast<float>(grid.rows) < 6 ? 1.0f : 2.0f;
  grid.box = {area.x + gutter, top, area.w - gutter,
              std::min(available, pen.px(46) * static_cast<float>(grid.rows))};

  const std::string figure =
      conflict ? fmt::format("{}, {} would do", counted(request.cost.wavefronts, "wavefront"),
                             request.cost.ideal_wavefronts)
      : request.cost.wavefronts == 0 ? std::string("no wavefront")
                                     : counted(request.cost.wavefronts, "wavefront");
  const TextStyle strong = pen.style(13, conflict ? ColourRole::kExcess : ColourRole::kIdeal,
                                     Weight::kSemibold, Align::kRight);
  pen.text(area.right(), area.y + pen.px(8), figure, strong);
  pen.heading(area.x, area.y + pen.px(8), "BANKS",
              passes ? "columns: 32 banks of 4 B; rows: wavefronts, in the passes of this width"
                     : "columns: 32 banks of 4 B; rows: the wavefronts of this access, in order",
              area.right() - pen.width(figure, strong) - pen.px(16));
  draw_bank_numbers(pen, grid, area.y + pen.px(29), request);
  draw_idle_banks(pen, grid);
  for (int row = 0; row < static_cast<int>(request.wavefronts.size()); ++row) {
    draw_wavefront(pen, grid, row, request.wavefronts[static_cast<std::size_t>(row)], request,
                   context.selection.lane);
  }
  draw_row_labels(pen, grid, request, passes);
  if (request.lanes_meet) {
    const Rect first = grid.cell(0, request.busiest_bank);
    pen.outline(
        {first.x - 2, grid.box.y - 2, first.w + 4,
         grid.cell(static_cast<int>(request.wavefronts.size()) - 1, 0).bottom() - grid.box.y + 4},
        ColourRole::kExcess, 1.5f, 3);
  }
  draw_remark(pen, grid, request);

  const float ideal_y = grid.box.bottom() + pen.px(30);
  const float words_end =
      pen.heading(grid.box.x, grid.box.bottom() + pen.px(18), "IDEAL",
                  request.cost.ideal_wavefronts == 0 ? "no wavefront, as here"
                  : ideal_rows == 1 ? "one wavefront: every word in a bank of its own"
                                    : fmt::format("{} wavefronts: {} B a lane need as many passes",
                                                  ideal_rows, request.access.bytes_per_lane),
                  area.right());
  static constexpr std::array<std::string_view, 2> kSharedCounters{"wavefronts_mem_shared_op_",
                                                                   "bank_conflicts"};
  draw_hardware_note(pen, words_end + pen.px(16), grid.box.right(), grid.box.bottom() + pen.px(18),
                     context, kSharedCounters);
  if (request.cost.ideal_wavefronts > 0) draw_ideal_banks(pen, grid, ideal_y, ideal_row, request);
}

}  // namespace tilescope
