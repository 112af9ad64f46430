#include "scene/tiling/tiling_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "emulator/checks/address_origin.h"
#include "scene/tiling/full_tile.h"
#include "scene/tiling/global_accesses.h"
#include "scene/tiling/tile_owners.h"

namespace tilescope {
namespace {

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
void count_pair(const MatrixView::Place& from, const MatrixView::Place& to, LanePairs& pairs) {
  if (from.row == to.row && from.col != to.col) ++pairs.along_row;
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
      if (beside && reads(access)) count_pair(*before, *place, matrix->read_pairs);
      if (beside && writes(access)) count_pair(*before, *place, matrix->write_pairs);
      before = place;
      const std::uint64_t wide = elements_wide(access.bytes_per_lane, matrix->view);
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
  if (arguments[view.argument].rows == 0) return 0;
  return static_cast<double>(view.rows) * static_cast<double>(view.cols);
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
  model.problem = study.instance.problem;
  for (MatrixView& view : matrix_views(study)) {
    TiledMatrix matrix;
    matrix.view = std::move(view);
    model.matrices.push_back(std::move(matrix));
  }
  for (const auto& steps : study.timeline->warp_steps) {
    model.steps = std::max(model.steps, static_cast<std::uint32_t>(steps.size()));
  }
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

}  // namespace tilescope
