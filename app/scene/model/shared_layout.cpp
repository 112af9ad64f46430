#include "scene/model/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/memory/bank_conflicts.h"
#include "analysis/study/static_shared.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kBankRow = 32;

Origin first_origin(const CopyFlow& flow, std::uint64_t word) {
  if (word >= flow.shared.size()) return {};
  for (const SharedHistory::Write& write : flow.shared[word]) {
    if (write.origin.known()) return write.origin;
  }
  return {};
}

struct Place2d {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
};
Place2d place_of(const CopyFlow& flow, Origin origin) {
  const std::uint64_t leading = flow.matrices[origin.matrix()].leading;
  return {origin.element() / leading, origin.element() % leading};
}

// Elements of the matrix in a word of shared memory.
std::uint64_t elements_per_word(const CopyFlow& flow, Origin origin) {
  return std::max<std::uint64_t>(4 / size_of(flow.matrices[origin.matrix()].type), 1);
}

// How a region's rows run through the matrix that lies in it: by column, or by row when it was
// transposed on the way.
struct Run {
  const CopyFlow& flow;
  Origin first;
  bool along_columns = false;
  std::uint64_t step = 1;  // elements from a word to the next

  // Which row or column of the matrix a row of the region is of, and how far along it.
  [[nodiscard]] std::uint64_t across(Origin origin) const {
    const Place2d at = place_of(flow, origin);
    return along_columns ? at.row : at.col;
  }
  [[nodiscard]] std::uint64_t along(Origin origin) const {
    const Place2d at = place_of(flow, origin);
    return along_columns ? at.col : at.row;
  }
  [[nodiscard]] bool holds(Origin origin) const {
    return origin.known() && origin.matrix() == first.matrix();
  }
};

std::optional<Run> run_of(const CopyFlow& flow, const SharedRegion& region) {
  const Origin first = first_origin(flow, region.first_word);
  const Origin second = first_origin(flow, region.first_word + 1);
  if (!first.known() || !second.known() || first.matrix() != second.matrix()) return std::nullopt;
  const Place2d a = place_of(flow, first);
  const Place2d b = place_of(flow, second);
  const std::uint64_t step = elements_per_word(flow, first);
  const bool along_columns = b.row == a.row && b.col == a.col + step;
  const bool along_rows = step == 1 && b.col == a.col && b.row == a.row + 1;
  if (!along_columns && !along_rows) return std::nullopt;
  return Run{flow, first, along_columns, step};
}

// Whether the words of each row stand in the order of the elements that they hold.
bool rows_in_order(const Run& run, const SharedRegion& region) {
  for (std::uint64_t row = 0; row < region.rows(); ++row) {
    const std::uint64_t begin = region.first_word + row * region.pitch_words;
    std::optional<std::uint64_t> before;  // of the last word that holds one
    for (std::uint64_t col = 0; col < region.used_words; ++col) {
      const Origin origin = first_origin(run.flow, begin + col);
      if (!run.holds(origin)) continue;
      const std::uint64_t at = run.along(origin);
      if (before && at < *before) return false;
      before = at;
    }
  }
  return true;
}

// Whether the region's rows, of as many bytes as the swizzle's pattern is wide, are in order once
// it is undone, and not before.
bool lies_in_swizzle(const CopyFlow& flow, const SharedRegion& region, unsigned swizzle_bytes) {
  const std::uint64_t row_words = swizzle_bytes / 4;
  bool moved = false;
  std::optional<Origin> before;
  const std::uint64_t end = region.first_word + region.words;
  for (std::uint64_t word = region.first_word; word < end; ++word) {
    const std::uint64_t place = swizzled_byte(word * 4, swizzle_bytes) / 4;
    const Origin origin = first_origin(flow, place);
    const bool begins = (word - region.first_word) % row_words == 0;
    if (!origin.known() || place >= end || place < region.first_word) return false;
    if (!begins) {
      const std::uint64_t step = elements_per_word(flow, origin);
      if (origin.matrix() != before->matrix() || origin.element() != before->element() + step)
        return false;
    }
    moved |= place != word;
    before = origin;
  }
  return moved;
}

