#include "scene/model/tiling_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/dim3.h"
#include "core/quantity.h"
#include "emulator/checks/address_origin.h"
#include "scene/model/matrix_view.h"

namespace tilescope {
namespace {

// One axis of a matrix: what the block's tile takes of it.
struct TileAxis {
  std::uint64_t first = 0;
  std::uint64_t extent = 0;
  std::uint64_t all = 0;  // of the matrix
};

// Only a tile that ends at the matrix's edge can be cut; where it starts, and the block's index,
// tell how wide those before it are. Which of the grid's axes the tile follows is the kernel's
// choice: the one whose blocks just cover the matrix.
std::uint64_t full_extent(const TileAxis& axis, const Dim3& block, const Dim3& grid) {
  if (axis.first + axis.extent < axis.all) return axis.extent;
  const std::array<std::pair<std::uint32_t, std::uint32_t>, 2> axes = {
      {{block.x, grid.x}, {block.y, grid.y}}};
  const auto follows = [&](const auto& along) {  // as it is, not cut
    return along.first * axis.extent == axis.first && along.second * axis.extent == axis.all;
  };
  if (std::ranges::any_of(axes, follows)) return axis.extent;
  for (const auto& [index, blocks] : axes) {
    if (index == 0 || axis.first % index != 0) continue;
    const std::uint64_t full = axis.first / index;
    if (full > axis.extent && (axis.all + full - 1) / full == blocks) return full;
  }
  return axis.extent;
}

// The block's tile `written` of a matrix, and what the matrix's edge cuts off it: from the same
// first element, as large as the tiles before it. As written where nothing is cut, or where the
// blocks' indices do not tell.
ElementBox full_tile(const ElementBox& written, const MatrixView& matrix, const Dim3& block,
                     const Dim3& grid) {
  return {written.row, written.col,
          full_extent({written.row, written.rows, matrix.rows}, block, grid),
          full_extent({written.col, written.cols, matrix.cols}, block, grid)};
}

// What a bulk copy moves, as accesses of a whole warp would: 32 pieces of 16 bytes at a time.
template <typename Visit>
void for_each_piece(const BulkCopy& copy, const Visit& visit) {
  constexpr std::uint64_t kPiece = 16;
  WarpAccess access;
  access.kind = copy.kind == BulkCopy::Kind::kLoad    ? AccessKind::kAsyncCopy
                : copy.kind == BulkCopy::Kind::kStore ? AccessKind::kStore
                                                      : AccessKind::kAtomic;
  access.bytes_per_lane = kPiece;
  for (std::uint64_t byte = 0; byte < copy.bytes; byte += kPiece * kWarpSize) {
    access.active = 0;
    for (std::size_t i = 0; i < kWarpSize && byte + i * kPiece < copy.bytes; ++i) {
      access.address[i] = copy.global + byte + i * kPiece;
      access.active |= 1U << i;
    }
    visit(access);
  }
}

// Calls visit(event, access, step) for every global access of the block's warps.
template <typename Visit>
void for_each_global(const KernelStudy& study, const Visit& visit) {
  const std::vector<std::vector<std::uint32_t>>& warp_steps = study.timeline->warp_steps;
  std::vector<std::uint32_t> step(warp_steps.size(), 0);
  for (const std::uint32_t index : study.timeline->memory_events) {
    const TraceEvent& event = study.trace->events[index];
    const StaticInstruction& instruction = study.program->instructions()[event.instruction];
    if (instruction.space != MemorySpace::kGlobal && instruction.access != AccessKind::kAsyncCopy &&
        instruction.space != MemorySpace::kGeneric) {
      continue;
    }
    const WarpAccess access = study.trace->access(event.access);
    if (access.space != MemorySpace::kGlobal || access.active == 0) continue;
    const std::vector<std::uint32_t>& begin = warp_steps[event.warp];
    std::uint32_t& now = step[event.warp];
    while (now + 1 < begin.size() && begin[now + 1] <= index) ++now;
    visit(event, access, now);
  }
  for (const BulkCopy& copy : study.trace->bulk_copies) {
    if (copy.event >= study.trace->events.size()) continue;
    const TraceEvent& event = study.trace->events[copy.event];
    const std::uint32_t in = study.timeline->step_of(event.warp, copy.event);
    for_each_piece(copy, [&](const WarpAccess& access) { visit(event, access, in); });
  }
}

constexpr std::uint64_t kMostElements = 1u << 20;
constexpr std::uint32_t kNobody = TilingModel::kNobody;

// Who stored each element of the output's tile last.
class OwnerFinder {
 public:
  OwnerFinder(const KernelStudy& study, TilingModel& model)
      : study_(study),
        model_(model),
        matrix_(model.matrices[*model.output]),
        stored_by_(matrix_.written.count(), kNobody) {
    model.owners.assign(matrix_.written.count(), kNobody);
    model.store_lines.assign(matrix_.written.count(), 0);
    follows_shared_ = std::ranges::any_of(study.trace->bulk_copies,
                                          [](const BulkCopy& copy) { return !copy.loads(); });
  }

