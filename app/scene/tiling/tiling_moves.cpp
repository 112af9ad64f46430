#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/tiling/matrix_picture.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

// One of the boxes: a part of a matrix, or an array in shared memory. Long rows are broken like
// lines of text, so that their elements are large enough to be seen.
struct MovePart {
  const TiledMatrix* matrix = nullptr;
  const SharedRegion* shared = nullptr;
  ElementBox box;
  bool written = false;
  std::uint64_t line = 0;  // elements of each row that is drawn; 0: the rows are the box's own

  [[nodiscard]] std::uint64_t lines_of_a_row() const { return (box.cols + line - 1) / line; }
  [[nodiscard]] std::uint64_t rows() const {
    return line == 0 ? box.rows : box.rows * lines_of_a_row();
  }
  [[nodiscard]] std::uint64_t cols() const { return line == 0 ? box.cols : line; }
  // Elements as drawn() places them.
  [[nodiscard]] ElementBox extent() const {
    return line == 0 ? box : ElementBox{0, 0, rows(), cols()};
  }
  [[nodiscard]] ElementBox drawn(const ElementBox& elements) const {
    if (line == 0) return elements;
    const std::uint64_t col = elements.col - box.col;
    return {(elements.row - box.row) * lines_of_a_row() + col / line, col % line, 1,
            std::min(elements.cols, line - col % line)};
  }
  // A buffer of one dimension is one row, wherever its picture in the grid goes on in the next.
  [[nodiscard]] ElementBox placed(const ElementBox& at) const {
    const bool flat = matrix != nullptr && matrix->view.folded;
    return flat ? ElementBox{0, at.row * matrix->view.leading + at.col, 1, at.cols} : at;
  }
};

constexpr std::uint64_t kMostSharedWords = 1u << 14;
constexpr std::uint64_t kLeastArrayWords = 16;
constexpr std::uint64_t kMostRows = 64;  // that a long row is broken into

// The range of a buffer of one dimension that the block touches; the box around it where that is
// not known element by element.
ElementBox flat_range(const TiledMatrix& matrix, const TilingModel& model, bool written) {
  const ElementBox& box = written ? matrix.written : matrix.read;
  const std::uint64_t leading = matrix.view.leading;
  std::uint64_t first = box.row * leading + box.col;
  std::uint64_t end = (box.row + box.rows - 1) * leading + box.col + box.cols;
  const auto narrow = [&](const auto& elements, auto is_touched) {
    if (elements.size() != box.rows * box.cols) return;
    const auto place = [&](auto at) {
      const auto index = static_cast<std::uint64_t>(at - elements.begin());
      return (box.row + index / box.cols) * leading + box.col + index % box.cols;
    };
    const auto from = std::ranges::find_if(elements, is_touched);
    if (from == elements.end()) return;
    const auto last = std::find_if(elements.rbegin(), elements.rend(), is_touched);
    first = place(from);
    end = place(std::prev(last.base())) + 1;
  };
  const bool output = model.output && &model.matrices[*model.output] == &matrix;
  if (!written) narrow(matrix.reads, [](std::uint16_t reads) { return reads > 0; });
  if (written && output)
    narrow(model.owners, [](std::uint32_t owner) { return owner != TilingModel::kNobody; });
  return {0, first, 1, std::max<std::uint64_t>(end, first + 1) - first};
}

MovePart part_of(const TiledMatrix& matrix, const TilingModel& model, bool written) {
  const ElementBox& box = written ? matrix.written : matrix.read;
  return {&matrix, nullptr, matrix.view.folded ? flat_range(matrix, model, written) : box, written};
}