// The distance at which the next row of the array begins, from the elements that lie in it.
void find_pitch(const CopyFlow& flow, SharedRegion& region) {
  const std::uint64_t end = region.first_word + region.words;
  region.pitch_words = kBankRow;
  region.used_words = kBankRow;
  const auto run = run_of(flow, region);
  if (!run) return;
  region.element_bytes = size_of(flow.matrices[run->first.matrix()].type);
  const std::uint64_t across = run->across(run->first);
  const std::uint64_t along = run->along(run->first);
  std::uint64_t words = 1;
  for (std::uint64_t word = region.first_word + 1; word < end; ++word, ++words) {
    const Origin origin = first_origin(flow, word);
    if (!run->holds(origin)) break;
    if (run->across(origin) != across || run->along(origin) != along + words * run->step) break;
  }
  region.used_words = words;
  region.pitch_known = true;
  region.pitch_words = region.words;  // a single row, unless there is another
  for (std::uint64_t word = region.first_word + words; word < end; ++word) {
    const Origin origin = first_origin(flow, word);
    if (!run->holds(origin) || run->across(origin) == across) continue;
    region.pitch_words = word - region.first_word;
    return;
  }
}

// Neighbouring words that hold the same matrix, gaps (padding) included.
std::vector<SharedRegion> regions_by_content(const CopyFlow& flow, std::uint64_t first,
                                             std::uint64_t end) {
  std::vector<SharedRegion> regions;
  std::size_t matrix = 0;
  std::uint64_t last_known = 0;
  for (std::uint64_t word = first; word < end; ++word) {
    const Origin origin = first_origin(flow, word);
    if (!origin.known()) continue;
    if (regions.empty() || origin.matrix() != matrix) {
      SharedRegion region;
      region.first_word = word;
      region.name = flow.matrices[origin.matrix()].name;
      if (!regions.empty()) regions.back().words = last_known + 1 - regions.back().first_word;
      regions.push_back(std::move(region));
      matrix = origin.matrix();
    }
    last_known = word;
  }
  if (!regions.empty()) regions.back().words = last_known + 1 - regions.back().first_word;
  return regions;
}

void number_stages(std::vector<SharedRegion>& regions) {
  std::map<std::string, int> count;
  for (SharedRegion& region : regions) region.stage = count[region.name]++;
  for (SharedRegion& region : regions) region.stages = count[region.name];
}

SharedRegion declared_region(const KernelStudy& study, const CopyFlow& flow,
                             const SharedVariable& variable) {
  SharedRegion region;
  region.name = variable.name;
  region.declaration = variable.name;
  region.first_word = variable.offset / 4;
  region.words = (variable.bytes + 3) / 4;
  find_pitch(flow, region);
  const auto dimensions = source_dimensions(study, variable);
  if (!dimensions || dimensions->size() < 2 || dimensions->back() <= 0) return region;
  std::uint64_t elements = 1;
  std::string extents;
  for (const std::int64_t extent : *dimensions) {
    extents += fmt::format("[{}]", extent);
    elements *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
  }
  const std::uint64_t element_bytes = variable.bytes / std::max<std::uint64_t>(elements, 1);
  region.element_bytes = element_bytes;
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(dimensions->back()) * element_bytes;
  // One of several declarations, of which the preprocessor took another.
  if (elements * element_bytes != variable.bytes) return region;
  region.declaration += extents;
  if (row_bytes % 4 != 0) return region;
  const std::uint64_t used = region.pitch_known ? region.used_words : row_bytes / 4;
  region.pitch_words = row_bytes / 4;
  region.used_words = std::min(used, region.pitch_words);
  region.pitch_known = true;
  return region;
}

// Of another block's copy that is not known.
bool is_tensor_load(const KernelStudy& study, const BulkCopy& copy) {
  if (copy.lane >= kWarpSize || copy.event >= study.trace->events.size()) return false;
  const TraceEvent& event = study.trace->events[copy.event];
  return study.program->instructions()[event.instruction].operation == Operation::kTensorLoad;
}

void find_swizzle(const CopyFlow& flow, SharedRegion& region) {
  for (const unsigned bytes : {128u, 64u, 32u}) {
    if (!lies_in_swizzle(flow, region, bytes)) continue;
    region.swizzle_bytes = bytes;
    region.pitch_words = region.used_words = bytes / 4;
    return;
  }
}

std::vector<std::uint32_t> first_accesses(const KernelStudy& study) {
  constexpr std::size_t kMost = 48;
  std::vector<std::uint32_t> accesses;
  std::vector<bool> seen(study.program->instructions().size());
  for (const std::uint32_t index : study.timeline->memory_events) {
    const TraceEvent& event = study.trace->events[index];
    if (event.warp != 0 || seen[event.instruction]) continue;
    seen[event.instruction] = true;
    const StaticInstruction& instruction = study.program->instructions()[event.instruction];
    const bool shared = instruction.access == AccessKind::kAsyncCopy ||
                        study.trace->access(event.access).space == MemorySpace::kShared;
    if (shared) accesses.push_back(index);
    if (accesses.size() == kMost) break;
  }
  return accesses;
}

