#include "scene/banks/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/shared_declarations.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kBankRow = 32;

Origin first_origin(const CopyFlow& flow, std::uint64_t word) {
  if (word >= flow.shared.size()) return {};
  for (const CopyFlow::SharedWrite& write : flow.shared[word]) {
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

// The distance at which the next row of the array begins, from the elements that lie in it: the
// matrix runs along the array's rows by column, or by row when it was transposed on the way.
void find_pitch(const CopyFlow& flow, SharedRegion& region) {
  const std::uint64_t end = region.first_word + region.words;
  const Origin first = first_origin(flow, region.first_word);
  const Origin second = first_origin(flow, region.first_word + 1);
  region.pitch_words = kBankRow;
  region.used_words = kBankRow;
  if (!first.known() || !second.known() || first.matrix() != second.matrix()) return;
  const Place2d a = place_of(flow, first);
  const Place2d b = place_of(flow, second);
  const bool along_columns = b.row == a.row && b.col == a.col + 1;
  const bool along_rows = b.col == a.col && b.row == a.row + 1;
  if (!along_columns && !along_rows) return;
  std::uint64_t run = 1;
  for (std::uint64_t word = region.first_word + 1; word < end; ++word, ++run) {
    const Origin origin = first_origin(flow, word);
    if (!origin.known() || origin.matrix() != first.matrix()) break;
    const Place2d at = place_of(flow, origin);
    if (along_columns ? at.row != a.row || at.col != a.col + run
                      : at.col != a.col || at.row != a.row + run) {
      break;
    }
  }
  region.used_words = run;
  for (std::uint64_t word = region.first_word + run; word < end; ++word) {
    const Origin origin = first_origin(flow, word);
    if (!origin.known() || origin.matrix() != first.matrix()) continue;
    const Place2d at = place_of(flow, origin);
    if (along_columns ? at.col == a.col : at.row == a.row) {
      region.pitch_words = word - region.first_word;
      region.pitch_known = true;
      return;
    }
  }
  region.pitch_words = region.words;  // a single row
  region.pitch_known = true;
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
  const auto dimensions = source_dimensions(study, variable.name);
  if (!dimensions || dimensions->size() < 2 || dimensions->back() <= 0) return region;
  std::uint64_t elements = 1;
  std::string extents;
  for (const std::int64_t extent : *dimensions) {
    extents += fmt::format("[{}]", extent);
    elements *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
  }
  const std::uint64_t element_bytes = variable.bytes / std::max<std::uint64_t>(elements, 1);
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

}  // namespace

const SharedRegion* SharedLayout::region_at(std::uint64_t byte_address) const {
  const std::uint64_t word = byte_address / 4;
  for (const SharedRegion& region : regions) {
    if (region.contains(word)) return &region;
  }
  return nullptr;
}

SharedLayout shared_layout_of(const KernelStudy& study, const CopyFlow& flow) {
  SharedLayout layout;
  layout.accesses = first_accesses(study);
  std::uint64_t end_of_static = 0;
  if (study.compiled) {
    for (const SharedVariable& variable : shared_variables(study.compiled->ptx)) {
      layout.regions.push_back(declared_region(study, flow, variable));
      end_of_static = std::max(end_of_static, (variable.offset + variable.bytes + 3) / 4);
    }
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
  if (dynamic.size() == 1 && study.compiled) {
    const std::string name = dynamic_shared_name(study.compiled->ptx);
    if (!name.empty()) dynamic.front().name = dynamic.front().declaration = name;
  }
  layout.regions.insert(layout.regions.end(), dynamic.begin(), dynamic.end());
  return layout;
}

}  // namespace tilescope
