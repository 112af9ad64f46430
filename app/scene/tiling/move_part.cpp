#include "scene/tiling/move_part.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <ranges>

#include "scene/prepared.h"

namespace tilescope {
namespace {

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

// The array in shared memory, where there is one beside counters and mbarriers; nullptr: there is
// none, or it is too large to be drawn.
const SharedRegion* only_array(const SharedLayout& layout) {
  const SharedRegion* array = nullptr;
  for (const SharedRegion& region : layout.regions) {
    if (region.words < kLeastArrayWords) continue;
    if (array != nullptr) return nullptr;
    array = &region;
  }
  const bool drawn = array != nullptr && array->words <= kMostSharedWords && array->pitch_known;
  return drawn ? array : nullptr;
}

}  // namespace

std::vector<MovePart> move_parts(const TilingModel& model, const PreparedStudy& prepared) {
  std::vector<MovePart> parts;
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.read.empty() && matrix.written.empty())
      parts.push_back(part_of(matrix, model, false));
  }
  if (parts.size() > 2) parts.resize(2);
  if (const SharedRegion* region = prepared.shared ? only_array(*prepared.shared) : nullptr) {
    parts.push_back({nullptr, region, {0, 0, region->rows(), region->pitch_words}, false});
  }
  for (const TiledMatrix& matrix : model.matrices) {
    if (!matrix.written.empty() && parts.size() < 4) parts.push_back(part_of(matrix, model, true));
  }
  return parts;
}

WarpAccess access_to(const MovePart& part, const BlockTrace& trace, std::uint32_t event) {
  const std::uint32_t index = trace.events[event].access;
  const WarpAccess access = trace.access(index);
  const bool second = part.shared != nullptr && access.space != MemorySpace::kShared;
  return second ? trace.access(index + 1) : access;
}

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
  while (part.box.rows * ((part.box.cols + line - 1) / line) > kMostRows) line *= 2;
  const bool whole_lines = part.box.rows == 1 || part.box.cols % line == 0;
  if (line < part.box.cols && whole_lines) part.line = line;
}

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
    if (between || part.written != (travel.leg == Leg::kRegistersToGlobal)) return std::nullopt;
    const MatrixView& view = part.matrix->view;
    for (const Origin& origin : travel.elements) {
      if (&moment.model->matrices[origin.matrix()] != part.matrix) continue;
      const ElementBox at =
          part.placed({origin.element() / view.leading, origin.element() % view.leading, 1, 1});
      if (part.box.contains(at.row, at.col)) add(at);
    }
  } else if (travel.in_bulk) {
    for (const BulkCopy& copy : bulk_copies_of(trace, travel.event)) {
      for (std::uint64_t word = copy.to / 4; word < (copy.to + copy.bytes) / 4; ++word) {
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

}  // namespace tilescope