// All but moved_in_rows.
SharedLayout divided(const KernelStudy& study, const CopyFlow& flow) {
  SharedLayout layout;
  layout.accesses = first_accesses(study);
  std::uint64_t end_of_static = 0;
  for (const SharedVariable& variable : shared_variables(*study.program)) {
    if (variable.bytes == 0) continue;  // begins where the others end
    layout.regions.push_back(declared_region(study, flow, variable));
    end_of_static = std::max(end_of_static, (variable.offset + variable.bytes + 3) / 4);
  }
  const std::uint64_t dynamic_end = std::max<std::uint64_t>(
      flow.shared.size(), end_of_static + study.launch.dynamic_shared_bytes / 4);
  if (dynamic_end <= end_of_static) return layout;
  std::vector<SharedRegion> dynamic = regions_by_content(flow, end_of_static, dynamic_end);
  for (SharedRegion& region : dynamic) {
    find_pitch(flow, region);
    // What was rounded off at the end belongs to the last row's padding.
    if (region.pitch_known && region.pitch_words > 0) {
      region.words =
          (region.words + region.pitch_words - 1) / region.pitch_words * region.pitch_words;
    }
  }
  number_stages(dynamic);
  if (dynamic.empty()) {
    SharedRegion whole;
    whole.name = whole.declaration = "shared memory";
    whole.first_word = end_of_static;
    whole.words = dynamic_end - end_of_static;
    whole.pitch_words = whole.used_words = kBankRow;
    dynamic.push_back(std::move(whole));
  }
  if (dynamic.size() == 1) {
    const std::string name = dynamic_shared_name(*study.program);
    if (!name.empty()) dynamic.front().name = dynamic.front().declaration = name;
  }
  layout.regions.insert(layout.regions.end(), dynamic.begin(), dynamic.end());
  return layout;
}

}  // namespace

std::uint64_t swizzled_byte(std::uint64_t byte, unsigned swizzle_bytes) {
  constexpr std::uint64_t kPattern = 128;  // bytes of a row of the pattern
  constexpr std::uint64_t kChunk = 16;     // that moves as a whole
  if (swizzle_bytes == 0) return byte;
  return byte ^ byte / kPattern % (swizzle_bytes / kChunk) * kChunk;
}

const SharedRegion* SharedLayout::region_at(std::uint64_t byte_address) const {
  const std::uint64_t word = byte_address / 4;
  for (const SharedRegion& region : regions) {
    if (region.contains(word)) return &region;
  }
  return nullptr;
}

SharedLayout shared_layout_of(const KernelStudy& study, const CopyFlow& flow) {
  SharedLayout layout = divided(study, flow);
  for (SharedRegion& region : layout.regions) {
    const auto run = region.pitch_known ? run_of(flow, region) : std::nullopt;
    region.moved_in_rows = run && !rows_in_order(*run, region);
    if (region.moved_in_rows) find_swizzle(flow, region);
    region.by_tensor_copies =
        std::ranges::any_of(study.trace->bulk_copies, [&](const BulkCopy& copy) {
          return is_tensor_load(study, copy) && region.contains(copy.shared / 4);
        });
  }
  return layout;
}

WavefrontCost SharedCost::cost_at(const WarpAccess& elsewhere) const {
  if (!copy) return wavefront_cost(elsewhere);
  return async_copy_cost(copy->source, elsewhere, copy->variant).writes;
}

SharedCost shared_cost(const KernelStudy& study, std::uint32_t event) {
  const TraceEvent& traced = study.trace->events[event];
  const StaticInstruction& instruction = study.program->instructions()[traced.instruction];
  SharedCost shared;
  shared.access = study.trace->access(traced.access);
  if (instruction.access == AccessKind::kAsyncCopy) {
    const WarpAccess source = shared.access;
    shared.access = study.trace->access(traced.access + 1);
    shared.copy = SharedCost::Copy{source, instruction.variant, source_lines(source)};
  }
  shared.cost = shared.cost_at(shared.access);
  shared.lanes_meet = shared.cost.conflicts() > 0 && wavefront_cost(shared.access).conflicts() > 0;
  return shared;
}

}  // namespace tilescope