  // Fills owners and store_lines. Returns the event that stored each element.
  std::vector<std::uint32_t> find() {
    for (const std::uint32_t index : study_.timeline->memory_events) {
      store_in_bulk(index);
      access(index);
    }
    store_in_bulk(kNobody);
    return std::move(stored_by_);
  }

 private:
  void access(std::uint32_t index) {
    const TraceEvent& event = study_.trace->events[index];
    const StaticInstruction& instruction = study_.program->instructions()[event.instruction];
    const AccessKind kind = instruction.access;
    const bool is_matrix = kind == AccessKind::kStmatrix;
    if (kind != AccessKind::kStore && kind != AccessKind::kAtomic && !is_matrix) return;
    const WarpAccess access = study_.trace->access(event.access);
    if (access.space == MemorySpace::kShared && follows_shared_) put(event.warp, access);
    if (access.space != MemorySpace::kGlobal || is_matrix) return;
    const std::uint64_t wide =
        std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(matrix_.view.type));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      for (std::uint64_t i = 0; i < wide; ++i) {
        const std::uint64_t at = access.address[lane] + i * size_of(matrix_.view.type);
        store(at, event.warp * 32u + lane, index, instruction.outermost.line);
      }
    }
  }

  // Of what a matrix store writes, the lane that names its row.
  void put(std::uint32_t warp, const WarpAccess& access) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const std::uint64_t end = access.address[lane] + access.bytes_per_lane;
      for (std::uint64_t byte = access.address[lane]; byte < end; byte += kWord)
        writer_[byte / kWord] = warp * 32u + lane;
    }
  }

  // What is stored before the event.
  void store_in_bulk(std::uint32_t event) {
    const std::vector<BulkCopy>& copies = study_.trace->bulk_copies;
    for (; next_ < copies.size() && copies[next_].event < event; ++next_) {
      const BulkCopy& copy = copies[next_];
      if (copy.loads()) continue;
      const TraceEvent& by = study_.trace->events[copy.event];
      const std::uint32_t line = study_.program->instructions()[by.instruction].outermost.line;
      const std::uint32_t issuer = by.warp * 32u + copy.lane;
      const std::uint64_t each = size_of(matrix_.view.type);
      for (std::uint64_t byte = 0; byte + each <= copy.bytes; byte += each) {
        const auto writer = writer_.find((copy.shared + byte) / kWord);
        store(copy.global + byte, writer == writer_.end() ? issuer : writer->second, copy.event,
              line);
      }
    }
  }

  void store(std::uint64_t address, std::uint32_t thread, std::uint32_t event, std::uint32_t line) {
    const ElementBox& tile = matrix_.written;
    const auto place = matrix_.view.place(address);
    if (!place || !tile.contains(place->row, place->col)) return;
    const std::uint64_t at = (place->row - tile.row) * tile.cols + place->col - tile.col;
    model_.owners[at] = thread;
    model_.store_lines[at] = line;
    stored_by_[at] = event;
  }

  static constexpr std::uint64_t kWord = 4;
  const KernelStudy& study_;
  TilingModel& model_;
  const TiledMatrix& matrix_;
  std::vector<std::uint32_t> stored_by_;
  bool follows_shared_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> writer_;  // thread, by word of shared memory
  std::size_t next_ = 0;                                     // of BlockTrace::bulk_copies
};

