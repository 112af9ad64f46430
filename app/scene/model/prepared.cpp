#include "scene/model/prepared.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "core/parallel.h"
#include "scene/model/copy_flow.h"
#include "scene/model/lane_model.h"
#include "scene/model/problem_of.h"
#include "scene/model/shared_layout.h"
#include "scene/model/tiling_model.h"

namespace tilescope {
namespace {

// What an access costs beyond the ideal, and in all: sectors of global memory, wavefronts of
// shared.
struct AccessCost {
  std::uint64_t cost = 0;
  std::uint64_t excess = 0;
};

AccessCost cost_of(const WarpAccess& access) {
  AccessCost found;
  if (access.space == MemorySpace::kGlobal) {
    const SectorCost sectors = sector_cost(access);
    found.cost = static_cast<std::uint64_t>(sectors.sectors);
    found.excess = static_cast<std::uint64_t>(std::max(sectors.sectors - sectors.ideal_sectors, 0));
  } else if (access.space == MemorySpace::kShared) {
    const WavefrontCost wavefronts = wavefront_cost(access);
    found.cost = static_cast<std::uint64_t>(wavefronts.wavefronts);
    found.excess = static_cast<std::uint64_t>(std::max(wavefronts.conflicts(), 0));
  }
  return found;
}

// Accesses that differ by a multiple of 128 bytes alone, a line or all banks, cost the same.
class AccessCosts {
 public:
  explicit AccessCosts(const BlockTrace& trace) : trace_(trace) {}

  AccessCost of(std::uint32_t index, const AccessOutline& outline) {
    if (by_shape_.size() <= outline.shape) by_shape_.resize(outline.shape + std::size_t{1});
    const std::uint64_t offset = outline.first_address % kLineBytes;
    for (const auto& [known, cost] : by_shape_[outline.shape]) {
      if (known == offset) return cost;
    }
    return by_shape_[outline.shape].emplace_back(offset, cost_of(trace_.access(index))).second;
  }

 private:
  const BlockTrace& trace_;
  std::vector<std::vector<std::pair<std::uint64_t, AccessCost>>> by_shape_;
};

void index_accesses(const KernelStudy& study, PreparedStudy& prepared) {
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  const std::vector<std::uint32_t>& memory_events = study.timeline->memory_events;
  AccessCosts costs(*study.trace);
  AccessCost sum;
  prepared.cost_before.reserve(memory_events.size() + 1);
  prepared.excess_before.reserve(memory_events.size() + 1);
  for (const std::uint32_t index : memory_events) {
    prepared.cost_before.push_back(sum.cost);
    prepared.excess_before.push_back(sum.excess);
    const TraceEvent& event = study.trace->events[index];
    if (event.warp >= prepared.warps.size()) prepared.warps.resize(event.warp + 1u);
    PreparedStudy::WarpAccesses& warp = prepared.warps[event.warp];
    const bool two = instructions[event.instruction].access == AccessKind::kAsyncCopy;
    for (std::uint32_t i = 0; i < (two ? 2u : 1u); ++i) {
      const AccessOutline outline = study.trace->outline(event.access + i);
      const AccessCost one = costs.of(event.access + i, outline);
      sum.cost += one.cost;
      sum.excess += one.excess;
      if (outline.space == MemorySpace::kGlobal) warp.global.push_back(index);
      if (outline.space == MemorySpace::kShared) warp.shared.push_back(index);
    }
  }
  prepared.cost_before.push_back(sum.cost);
  prepared.excess_before.push_back(sum.excess);
}

void list_global_lines(const KernelStudy& study, PreparedStudy& prepared) {
  if (!study.counters) return;
  for (const LineCounters& row : counters_by_line(*study.program, *study.counters)) {
    if (row.memory.requests == 0 || row.memory.sectors == 0) continue;
    prepared.global_lines.push_back({row.line.line, row.line.file, row.access, row.memory});
  }
  std::stable_sort(prepared.global_lines.begin(), prepared.global_lines.end(),
                   [](const GlobalLine& a, const GlobalLine& b) {
                     if (a.excess() != b.excess()) return a.excess() > b.excess();
                     return a.counters.sectors > b.counters.sectors;
                   });
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// The text of the file that the study was made from; includes stay unknown.
void keep_source(const KernelStudy& study, PreparedStudy& prepared) {
  const std::vector<std::string>& files = study.program->files();
  prepared.source_lines.resize(std::max<std::size_t>(files.size(), 1));
  const std::string& own = study.instance.file_name;
  const std::string base = own.substr(own.find_last_of('/') + 1);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].ends_with(base)) prepared.source_lines[i] = split_lines(study.instance.source);
  }
}