// The array in shared memory, where there is one beside counters and mbarriers, or the two that
// bulk copies fill and read; none: there is none, or one is too large to be drawn.
std::vector<const SharedRegion*> arrays_of(const SharedLayout& layout, const TilingModel& model) {
  std::vector<const SharedRegion*> arrays;
  for (const SharedRegion& region : layout.regions) {
    if (region.words < kLeastArrayWords) continue;
    if (region.words > kMostSharedWords) return {};
    arrays.push_back(&region);
  }
  if (model.boxes.empty()) {
    return arrays.size() == 1 && arrays.front()->pitch_known ? arrays
                                                             : std::vector<const SharedRegion*>();
  }
  std::erase_if(arrays, [&](const SharedRegion* region) {
    return std::ranges::none_of(
        model.boxes, [&](const BulkBox& box) { return region->contains(box.shared / 4); });
  });
  if (arrays.size() > 2) arrays.clear();
  return arrays;
}

// Those of a block that multiplies no matrices: what it reads, its shared array, what it stores.
std::vector<MovePart> move_parts(const TilingModel& model, const PreparedStudy& prepared) {
  std::vector<MovePart> parts;
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.read.empty() && matrix.written.empty())
      parts.push_back(part_of(matrix, model, false));
  }
  if (parts.size() > 2) parts.resize(2);
  if (prepared.shared) {
    for (const SharedRegion* region : arrays_of(*prepared.shared, model))
      parts.push_back({nullptr, region, {0, 0, region->rows(), region->pitch_words}, false});
  }
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.written.empty() && parts.size() < 4) parts.push_back(part_of(matrix, model, true));
  }
  return parts;
}

// The half of a copy that this part can have; the access itself where there is one.
WarpAccess access_to(const MovePart& part, const BlockTrace& trace, std::uint32_t event) {
  const std::uint32_t index = trace.events[event].access;
  const WarpAccess access = trace.access(index);
  const bool second = part.shared != nullptr && access.space != MemorySpace::kShared;
  return second ? trace.access(index + 1) : access;
}

// Where in the part a lane's access lies; none outside it.
std::optional<ElementBox> touched(const MovePart& part, const WarpAccess& access,
                                  std::size_t lane) {
  const std::uint64_t address = access.address[lane];
  if (part.shared != nullptr) {
    const std::uint64_t word = address / 4;
    if (access.space != MemorySpace::kShared || !part.shared->contains(word)) return std::nullopt;
    const std::uint64_t inside = word - part.shared->first_word;
    return ElementBox{inside / part.shared->pitch_words, inside % part.shared->pitch_words, 1,
                      std::max<std::uint64_t>(1, access.bytes_per_lane / 4u)};
  }
  const auto found = part.matrix->view.place(address);
  if (access.space != MemorySpace::kGlobal || !found) return std::nullopt;
  const ElementBox at = part.placed(
      {found->row, found->col, 1,
       std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(part.matrix->view.type))});
  return part.box.contains(at.row, at.col) ? std::optional(at) : std::nullopt;
}

// Breaks long rows where a warp's access ends, so that each line is one warp's where the warps
// follow one another.
void break_row(MovePart& part, const ViewContext& context, std::uint32_t warp) {
  constexpr std::uint64_t kFlat = 16;  // a row for so many columns shows no elements
  if (part.box.rows != 1 && part.box.cols < kFlat * part.box.rows) return;
  std::uint64_t line = kWarpSize;
  const auto& warps = context.prepared->warps;
  if (warp < warps.size()) {
    for (const std::uint32_t event :
         part.shared != nullptr ? warps[warp].shared : warps[warp].global) {
      const WarpAccess access = access_to(part, *context.study->trace, event);
      if (access.active == 0) continue;
      const auto first =
          touched(part, access, static_cast<std::size_t>(std::countr_zero(access.active)));
      if (!first) continue;
      line *= first->cols;
      break;
    }
  }
  while (line < part.box.cols && part.box.rows * ((part.box.cols + line - 1) / line) > kMostRows) {
    line *= 2;
  }
  const bool whole_lines = part.box.rows == 1 || part.box.cols % line == 0;
  if (line < part.box.cols && whole_lines) part.line = line;
}

