#include "scene/prepared.h"

#include <algorithm>
#include <string_view>

#include "scene/banks/shared_layout.h"
#include "scene/divergence/lane_model.h"
#include "scene/prepared_access.h"
#include "scene/tiling/copy_flow.h"
#include "scene/tiling/problem_of.h"
#include "scene/tiling/tiling_model.h"

namespace tilescope {
namespace {

void index_accesses(const KernelStudy& study, PreparedStudy& prepared) {
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  std::uint64_t cost = 0;
  std::uint64_t excess = 0;
  for (const std::uint32_t index : study.timeline->memory_events) {
    prepared.cost_before.push_back(cost);
    prepared.excess_before.push_back(excess);
    const TraceEvent& event = study.trace->events[index];
    if (event.warp >= prepared.warps.size()) prepared.warps.resize(event.warp + 1u);
    const bool two = instructions[event.instruction].access == AccessKind::kAsyncCopy;
    for (std::uint32_t i = 0; i < (two ? 2u : 1u); ++i) {
      const WarpAccess access = study.trace->access(event.access + i);
      if (access.space == MemorySpace::kGlobal) {
        const SectorCost sectors = sector_cost(access);
        cost += static_cast<std::uint64_t>(sectors.sectors);
        excess += static_cast<std::uint64_t>(std::max(sectors.sectors - sectors.ideal_sectors, 0));
        prepared.warps[event.warp].global.push_back(index);
      } else if (access.space == MemorySpace::kShared) {
        const WavefrontCost wavefronts = wavefront_cost(access);
        cost += static_cast<std::uint64_t>(wavefronts.wavefronts);
        excess += static_cast<std::uint64_t>(std::max(wavefronts.conflicts(), 0));
        prepared.warps[event.warp].shared.push_back(index);
      }
    }
  }
  prepared.cost_before.push_back(cost);
  prepared.excess_before.push_back(excess);
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

std::shared_ptr<const PreparedStudy> prepare(const KernelStudy& study) {
  auto prepared = std::make_shared<PreparedStudy>();
  index_accesses(study, *prepared);
  list_global_lines(study, *prepared);
  keep_source(study, *prepared);
  auto flow = std::make_shared<const CopyFlow>(copy_flow_of(study));
  prepared->shared = std::make_shared<const SharedLayout>(shared_layout_of(study, *flow));
  auto tiling = std::make_shared<TilingModel>(tiling_model_of(study));
  find_problem(study, *flow, *tiling);
  tiling->ring = ring_model_of(study, *flow);
  if (tiling->problem == Problem::kGemm) {
    tiling->by_tile = step_tiles_of(study, tiling->ring, tiling->steps);
  }
  prepared->tiling = std::move(tiling);
  prepared->flow = std::move(flow);
  prepared->static_shared = StaticShared(study);
  prepared->loads = loads_of(study);
  prepared->lanes = std::make_shared<const LaneModel>(lane_model_of(study));
  if (auto diagnosis = diagnose(study)) {
    prepared->diagnosis = std::make_shared<const Diagnosis>(*std::move(diagnosis));
  }
  return prepared;
}

}  // namespace tilescope