OutstandingLoads loads_of(const KernelStudy& study) {
  if (study.issued && study.issued_counters) {
    return outstanding_loads(*study.issued, *study.issued_counters);
  }
  return study.counters ? outstanding_loads(*study.program, *study.counters) : OutstandingLoads{};
}

}  // namespace

PreparedStudy::PreparedStudy() = default;
PreparedStudy::~PreparedStudy() = default;

std::string source_text(const PreparedStudy& prepared, SourceLine place) {
  if (place.file >= prepared.source_lines.size()) return {};
  const std::vector<std::string>& lines = prepared.source_lines[place.file];
  if (place.line == 0 || place.line > lines.size()) return {};
  const std::string& text = lines[place.line - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first);
}

namespace {

// What changes with the counters and the machine code, which come later than the trace.
void add_later_parts(const KernelStudy& study, PreparedStudy& prepared) {
  list_global_lines(study, prepared);
  prepared.loads = loads_of(study);
  if (auto diagnosis = diagnose(study)) {
    prepared.diagnosis = std::make_shared<const Diagnosis>(*std::move(diagnosis));
  }
}

}  // namespace

std::shared_ptr<const PreparedStudy> prepare(const KernelStudy& study) {
  auto prepared = std::make_shared<PreparedStudy>();
  auto tiling = std::make_shared<TilingModel>();
  auto flow = std::make_shared<CopyFlow>();
  RingModel ring;
  // Each reads the trace by itself; the longest first.
  const std::array<std::function<void()>, 4> parts = {
      [&] {
        *flow = copy_flow_of(study);
        prepared->shared = std::make_shared<const SharedLayout>(shared_layout_of(study, *flow));
        ring = ring_model_of(study, *flow);
      },
      [&] { prepared->lanes = std::make_shared<const LaneModel>(lane_model_of(study)); },
      [&] { *tiling = tiling_model_of(study); }, [&] { index_accesses(study, *prepared); }};
  for_each_parallel(parts.size(), processor_count(), [&](std::size_t i) { parts[i](); });
  find_problem(study, *flow, *tiling);
  tiling->ring = std::move(ring);
  if (tiling->movement == Movement::kProduct) {
    tiling->by_tile = step_tiles_of(study, tiling->ring, tiling->steps);
  }
  prepared->tiling = std::move(tiling);
  prepared->flow = std::move(flow);
  prepared->static_shared = StaticShared(study);
  keep_source(study, *prepared);
  add_later_parts(study, *prepared);
  return prepared;
}

std::shared_ptr<const PreparedStudy> prepare_again(const KernelStudy& study,
                                                   const PreparedStudy& before) {
  auto prepared = std::make_shared<PreparedStudy>();
  prepared->warps = before.warps;
  prepared->cost_before = before.cost_before;
  prepared->excess_before = before.excess_before;
  prepared->source_lines = before.source_lines;
  prepared->shared = before.shared;
  prepared->flow = before.flow;
  prepared->static_shared = before.static_shared;
  prepared->lanes = before.lanes;
  auto tiling = std::make_shared<TilingModel>(*before.tiling);
  count_grid_reads(study, tiling.get());
  prepared->tiling = std::move(tiling);
  add_later_parts(study, *prepared);
  return prepared;
}

}  // namespace tilescope