// Rectangles of equal key: runs along each row, joined with the same run of the row above.
template <typename Key>
std::vector<std::pair<std::uint32_t, ElementBox>> rectangles(
    const std::vector<std::uint32_t>& owner, const ElementBox& tile, const Key& key) {
  std::vector<std::pair<std::uint32_t, ElementBox>> done;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> open;  // (column, width) -> done
  for (std::uint64_t r = 0; r < tile.rows; ++r) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> still_open;
    for (std::uint64_t c = 0; c < tile.cols;) {
      const std::uint32_t who = key(owner[r * tile.cols + c]);
      std::uint64_t end = c + 1;
      while (end < tile.cols && key(owner[r * tile.cols + end]) == who) ++end;
      if (who != kNobody) {
        const std::pair run(c, end - c);
        const auto above = open.find(run);
        if (above != open.end() && done[above->second].first == who) {
          ++done[above->second].second.rows;
          still_open[run] = above->second;
        } else {
          still_open[run] = done.size();
          done.push_back({who, ElementBox{tile.row + r, tile.col + c, 1, end - c}});
        }
      }
      c = end;
    }
    open = std::move(still_open);
  }
  return done;
}

// Fills owners, warp_rects, lane_rects, stored and elements_per_thread from the stores to
// model.output's tile. A tile of more than a million elements is left without owners. Precondition:
// model.output.
void find_tile_owners(const KernelStudy& study, TilingModel& model) {
  const TiledMatrix& matrix = model.matrices[*model.output];
  if (matrix.written.count() > kMostElements) return;
  const std::vector<std::uint32_t> stored_by = OwnerFinder(study, model).find();
  for (const auto& [event, box] :
       rectangles(stored_by, matrix.written, [](std::uint32_t event) { return event; })) {
    model.stored.push_back({event, box});
  }
  std::ranges::stable_sort(model.stored, {}, &StoredRect::event);
  const std::vector<std::uint32_t>& owner = model.owners;
  const auto warp_key = [](std::uint32_t who) { return who == kNobody ? who : who / 32; };
  for (const auto& [warp, box] : rectangles(owner, matrix.written, warp_key)) {
    model.warp_rects.push_back({box, static_cast<std::uint16_t>(warp), 0});
  }
  const auto thread_key = [](std::uint32_t who) { return who; };
  std::map<std::uint32_t, std::uint64_t> elements;
  for (const auto& [who, box] : rectangles(owner, matrix.written, thread_key)) {
    model.lane_rects.push_back(
        {box, static_cast<std::uint16_t>(who / 32), static_cast<std::uint8_t>(who % 32)});
    elements[who] += box.count();
  }
  for (const auto& [who, count] : elements) {
    model.elements_per_thread = std::max(model.elements_per_thread, count);
  }
  std::stable_sort(model.lane_rects.begin(), model.lane_rects.end(),
                   [](const OwnedRect& a, const OwnedRect& b) {
                     return a.warp != b.warp ? a.warp < b.warp : a.lane < b.lane;
                   });
}

constexpr std::uint64_t kMostCountedElements = 1u << 25;  // 64 MiB of counts
constexpr std::uint64_t kMostHeatCells = 1u << 24;        // a 4096 x 4096 matrix, cell by cell

