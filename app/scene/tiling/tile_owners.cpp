#include "scene/tiling/tile_owners.h"

#include <algorithm>
#include <map>

namespace tilescope {
namespace {

constexpr std::uint64_t kMostElements = 1u << 20;
constexpr std::uint32_t kNobody = TilingModel::kNobody;

// The thread (warp * 32 + lane) that stored each element of the tile last, and on which line.
// And returns the event that did.
std::vector<std::uint32_t> find_owners(const KernelStudy& study, TilingModel& model) {
  const TiledMatrix& matrix = model.matrices[*model.output];
  const ElementBox& tile = matrix.written;
  model.owners.assign(tile.count(), kNobody);
  model.store_lines.assign(tile.count(), 0);
  std::vector<std::uint32_t> stored_by(tile.count(), kNobody);  // event
  for (const std::uint32_t index : study.timeline->memory_events) {
    const TraceEvent& event = study.trace->events[index];
    const StaticInstruction& instruction = study.program->instructions()[event.instruction];
    const AccessKind kind = instruction.access;
    if (kind != AccessKind::kStore && kind != AccessKind::kAtomic) continue;
    const WarpAccess access = study.trace->access(event.access);
    if (access.space != MemorySpace::kGlobal) continue;
    const std::uint64_t wide =
        std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(matrix.view.type));
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const auto place = matrix.view.place(access.address[lane]);
      if (!place) continue;
      for (std::uint64_t i = 0; i < wide && tile.contains(place->row, place->col + i); ++i) {
        const std::uint64_t at = (place->row - tile.row) * tile.cols + place->col + i - tile.col;
        model.owners[at] = event.warp * 32u + lane;
        model.store_lines[at] = instruction.outermost.line;
        stored_by[at] = index;
      }
    }
  }
  return stored_by;
}

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

}  // namespace

void find_tile_owners(const KernelStudy& study, TilingModel& model) {
  const TiledMatrix& matrix = model.matrices[*model.output];
  if (matrix.written.count() > kMostElements) return;
  const std::vector<std::uint32_t> stored_by = find_owners(study, model);
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

}  // namespace tilescope