// Where of this part what travels now leaves or arrives; none: it does neither here.
std::optional<ElementBox> travels_in(const MovePart& part, const ViewContext& context,
                                     const TilingMoment& moment) {
  ElementBox box;
  const auto add = [&](const ElementBox& at) {
    const ElementBox drawn = part.drawn(at);
    box.add(drawn.row, drawn.col);
    box.add(drawn.row, drawn.col + drawn.cols - 1);
  };
  const Travel& travel = *moment.travel;
  const BlockTrace& trace = *context.study->trace;
  if (part.shared == nullptr) {
    const bool between =
        travel.leg == Leg::kRegistersToShared || travel.leg == Leg::kSharedToRegisters;
    if (between || part.written != stores_to_global(travel.leg)) return std::nullopt;
    const MatrixView& view = part.matrix->view;
    for (const Origin& origin : travel.elements) {
      if (&moment.model->matrices[origin.matrix()] != part.matrix) continue;
      const ElementBox at =
          part.placed({origin.element() / view.leading, origin.element() % view.leading, 1, 1});
      if (part.box.contains(at.row, at.col)) add(at);
    }
  } else if (travel.in_bulk) {
    for (const BulkCopy& copy : bulk_copies_of(trace, travel.event)) {
      for (std::uint64_t word = copy.shared / 4; word < (copy.shared + copy.bytes) / 4; ++word) {
        if (!part.shared->contains(word)) continue;
        const std::uint64_t inside = word - part.shared->first_word;
        add({inside / part.shared->pitch_words, inside % part.shared->pitch_words, 1, 1});
      }
    }
  } else {
    const bool passes_by = travel.leg == Leg::kGlobalToRegisters ||
                           travel.leg == Leg::kRegistersToGlobal ||
                           travel.leg == Leg::kSharedToTensorCore;
    if (passes_by) return std::nullopt;
    const WarpAccess access = access_to(part, trace, travel.event);
    const auto lane = static_cast<std::size_t>(moment.lane);
    const bool active = (access.active >> lane & 1U) != 0;
    if (const auto at = active ? touched(part, access, lane) : std::nullopt) add(*at);
  }
  return box.empty() ? std::nullopt : std::optional(box);
}

// How the parts lie: beside one another, below one another, or round a corner: in, to its right
// shared memory, below that out; of four, the last one left of the third.
enum class MoveOrder : std::uint8_t { kAcross, kDown, kCorner };

struct MoveArrangement {
  MoveOrder order = MoveOrder::kAcross;
  std::vector<Rect> boxes;  // of the parts
  float covered = 0;        // area

  [[nodiscard]] bool is_below(std::size_t part) const {
    return part > 0 && (order == MoveOrder::kDown || (order == MoveOrder::kCorner && part == 2));
  }
  [[nodiscard]] bool is_left(std::size_t part) const {
    return order == MoveOrder::kCorner && part == 3;
  }
};

struct MoveRoom {
  Rect area;
  float label;  // above and below each part
  float gap;
  float least;       // side of a part
  float least_wide;  // width of one
  float most;        // side of an element
};

// Rows and columns in which the parts of an order stand.
struct Table {
  std::size_t rows = 1;
  std::size_t cols = 1;
  [[nodiscard]] static Table of(MoveOrder order, std::size_t parts) {
    if (order == MoveOrder::kCorner) return {2, 2};
    return order == MoveOrder::kAcross ? Table{1, parts} : Table{parts, 1};
  }
};

std::pair<std::size_t, std::size_t> place_in_table(MoveOrder order, std::size_t part) {
  if (order == MoveOrder::kCorner) return {part / 2, part == 0 || part == 3 ? 0 : 1};
  return order == MoveOrder::kAcross ? std::pair<std::size_t, std::size_t>{0, part}
                                     : std::pair<std::size_t, std::size_t>{part, 0};
}

// The side of an element, `most` at the most, at which parts of so many elements in a row fill no
// more than `room`: none takes less than `least`.
float side_within(const std::vector<float>& counts, float room, float least, float most) {
  float side = std::min(room / std::accumulate(counts.begin(), counts.end(), 0.0f), most);
  for (std::size_t pass = 0; pass < counts.size(); ++pass) {
    float fixed = 0;
    float elements = 0;
    for (const float count : counts) {
      count* side < least ? fixed += least : elements += count;
    }
    if (elements > 0) side = std::min(side, std::max(room - fixed, 0.0f) / elements);
  }
  return side;
}