TiledMatrix* matrix_of(TilingModel& model, std::uint64_t address) {
  for (TiledMatrix& matrix : model.matrices) {
    if (matrix.view.place(address)) return &matrix;
  }
  return nullptr;
}

std::uint64_t elements_wide(std::uint64_t bytes_per_lane, const MatrixView& view) {
  return std::max<std::uint64_t>(1, bytes_per_lane / size_of(view.type));
}

bool reads(const WarpAccess& access) {
  return access.kind != AccessKind::kStore && access.kind != AccessKind::kStmatrix;
}
bool writes(const WarpAccess& access) {
  return access.kind == AccessKind::kStore || access.kind == AccessKind::kAtomic ||
         access.kind == AccessKind::kStmatrix;
}

// Two lanes with the same element are no pair: they go nowhere.
void count_pair(const MatrixView::Place& from, const MatrixView::Place& to, std::uint64_t wide,
                LanePairs& pairs) {
  if (from.row == to.row && from.col != to.col) {
    ++pairs.along_row;
    const std::uint64_t apart = std::max(from.col, to.col) - std::min(from.col, to.col);
    if (apart > wide) ++pairs.strided;
  }
  if (from.row != to.row && from.col == to.col) ++pairs.down_column;
}

void find_reach(const KernelStudy& study, TilingModel& model) {
  for_each_global(study, [&](const TraceEvent&, const WarpAccess& access, std::uint32_t step) {
    const TiledMatrix* matrix_before = nullptr;  // of the lane before
    std::optional<MatrixView::Place> before;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = (access.active >> lane & 1U) != 0;
      TiledMatrix* matrix = active ? matrix_of(model, access.address[lane]) : nullptr;
      const bool beside = matrix != nullptr && matrix == matrix_before;
      matrix_before = matrix;
      if (matrix == nullptr) continue;
      const auto place = matrix->view.place(access.address[lane]);
      const std::uint64_t wide = elements_wide(access.bytes_per_lane, matrix->view);
      if (beside && reads(access)) count_pair(*before, *place, wide, matrix->read_pairs);
      if (beside && writes(access)) count_pair(*before, *place, wide, matrix->write_pairs);
      before = place;
      if (reads(access)) {
        matrix->read.add(place->row, place->col, wide);
        if (matrix->read_in_step.size() <= step) matrix->read_in_step.resize(model.steps);
        matrix->read_in_step[step].add(place->row, place->col, wide);
      }
      if (writes(access)) matrix->written.add(place->row, place->col, wide);
    }
  });
}

// A buffer without a role in the problem is an input or an output by what the block does with it.
void colour_by_use(TilingModel& model) {
  bool second = false;
  for (TiledMatrix& matrix : model.matrices) {
    if (matrix.view.role != Role::kNone) continue;
    if (!matrix.written.empty()) {
      matrix.view.colour = ColourRole::kThird;
    } else {
      matrix.view.colour = second ? ColourRole::kSecond : ColourRole::kFirst;
      second = !second;
    }
  }
}

void count_reads(const KernelStudy& study, TilingModel& model) {
  for (TiledMatrix& matrix : model.matrices) {
    if (matrix.read.count() <= kMostCountedElements) matrix.reads.resize(matrix.read.count());
  }
  for_each_global(study, [&](const TraceEvent&, const WarpAccess& access, std::uint32_t) {
    if (!reads(access)) return;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      TiledMatrix* matrix = matrix_of(model, access.address[lane]);
      if (matrix == nullptr) continue;
      const auto place = matrix->view.place(access.address[lane]);
      const std::uint64_t wide = elements_wide(access.bytes_per_lane, matrix->view);
      for (std::uint64_t i = 0; i < wide && !matrix->reads.empty(); ++i) {
        if (!matrix->read.contains(place->row, place->col + i)) break;
        std::uint16_t& count = matrix->reads[(place->row - matrix->read.row) * matrix->read.cols +
                                             place->col + i - matrix->read.col];
        if (count == 0) ++matrix->elements_read;
        if (count < std::numeric_limits<std::uint16_t>::max()) ++count;
        model.most_reads = std::max<std::uint32_t>(model.most_reads, count);
      }
      if (matrix->reads.empty()) matrix->elements_read += wide;
    }
  });
}

