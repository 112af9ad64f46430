#include "scene/model/matrix_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "analysis/study/buffer_shapes.h"
#include "core/buffer_recipe.h"
#include "core/quantity.h"

namespace tilescope {
namespace {

ColourRole colour_of(Role role, bool written, std::size_t inputs_before) {
  switch (role) {
    case Role::kA:
    case Role::kIn:
      return ColourRole::kFirst;
    case Role::kB:
      return ColourRole::kSecond;
    case Role::kC:
    case Role::kOut:
      return ColourRole::kThird;
    case Role::kNone:
      break;
  }
  if (written) return ColourRole::kThird;
  return inputs_before % 2 == 0 ? ColourRole::kFirst : ColourRole::kSecond;
}

template <typename T>
T read_as(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

double number_at(ElementType type, const std::byte* bytes) {
  switch (type) {
    case ElementType::kI8:
      return read_as<std::int8_t>(bytes);
    case ElementType::kU8:
      return read_as<std::uint8_t>(bytes);
    case ElementType::kI16:
      return read_as<std::int16_t>(bytes);
    case ElementType::kU16:
      return read_as<std::uint16_t>(bytes);
    case ElementType::kF16:
      return static_cast<double>(from_half(read_as<std::uint16_t>(bytes)));
    case ElementType::kBf16:
      return static_cast<double>(from_bfloat16(read_as<std::uint16_t>(bytes)));
    case ElementType::kI32:
      return read_as<std::int32_t>(bytes);
    case ElementType::kU32:
      return read_as<std::uint32_t>(bytes);
    case ElementType::kF32:
      return static_cast<double>(read_as<float>(bytes));
    case ElementType::kI64:
      return static_cast<double>(read_as<std::int64_t>(bytes));
    case ElementType::kU64:
      return static_cast<double>(read_as<std::uint64_t>(bytes));
    case ElementType::kF64:
      return read_as<double>(bytes);
  }
  return std::nan("");
}

// A row length for a buffer of no shape: near the square root, a power of two, so that rows are
// whole 128-byte lines for all but the smallest.
std::uint64_t fold_width(std::uint64_t count) {
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(count)));
  return std::clamp<std::uint64_t>(std::bit_ceil(std::max<std::uint64_t>(root, 1)), 32, 4096);
}

std::string found_words(const BufferShape& shape, ElementType type) {
  return fmt::format("Rows of {}{}, found from its addresses: {} B from one to the next.",
                     format_count(shape.leading),
                     shape.named_by.empty() ? "" : ", which is " + shape.named_by,
                     format_count(shape.leading * size_of(type)));
}

}  // namespace

void ElementBox::add(std::uint64_t r, std::uint64_t c, std::uint64_t wide) {
  add(ElementBox{r, c, 1, wide});
}

void ElementBox::add(const ElementBox& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  const std::uint64_t bottom = std::max(row + rows, other.row + other.rows);
  const std::uint64_t right = std::max(col + cols, other.col + other.cols);
  row = std::min(row, other.row);
  col = std::min(col, other.col);
  rows = bottom - row;
  cols = right - col;
}

std::optional<MatrixView::Place> MatrixView::place(std::uint64_t device_address) const {
  if (device_address < address || leading == 0) return std::nullopt;
  const std::uint64_t element = (device_address - address) / size_of(type);
  const Place at{element / leading, element % leading};
  if (at.row >= rows || at.col >= cols) return std::nullopt;
  return at;
}

bool MatrixView::holds(std::uint64_t device_address) const {
  if (leading != cols) return place(device_address).has_value();
  return device_address >= address && device_address - address < rows * cols * size_of(type);
}

std::vector<MatrixView> matrix_views(const KernelStudy& study) {
  std::vector<MatrixView> views;
  std::size_t inputs = 0;
  const std::vector<Argument>& arguments = study.instance.arguments;
  const std::vector<std::optional<BufferShape>> shapes = buffer_shapes(study);
  for (std::size_t i = 0; i < arguments.size() && i < study.launch.arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!argument.is_pointer || argument.buffer.count == 0) continue;
    MatrixView view;
    view.argument = i;
    view.name = argument.name;
    view.role = argument.role;
    view.type = argument.type;
    view.address = study.launch.arguments[i].bits;
    view.written = argument.written;
    view.colour = colour_of(argument.role, argument.written, inputs);
    if (!argument.written) ++inputs;
    if (shapes[i]) {
      view.rows = shapes[i]->rows;
      view.cols = shapes[i]->cols;
      view.leading = shapes[i]->leading;
      if (shapes[i]->found) view.found_by = found_words(*shapes[i], view.type);
    } else {
      view.folded = true;
      view.cols = view.leading = std::min(fold_width(argument.buffer.count), argument.buffer.count);
      view.rows = (argument.buffer.count + view.cols - 1) / view.cols;
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::optional<double> value_at(const KernelStudy& study, const MatrixView& matrix,
                               std::uint64_t row, std::uint64_t col) {
  if (!study.memory) return std::nullopt;
  const std::uint64_t bytes = size_of(matrix.type);
  const auto where = study.memory->locate(matrix.address_of(row, col), bytes);
  if (!where) return std::nullopt;
  const DeviceMemory::Buffer& buffer = study.memory->buffers()[where->buffer];
  if (!buffer.contents || where->offset + bytes > buffer.contents->size()) return std::nullopt;
  return number_at(matrix.type, buffer.contents->data() + where->offset);
}

std::string short_value(double value) {
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return "nan";
  if (magnitude >= 99999.5) return fmt::format("{:.0e}", value);  // as long as 99999
  if (magnitude >= 9.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 0.995) return fmt::format("{:.1f}", value);
  if (magnitude == 0) return "0";
  if (magnitude < 0.005) return "~0";
  std::string text = fmt::format("{:.2f}", magnitude);  // "0.41"
  text.erase(0, 1);
  return value < 0 ? "-" + text : text;
}

}  // namespace tilescope
