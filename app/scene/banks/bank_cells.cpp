#include "scene/banks/bank_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace tilescope {
namespace {

std::string lanes_in_words(std::uint32_t lanes) {
  const int count = std::popcount(lanes);
  const int first = std::countr_zero(lanes);
  if (count == 1) return fmt::format("lane {}", first);
  const int last = 31 - std::countl_zero(lanes);
  if (last - first + 1 == count) return fmt::format("lanes {} to {}", first, last);
  return fmt::format("{} lanes from {} to {}", count, first, last);
}

// One or more neighbouring banks that serve the same lanes.
void draw_delivery(Pen& pen, const Rect& box, std::uint32_t lanes, int selected_lane) {
  const int count = std::popcount(lanes);
  if (count == 1) {
    pen.canvas.fill_rect(box, Paint::lane(std::countr_zero(lanes)), 2);
  } else {  // a broadcast: stripes of its lanes' colours
    const int stripes = std::min(count, 4);
    std::array<int, kWarpSize> order{};
    int n = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1U) != 0) order[static_cast<std::size_t>(n++)] = lane;
    }
    const float w = box.w / static_cast<float>(stripes);
    for (int i = 0; i < stripes; ++i) {
      const int lane = order[static_cast<std::size_t>(i * (count - 1) / std::max(stripes - 1, 1))];
      pen.canvas.fill_rect({box.x + w * static_cast<float>(i), box.y, w, box.h}, Paint::lane(lane));
    }
  }
  if (selected_lane >= 0 && (lanes >> selected_lane & 1U) != 0) {
    pen.outline(box, ColourRole::kSelection, 2, 2);
  }
  const int middle = count == 1 ? std::countr_zero(lanes) : 16;
  const std::string words =
      count == 1 ? std::to_string(std::countr_zero(lanes)) : fmt::format("×{}", count);
  const TextStyle style =
      pen.style(11, text_on(Paint::lane(middle), pen.theme), Weight::kSemibold, Align::kCenter);
  if (box.h >= pen.px(14) && pen.width(words, style) <= box.w - 1) {
    pen.text(box.center().x, box.center().y, words, style);
  }
}

}  // namespace

void draw_wavefront(Pen& pen, const BankGrid& grid, int row, const Wavefront& wavefront,
                    const SharedRequest& request, int selected_lane) {
  for (int bank = 0; bank < kBankCount;) {
    const auto b = static_cast<std::size_t>(bank);
    const std::uint32_t lanes = wavefront.lanes[b];
    int end = bank + 1;
    const bool wide = request.access.bytes_per_lane > 4 && lanes != 0;
    while (wide && end < kBankCount && wavefront.lanes[static_cast<std::size_t>(end)] == lanes &&
           wavefront.word[static_cast<std::size_t>(end)] ==
               wavefront.word[b] + static_cast<unsigned>(end - bank)) {
      ++end;
    }
    if (lanes != 0) {
      const Rect box = grid.cell(row, bank, end - bank);
      draw_delivery(pen, box, lanes, selected_lane);
      pen.hit(box, HitKind::kLane, std::countr_zero(lanes),
              fmt::format("Wavefront {}: bank {} delivers word {} to {}.", row + 1, bank,
                          wavefront.word[b], lanes_in_words(lanes)));
    }
    bank = end;
  }
}

void draw_idle_banks(Pen& pen, const BankGrid& grid) {
  for (int row = 0; row < grid.rows; ++row) {
    for (int bank = 0; bank < kBankCount; ++bank) {
      pen.canvas.fill_rect(grid.cell(row, bank), Paint(ColourRole::kRaised, 0.75f), 1);
    }
  }
}

void draw_ideal_banks(Pen& pen, const BankGrid& grid, float y, float row_height,
                      const SharedRequest& request) {
  const int rows = std::max(request.cost.ideal_wavefronts, 1);
  const int words = std::max<int>(request.access.bytes_per_lane / 4, 1);
  BankGrid ideal = grid;
  ideal.rows = rows;
  ideal.box = {grid.box.x, y, grid.box.w, row_height * static_cast<float>(rows)};
  for (int row = 0; row < rows; ++row) {
    for (int bank = 0; bank < kBankCount; ++bank) {
      pen.canvas.fill_rect(ideal.cell(row, bank), Paint(ColourRole::kRaised, 0.75f), 1);
    }
  }
  // A wide access that is already as cheap as that: its own passes are the ideal.
  if (rows > 1 && request.cost.wavefronts == rows &&
      request.wavefronts.size() == static_cast<std::size_t>(rows)) {
    for (int row = 0; row < rows; ++row) {
      const Wavefront& wavefront = request.wavefronts[static_cast<std::size_t>(row)];
      for (int bank = 0; bank < kBankCount; ++bank) {
        const std::uint32_t lanes = wavefront.lanes[static_cast<std::size_t>(bank)];
        if (lanes == 0) continue;
        pen.canvas.fill_rect(ideal.cell(row, bank), Paint::lane(std::countr_zero(lanes)), 1);
      }
    }
    return;
  }
  std::vector<std::uint64_t> seen;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t address = request.access.address[static_cast<std::size_t>(lane)];
    if (std::find(seen.begin(), seen.end(), address) != seen.end()) continue;
    const int slot = static_cast<int>(seen.size()) * words;
    seen.push_back(address);
    if (slot / kBankCount >= rows) break;
    pen.canvas.fill_rect(ideal.cell(slot / kBankCount, slot % kBankCount, words), Paint::lane(lane),
                         2);
  }
}

void draw_bank_cells(Pen& pen, const Rect& box, int rows, const SharedRequest& request,
                     int selected_lane) {
  const BankGrid grid{box, rows, 1};
  draw_idle_banks(pen, grid);
  const int used = std::min(rows, static_cast<int>(request.wavefronts.size()));
  for (int row = 0; row < used; ++row) {
    draw_wavefront(pen, grid, row, request.wavefronts[static_cast<std::size_t>(row)], request,
                   selected_lane);
  }
}

}  // namespace tilescope