// Elements have one size in all parts, so that a row here is as long as a column there; broken
// rows compare to nothing, so that each part then fills what is its own.
MoveArrangement arranged(const std::vector<MovePart>& parts, MoveOrder order,
                         const MoveRoom& room) {
  const Table table = Table::of(order, parts.size());
  const float w = room.area.w - room.gap * static_cast<float>(table.cols - 1);
  const float h = room.area.h - room.gap * static_cast<float>(table.rows - 1) -
                  2 * room.label * static_cast<float>(table.rows);
  std::vector<float> heights(table.rows);
  std::vector<float> widths(table.cols);
  const bool compare = std::ranges::none_of(parts, [](const MovePart& part) {
    return part.line != 0 || (part.matrix != nullptr && part.matrix->view.folded);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [row, col] = place_in_table(order, i);
    heights[row] = std::max(heights[row], static_cast<float>(parts[i].rows()));
    widths[col] = std::max(widths[col], static_cast<float>(parts[i].cols()));
  }
  const float own_w = w / static_cast<float>(table.cols);
  const float own_h = h / static_cast<float>(table.rows);
  const float least_w = std::min(own_w, std::max(room.least, room.least_wide));
  const float least_h = std::min(own_h, room.least);
  const float common = std::min(side_within(widths, w, least_w, room.most),
                                side_within(heights, h, least_h, room.most));
  MoveArrangement result{order, {}, 0};
  std::vector<Rect> boxes(parts.size());
  std::ranges::fill(heights, 0.0f);
  std::ranges::fill(widths, 0.0f);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto cols = static_cast<float>(parts[i].cols());
    const auto rows = static_cast<float>(parts[i].rows());
    const float cell = compare ? common : std::min({own_w / cols, own_h / rows, room.most});
    // The lines of a broken row may be higher than their elements are wide.
    const float line = parts[i].line == 0 ? cell : std::min(own_h / rows, room.most);
    boxes[i].w = std::clamp(cell * cols, least_w, w);
    boxes[i].h = std::clamp(line * rows, least_h, h);
    const auto [row, col] = place_in_table(order, i);
    heights[row] = std::max(heights[row], boxes[i].h);
    widths[col] = std::max(widths[col], boxes[i].w);
    result.covered += boxes[i].w * boxes[i].h;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [row, col] = place_in_table(order, i);
    boxes[i].x = room.area.x;
    boxes[i].y = room.area.y + room.label;
    for (std::size_t c = 0; c < col; ++c) boxes[i].x += widths[c] + room.gap;
    for (std::size_t r = 0; r < row; ++r) boxes[i].y += heights[r] + 2 * room.label + room.gap;
  }
  result.boxes = std::move(boxes);
  return result;
}

// The order that shows most, the first of those that show as much.
MoveArrangement best_arrangement(const std::vector<MovePart>& parts, const MoveRoom& room) {
  MoveArrangement best = arranged(parts, MoveOrder::kAcross, room);
  for (const MoveOrder order : {MoveOrder::kCorner, MoveOrder::kDown}) {
    if (order == MoveOrder::kCorner && parts.size() != 3 && parts.size() != 4) continue;
    MoveArrangement other = arranged(parts, order, room);
    if (other.covered > 1.05f * best.covered) best = std::move(other);
  }
  return best;
}

constexpr std::size_t kMostBoxes = 64;   // of bulk copies, the latest
constexpr std::uint64_t kBoxPiece = 16;  // bytes; what a swizzle moves as a whole

// A piece of a row of a box has the same colour in the matrix and where it lies in shared memory:
// so the swizzle shows.
Paint piece_paint(std::uint64_t piece, std::uint64_t pieces) {
  const std::uint64_t shade = piece * (kWarpSize - 1) / std::max<std::uint64_t>(pieces - 1, 1);
  return Paint::lane(static_cast<int>(shade), 0.5f);
}