std::uint8_t heat_of(std::uint32_t reads, std::uint32_t most) {
  if (reads == 0) return 0;
  if (most <= 1) return kSingleReadHeat;
  const double share = std::log(static_cast<double>(reads)) / std::log(static_cast<double>(most));
  return static_cast<std::uint8_t>(1.0 + 254.0 * std::min(share, 1.0));
}

void make_heat(TiledMatrix& matrix, std::uint32_t most) {
  std::uint32_t factor = 1;
  const auto cells = [&](std::uint64_t extent) { return (extent + factor - 1) / factor; };
  while (cells(matrix.view.rows) * cells(matrix.view.cols) > kMostHeatCells) factor *= 2;
  matrix.cell_elements = factor;
  matrix.heat.rows = static_cast<std::uint32_t>(cells(matrix.view.rows));
  matrix.heat.cols = static_cast<std::uint32_t>(cells(matrix.view.cols));
  matrix.heat.tint = matrix.view.colour;
  auto heat = std::make_shared<std::vector<std::uint8_t>>(
      std::size_t{matrix.heat.rows} * matrix.heat.cols, std::uint8_t{0});
  for (std::uint64_t r = 0; r < matrix.read.rows; ++r) {
    for (std::uint64_t c = 0; c < matrix.read.cols; ++c) {
      const std::uint32_t count = matrix.reads.empty() ? 1 : matrix.reads[r * matrix.read.cols + c];
      const std::size_t cell =
          (matrix.read.row + r) / factor * matrix.heat.cols + (matrix.read.col + c) / factor;
      (*heat)[cell] = std::max((*heat)[cell], heat_of(count, most));
    }
  }
  matrix.heat.heat = std::move(heat);
}

// The device addresses among the launch's arguments, by where they stand in the parameter block.
std::map<std::uint32_t, std::uint64_t> argument_words(const KernelStudy& study) {
  std::map<std::uint32_t, std::uint64_t> words;
  ParameterIndex index;
  for (const LaunchArgument& argument : study.launch.arguments) {
    const KernelParameter& parameter = study.program->parameters()[index.next(argument.member)];
    words[parameter.offset + (argument.member ? argument.member->offset : 0)] = argument.bits;
  }
  return words;
}

// Which matrix each instruction reads, as far as the traced block shows it.
std::vector<const TiledMatrix*> matrices_of_trace(const KernelStudy& study, TilingModel& model) {
  std::vector<const TiledMatrix*> matrices(study.program->instructions().size());
  for_each_global(study, [&](const TraceEvent& event, const WarpAccess& access, std::uint32_t) {
    if (!reads(access) || matrices[event.instruction] != nullptr) return;
    const auto lane = static_cast<std::size_t>(std::countr_zero(access.active));
    matrices[event.instruction] = matrix_of(model, access.address[lane]);
  });
  return matrices;
}

// Those of instructions that other blocks execute: the matrix whose address they compute with.
void add_other_blocks(const KernelStudy& study, TilingModel& model,
                      std::vector<const TiledMatrix*>* matrices) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < matrices->size(); ++i) {
    const AccessKind access = study.program->instructions()[i].access;
    const bool writes = access == AccessKind::kStore || access == AccessKind::kStmatrix;
    const bool executed = study.counters->by_instruction[i].global_requests > 0;
    if (executed && !writes && (*matrices)[i] == nullptr) others.push_back(i);
  }
  if (others.empty()) return;
  const auto words = argument_words(study);
  const std::vector<AddressOrigin> origins = origins_of(*study.program, others);
  for (std::size_t i = 0; i < others.size(); ++i) {
    std::set<const TiledMatrix*> found;
    for (const std::uint32_t offset : origins[i].parameters) {
      const auto word = words.find(offset);
      if (word != words.end()) found.insert(matrix_of(model, word->second));
    }
    found.erase(nullptr);
    if (found.size() == 1) (*matrices)[others[i]] = *found.begin();
  }
}

