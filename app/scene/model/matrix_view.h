#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/drawing/canvas.h"

namespace tilescope {

// A half-open box of elements.
struct ElementBox {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  [[nodiscard]] bool empty() const { return rows == 0 || cols == 0; }
  [[nodiscard]] std::uint64_t count() const { return rows * cols; }
  [[nodiscard]] bool contains(std::uint64_t r, std::uint64_t c) const {
    return r >= row && r < row + rows && c >= col && c < col + cols;
  }
  void add(std::uint64_t r, std::uint64_t c, std::uint64_t wide = 1);
  void add(const ElementBox& other);
  friend bool operator==(const ElementBox&, const ElementBox&) = default;
};

// A buffer as a matrix on screen. One without a known shape is folded into rows by address: real
// addresses, but its rows are ours.
struct MatrixView {
  std::size_t argument = 0;  // index into KernelInstance::arguments
  std::string name;
  Role role = Role::kNone;
  ElementType type = ElementType::kF32;
  std::uint64_t address = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;  // elements between rows
  bool folded = false;
  std::string found_by;  // how a shape was found that nobody said; a sentence
  bool written = false;
  ColourRole colour = ColourRole::kFirst;

  struct Place {
    std::uint64_t row = 0;
    std::uint64_t col = 0;
  };
  // None for an address outside, or in the gap behind a row.
  [[nodiscard]] std::optional<Place> place(std::uint64_t device_address) const;
  // Whether place() has one; quicker where no gap is behind a row.
  [[nodiscard]] bool holds(std::uint64_t device_address) const;
  [[nodiscard]] std::uint64_t address_of(std::uint64_t row, std::uint64_t col) const {
    return address + (row * leading + col) * size_of(type);
  }
};

// The pointer arguments in the kernel's order. A and in are first, B second, C and out third in
// colour; buffers without a role by being written or not.
[[nodiscard]] std::vector<MatrixView> matrix_views(const KernelStudy& study);

// The value of one element as the kernel found it; none when the buffer has no contents.
[[nodiscard]] std::optional<double> value_at(const KernelStudy& study, const MatrixView& matrix,
                                             std::uint64_t row, std::uint64_t col);
// In as few characters as a cell holds: ".41", "-8.9", "12", "6184", "3e+05".
[[nodiscard]] std::string short_value(double value);

}  // namespace tilescope
