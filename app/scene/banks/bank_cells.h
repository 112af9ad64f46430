#pragma once
#include "scene/banks/banks_scene.h"

namespace tilescope {

// Cells of the grid: a column per bank, a row per wavefront.
struct BankGrid {
  Rect box;
  int rows = 8;
  float gap = 2;

  [[nodiscard]] Rect cell(int row, int bank, int banks = 1) const {
    const float w = (box.w + gap) / kBankCount;
    const float h = (box.h + gap) / static_cast<float>(rows);
    return {box.x + w * static_cast<float>(bank), box.y + h * static_cast<float>(row),
            w * static_cast<float>(banks) - gap, h - gap};
  }
};

// Nothing delivered yet.
void draw_idle_banks(Pen& pen, const BankGrid& grid);
// What each bank delivers in a wavefront, to which lanes; `selected_lane` -1: none.
void draw_wavefront(Pen& pen, const BankGrid& grid, int row, const Wavefront& wavefront,
                    const SharedRequest& request, int selected_lane);
// As few wavefronts as the width allows: each pass's distinct words side by side.
void draw_ideal_banks(Pen& pen, const BankGrid& grid, float y, float row_height,
                      const SharedRequest& request);

}  // namespace tilescope