// What bulk copies have moved from or to this part so far.
void draw_boxes(Pen& pen, const ElementFrame& frame, const MovePart& part,
                const ViewContext& context, const TilingMoment& moment) {
  const std::vector<BulkBox>& boxes = moment.model->boxes;
  const auto end = std::ranges::upper_bound(boxes, moment.event, {}, &BulkBox::event);
  const auto count = std::min<std::ptrdiff_t>(end - boxes.begin(), kMostBoxes);
  for (auto box = end - count; box != end; ++box) {
    const MatrixView& view = moment.model->matrices[box->matrix].view;
    const std::uint64_t wide = std::max<std::uint64_t>(1, kBoxPiece / size_of(view.type));
    const std::uint64_t pieces = (box->box.cols + wide - 1) / wide;
    if (part.shared == nullptr) {
      if (part.matrix != &moment.model->matrices[box->matrix] || part.written == box->loads())
        continue;
      for (std::uint64_t piece = 0; piece < pieces && part.line == 0 && !view.folded; ++piece) {
        const std::uint64_t col = piece * wide;
        pen.canvas.fill_rect(frame.place({box->box.row, box->box.col + col, box->box.rows,
                                          std::min(wide, box->box.cols - col)}),
                             piece_paint(piece, pieces));
      }
      if (part.line == 0 && !view.folded)
        pen.outline(frame.place(box->box), Paint(view.colour, 0.9f), 1);
      continue;
    }
    const std::vector<BulkCopy>& copies = context.study->trace->bulk_copies;
    for (std::size_t i = box->first; i < box->first + box->count; ++i) {
      for (std::uint64_t byte = 0; byte < copies[i].bytes; byte += kBoxPiece) {
        const std::uint64_t word = (copies[i].shared + byte) / 4;
        const auto at = view.place(copies[i].global + byte);
        if (!at || !part.shared->contains(word)) continue;
        const std::uint64_t inside = word - part.shared->first_word;
        const std::uint64_t pitch = part.shared->pitch_words;
        pen.canvas.fill_rect(
            frame.place(part.drawn({inside / pitch, inside % pitch, 1, kBoxPiece / 4})),
            piece_paint((at->col - std::min(at->col, box->box.col)) / wide, pieces));
      }
    }
  }
}

constexpr std::size_t kMostAccesses = 96;  // of the selected warp, the latest

// What the selected warp touched of this part so far, access by access, in its lanes' colours.
void draw_touches(Pen& pen, const ElementFrame& frame, const MovePart& part,
                  const ViewContext& context, const TilingMoment& moment) {
  const auto& warps = context.prepared->warps;
  if (moment.warp >= warps.size()) return;
  const bool shared = part.shared != nullptr;
  const std::vector<std::uint32_t>& events =
      shared ? warps[moment.warp].shared : warps[moment.warp].global;
  const auto end = std::upper_bound(events.begin(), events.end(), moment.event);
  const auto count = std::min<std::ptrdiff_t>(end - events.begin(), kMostAccesses);
  struct Touch {
    ElementBox box;  // as drawn
    int lane;
  };
  std::vector<Touch> touches;
  // Elements have numbers where those fit: all or none, as lanes that show only the short ones
  // would look empty.
  const ElementBox extent = part.extent();
  const float widest = pen.width("30", pen.style(11, ColourRole::kText, Weight::kMedium));
  const bool numbered = frame.place({extent.row, extent.col, 1, 1}).h >= pen.px(14);
  std::vector<std::size_t> latest(numbered ? extent.rows * extent.cols : 0);  // touch, by element
  const auto element = [&](const ElementBox& box, std::uint64_t col) -> std::size_t& {
    return latest[(box.row - extent.row) * extent.cols + box.col + col - extent.col];
  };
  for (auto it = end - count; it != end; ++it) {
    const WarpAccess access = access_to(part, *context.study->trace, *it);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const auto box = touched(part, access, lane);
      if (!box) continue;
      const ElementBox drawn = part.drawn(*box);
      const std::uint64_t within = std::min(drawn.cols, extent.col + extent.cols - drawn.col);
      for (std::uint64_t c = 0; numbered && c < within; ++c) element(drawn, c) = touches.size();
      touches.push_back({drawn, static_cast<int>(lane)});
    }
  }
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const auto& [box, lane] = touches[i];
    Rect rect = frame.place(box);
    rect.w = std::min(rect.w, frame.box.right() - rect.x);
    if (rect.w > 4 && rect.h > 4) rect = rect.inset(0.5f);
    const Paint paint = lane == moment.lane ? Paint(ColourRole::kSelection) : Paint::lane(lane);
    pen.canvas.fill_rect(rect, paint);
    if (!numbered || rect.w < widest) continue;
    const std::uint64_t within = std::min(box.cols, extent.col + extent.cols - box.col);
    bool covered = false;  // by what came later
    for (std::uint64_t c = 0; c < within; ++c) covered = covered || element(box, c) != i;
    if (covered) continue;
    const TextStyle style =
        pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter);
    pen.first_that_fits(rect.center().x, rect.center().y,
                        {fmt::format("lane {}", lane), std::to_string(lane)}, style, rect.w);
  }
}