// Those that the whole grid reads, 0 where that is not known. A catalogue's problem reads all of
// its matrices.
double elements_touched(const KernelStudy& study, const MatrixView& view) {
  const std::vector<Argument>& arguments = study.instance.arguments;
  const auto buffer = static_cast<std::size_t>(std::count_if(
      arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(view.argument),
      [](const Argument& argument) { return argument.is_pointer; }));
  if (buffer < study.counters->reach.size()) {
    return static_cast<double>(study.counters->reach[buffer].elements_read);
  }
  const Argument& argument = arguments[view.argument];
  return static_cast<double>(argument.rows) * static_cast<double>(argument.cols);
}

Movement movement_of(const KernelInstance& instance) {
  if (!instance.problem) return Movement::kOther;
  switch ((*instance.problem)->reference) {
    case ReferenceKind::kProduct:
      return Movement::kProduct;
    case ReferenceKind::kTranspose:
      return Movement::kTranspose;
    default:
      return Movement::kOther;
  }
}

void list_read_lines(const KernelStudy& study, const std::vector<const TiledMatrix*>& matrices,
                     TilingModel& model) {
  for (TiledMatrix& matrix : model.matrices) {
    std::set<std::uint32_t> lines;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (matrices[i] == &matrix) lines.insert(study.program->instructions()[i].outermost.line);
    }
    matrix.read_lines.assign(lines.begin(), lines.end());
  }
}

}  // namespace

std::uint32_t TiledMatrix::reads_of(std::uint64_t row, std::uint64_t col) const {
  if (!read.contains(row, col) || reads.empty()) return 0;
  return reads[(row - read.row) * read.cols + col - read.col];
}

std::uint32_t TilingModel::owner_of(std::uint64_t row, std::uint64_t col) const {
  if (!output || owners.empty()) return kNobody;
  const ElementBox& tile = matrices[*output].written;
  if (!tile.contains(row, col)) return kNobody;
  return owners[(row - tile.row) * tile.cols + col - tile.col];
}

std::uint32_t TilingModel::store_line_of(std::uint64_t row, std::uint64_t col) const {
  const ElementBox& tile = matrices[*output].written;
  return store_lines[(row - tile.row) * tile.cols + col - tile.col];
}

const TiledMatrix* TilingModel::find(Role role) const {
  for (const TiledMatrix& matrix : matrices) {
    if (matrix.view.role == role) return &matrix;
  }
  return nullptr;
}

void count_grid_reads(const KernelStudy& study, TilingModel* model) {
  std::vector<const TiledMatrix*> matrices = matrices_of_trace(study, *model);
  list_read_lines(study, matrices, *model);
  if (!study.counters) return;
  add_other_blocks(study, *model, &matrices);
  for (TiledMatrix& matrix : model->matrices) {
    std::uint64_t elements = 0;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (matrices[i] != &matrix) continue;
      const StaticInstruction& instruction = study.program->instructions()[i];
      elements += study.counters->by_instruction[i].lanes *
                  elements_wide(instruction.bytes_per_lane, matrix.view);
    }
    const double touched = elements_touched(study, matrix.view);
    matrix.grid_reads_per_element = touched > 0 ? static_cast<double>(elements) / touched : 0;
  }
}

