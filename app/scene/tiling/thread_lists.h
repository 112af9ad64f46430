#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/matrix_operands.h"
#include "scene/model/problem_of.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {

class NumberList;  // scene/view/drawn_numbers.h

// The matrix product (mma.sync) that a warp executed last, or, before its first, will execute next;
// while an ldmatrix runs, the one that it loads for.
struct WarpProduct {
  MatrixOperands operands;
  std::uint32_t event = 0;
  std::size_t number = 0;           // of its warp's in this step, from 1
  std::size_t in_step = 0;          // how many the warp executes in this step
  bool past = false;                // executed
  std::vector<std::size_t> filled;  // registers that an ldmatrix loads now: those of a, then of b
  std::size_t of_a = 0;             // registers
  std::size_t of_b = 0;
};
// nullopt: this warp executes none whose layout is known.
[[nodiscard]] std::optional<WarpProduct> warp_product(const ViewContext& context,
                                                      const TilingMoment& moment);
// Its operands, each element in the colour of the lane that holds it. The cells are those of d.
[[nodiscard]] ThreadPicture draw_warp_product(Pen& pen, const Rect& area,
                                              const TilingMoment& moment,
                                              const WarpProduct& product);
void add_warp_product_numbers(NumberList& list, const TilingMoment& moment,
                              const WarpProduct& product);

// The THREAD panel as a list. Both return the rectangle of its cells.
// Of a thread with one element of C: a, b and a * b, k by k through this step.
[[nodiscard]] ThreadPicture draw_dot_product(Pen& pen, const Rect& area, const ViewContext& context,
                                             const TilingMoment& moment);
// Of a thread that multiplies nothing known: its loads and stores.
[[nodiscard]] ThreadPicture draw_thread_moves(Pen& pen, const Rect& area,
                                              const ViewContext& context,
                                              const TilingMoment& moment);

// What the panel shows, as numbers: the products of a tile of C, those of a single element, or what
// the lane loads and stores.
void add_thread_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment);
void add_dot_product_numbers(NumberList& list, const ViewContext& context,
                             const TilingMoment& moment);
void add_move_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment);

}  // namespace tilescope