std::string title_of(const MovePart& part) {
  if (part.shared != nullptr) {
    return part.shared->declaration.empty() ? part.shared->name : part.shared->declaration;
  }
  const MatrixView& view = part.matrix->view;
  if (!view.folded) return fmt::format("{} {} × {}", view.name, part.box.rows, part.box.cols);
  const std::uint64_t first = part.box.col;
  return part.box.cols == 1 ? fmt::format("{}[{}]", view.name, first)
                            : fmt::format("{}[{}…{}]", view.name, first, first + part.box.cols - 1);
}

// The parts with their long rows broken.
std::vector<MovePart> drawn_parts(const ViewContext& context, const TilingMoment& moment) {
  std::vector<MovePart> parts = move_parts(*moment.model, *context.prepared);
  for (MovePart& part : parts) break_row(part, context, moment.warp);
  return parts;
}

MoveRoom room_in(const Pen& pen, const Rect& area, const std::vector<MovePart>& parts) {
  const TextStyle style = pen.style(12, ColourRole::kText, Weight::kSemibold);
  float titles = 0;  // no part is narrower than what stands above it, up to some width
  for (const MovePart& part : parts) titles = std::max(titles, pen.width(title_of(part), style));
  return {.area = area,
          .label = pen.px(20),
          .gap = pen.px(30),
          .least = pen.px(24),
          .least_wide = std::min(titles, pen.px(90)),
          .most = pen.px(24)};
}

// To the right, or for a negative length to the left; or down.
void draw_arrow(Pen& pen, Point from, float length, bool down) {
  const float head = length < 0 ? -pen.px(4) : pen.px(4);
  const Point tip = down ? Point{from.x, from.y + length} : Point{from.x + length, from.y};
  pen.canvas.line(from, tip, ColourRole::kDim, 1.5f);
  const std::array<Point, 3> arrow = {
      Point{tip.x - head, tip.y - head}, tip,
      down ? Point{tip.x + head, tip.y - head} : Point{tip.x - head, tip.y + head}};
  pen.canvas.polyline(arrow, ColourRole::kDim, 1.5f);
}