TilingModel tiling_model_of(const KernelStudy& study) {
  TilingModel model;
  model.movement = movement_of(study.instance);
  std::vector<MatrixView> views = matrix_views(study);
  model.boxes = bulk_boxes(*study.trace, views);
  for (MatrixView& view : views) {
    TiledMatrix matrix;
    matrix.view = std::move(view);
    model.matrices.push_back(std::move(matrix));
  }
  for (const auto& steps : study.timeline->warp_steps) {
    model.steps = std::max(model.steps, static_cast<std::uint32_t>(steps.size()));
  }
  model.uses_shared = !model.boxes.empty();
  for (const StaticInstruction& instruction : study.program->instructions()) {
    model.uses_shared |= instruction.space == MemorySpace::kShared;
  }
  find_reach(study, model);
  colour_by_use(model);
  count_reads(study, model);
  for (TiledMatrix& matrix : model.matrices) {
    matrix.read_in_step.resize(model.steps);
    make_heat(matrix, model.most_reads);
  }
  count_grid_reads(study, &model);
  std::uint64_t most_written = 0;
  for (std::size_t i = 0; i < model.matrices.size(); ++i) {
    const std::uint64_t written = model.matrices[i].written.count();
    if (written <= most_written) continue;
    most_written = written;
    model.output = i;
  }
  if (model.output) {
    const TiledMatrix& output = model.matrices[*model.output];
    model.full_tile = full_tile(output.written, output.view, study.trace->block, study.launch.grid);
    find_tile_owners(study, model);
  }
  return model;
}

namespace {

class StepsOfBlock {
 public:
  explicit StepsOfBlock(const KernelStudy& study) : study_(study) {}
  [[nodiscard]] std::uint32_t of(std::uint32_t event) const {
    return study_.timeline->step_of(study_.trace->events[event].warp, event);
  }

 private:
  const KernelStudy& study_;
};

// Whether each tile is in use in the step that would multiply it.
bool is_multiplied_in_turn(const RingModel& ring, const StepsOfBlock& steps,
                           std::uint32_t filling) {
  for (std::uint32_t i = 0; i < ring.fills.size(); ++i) {
    const RingFill& fill = ring.fills[i];
    if (fill.first_read == RingFill::kNever) return false;
    const std::uint32_t turn = i + filling;
    if (steps.of(fill.first_read) > turn) return false;
    if (fill.used_until != RingFill::kNever && steps.of(fill.used_until) < turn) return false;
  }
  return true;
}

}  // namespace

std::optional<std::uint32_t> StepTiles::multiplied_in(std::uint32_t step) const {
  if (step < filling || step - filling >= count) return std::nullopt;
  return step - filling;
}

std::optional<StepTiles::Brought> StepTiles::brought_in(std::uint32_t step) const {
  return step < brought.size() ? brought[step] : std::nullopt;
}

StepTiles step_tiles_of(const KernelStudy& study, const RingModel& ring, std::uint32_t steps) {
  const auto count = static_cast<std::uint32_t>(ring.fills.size());
  if (count < 2 || count > steps) return {};
  const StepsOfBlock step_of(study);
  StepTiles tiles;
  tiles.filling = steps - count;
  if (!is_multiplied_in_turn(ring, step_of, tiles.filling)) return {};
  tiles.count = count;
  tiles.brought.resize(steps);
  for (std::uint32_t i = 0; i < count; ++i) {
    const RingFill& fill = ring.fills[i];
    const std::uint32_t event = fill.loads.empty() ? fill.writes.front() : fill.loads.front();
    auto& brought = tiles.brought[std::min(step_of.of(event), steps - 1)];
    brought = StepTiles::Brought{brought ? std::min(brought->first, i) : i, i};
  }
  return tiles;
}

std::string step_in_words(const StepTiles& tiles, std::uint32_t step, std::size_t steps) {
  if (tiles.count == 0) {
    return fmt::format("step {} of {}", format_count(std::uint64_t{step} + 1), format_count(steps));
  }
  if (const auto tile = tiles.multiplied_in(step)) {
    return fmt::format("tile {} of 0…{}", *tile, tiles.count - 1);
  }
  return fmt::format("filling, {} of {}", step + 1, tiles.filling);
}

}  // namespace tilescope