void draw_part(Pen& pen, const ElementFrame& frame, const MovePart& part, float title_room,
               const ViewContext& context, const TilingMoment& moment) {
  const ColourRole colour = part.shared != nullptr ? ColourRole::kSecond : part.matrix->view.colour;
  pen.canvas.fill_rect(frame.box, Paint(colour, 0.14f));
  if (part.line != 0 && part.box.cols % part.line != 0) {  // the last line ends early
    const std::uint64_t last = part.box.cols % part.line;
    pen.canvas.hatch_rect(frame.place({part.rows() - 1, last, 1, part.line - last}),
                          ColourRole::kDim, 4);
  }
  if (part.line == 0 && part.shared != nullptr &&
      part.shared->used_words < part.shared->pitch_words) {
    const Rect pad = frame.place({0, part.shared->used_words, part.box.rows,
                                  part.shared->pitch_words - part.shared->used_words});
    pen.canvas.hatch_rect(pad, ColourRole::kDim, 4);
  }
  draw_boxes(pen, frame, part, context, moment);
  draw_touches(pen, frame, part, context, moment);
  pen.outline(frame.box, Paint(colour, 0.9f), 1.5f);
  const TextStyle style = pen.style(12, colour, Weight::kSemibold);
  pen.text(frame.box.x, frame.box.y - pen.px(10), pen.fitted(title_of(part), style, title_room),
           style);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  std::string words = part.shared != nullptr ? "shared memory" : part.written ? "stored" : "read";
  const std::string lines =
      part.line == 0 ? words : fmt::format("{}, {} elements per row here", words, part.line);
  pen.first_that_fits(frame.box.x, frame.box.bottom() + pen.px(11), {lines, words}, dim,
                      title_room);
  pen.hit(
      frame.box, HitKind::kNone, 0,
      part.shared != nullptr
          ? fmt::format("{} in shared memory; bright: accessed by warp {} so far.", title_of(part),
                        moment.warp)
          : fmt::format("The block {} this part of {}; bright: accessed by warp {} so far.",
                        part.written ? "stores" : "reads", part.matrix->view.name, moment.warp));
}

}  // namespace

std::vector<float> moves_cover(const Pen& pen, std::span<const Rect> rooms,
                               const ViewContext& context, const TilingMoment& moment) {
  const std::vector<MovePart> parts = drawn_parts(context, moment);
  std::vector<float> covered(rooms.size());
  for (std::size_t i = 0; i < rooms.size() && !parts.empty(); ++i) {
    covered[i] = best_arrangement(parts, room_in(pen, rooms[i], parts)).covered;
  }
  return covered;
}

BlockPicture draw_moves(Pen& pen, const Rect& area, const ViewContext& context,
                        const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  const std::vector<MovePart> parts = drawn_parts(context, moment);
  BlockPicture picture;
  if (parts.empty()) return picture;
  const MoveRoom room = room_in(pen, area, parts);
  const MoveArrangement arrangement = best_arrangement(parts, room);
  picture.tiles = arrangement.boxes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MovePart& part = parts[i];
    const Rect& box = arrangement.boxes[i];
    const ElementFrame frame{box, part.extent()};
    const bool is_left = arrangement.is_left(i);
    const bool beside =
        i + 1 < parts.size() && !arrangement.is_below(i + 1) && !arrangement.is_left(i + 1);
    const float right = is_left  ? arrangement.boxes[i - 1].x - pen.px(8)
                        : beside ? arrangement.boxes[i + 1].x - pen.px(8)
                                 : area.right();
    const float title_room = right - box.x;
    draw_part(pen, frame, part, title_room, context, moment);
    const bool follows = part.shared != nullptr || part.written;  // no arrow between two inputs
    if (is_left && follows) {
      const float from = arrangement.boxes[i - 1].x - pen.px(6);
      draw_arrow(pen, {from, box.y + box.h / 2}, box.right() + pen.px(6) - from, false);
    } else if (arrangement.is_below(i) && follows) {
      draw_arrow(pen, {box.x + box.w / 2, box.y - room.label - room.gap + pen.px(2)},
                 room.gap - pen.px(6), true);
    } else if (i > 0 && follows) {
      const float h = std::min(box.h, arrangement.boxes[i - 1].h);
      draw_arrow(pen, {box.x - room.gap + pen.px(6), box.y + h / 2}, room.gap - pen.px(12), false);
    }
    if (const auto place = moment.travel ? travels_in(part, context, moment) : std::nullopt) {
      (part.shared != nullptr ? picture.shared : picture.global) = frame.place(*place);
    }
    if (i == 0) picture.from_grid = box;
    const bool output =
        part.written && model.output && &model.matrices[*model.output] == part.matrix;
    if (output && !moment.lane_rects.empty())
      picture.thread = frame.place(part.drawn(part.placed(moment.lane_rects[0].box)));
  }
  return picture;
}

}  // namespace tilescope
