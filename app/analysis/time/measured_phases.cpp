#include "analysis/time/measured_phases.h"

#include <algorithm>
#include <map>
#include <string>

#include "emulator/source_phases.h"

namespace tilescope {
namespace {

// The phase of each line that has a mark.
std::map<std::uint32_t, std::int16_t> marked_phases(const Program& program,
                                                    const KernelInstance& instance) {
  const std::vector<std::string>& names = program.phases();
  std::map<std::uint32_t, std::int16_t> phases;
  for (const PhaseMarker& marker : find_phases(instance.source, {})) {
    const auto name = std::find(names.begin(), names.end(), marker.name);
    if (name == names.end()) continue;
    phases[static_cast<std::uint32_t>(marker.line)] =
        static_cast<std::int16_t>(name - names.begin());
  }
  return phases;
}

}  // namespace

MeasuredPhases measured_phases(const Program& program, const KernelInstance& instance,
                               std::span<const PhaseStamp> stamps) {
  const auto phases = marked_phases(program, instance);
  MeasuredPhases measured;
  std::uint64_t stamping = 0;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    const PhaseStamp& stamp = stamps[i];
    measured.cycles = std::max(measured.cycles, stamp.begin_cycle);
    const bool is_last = i + 1 == stamps.size() || stamps[i + 1].warp != stamp.warp;
    if (is_last) continue;
    const PhaseStamp& next = stamps[i + 1];
    if (next.begin_cycle < stamp.end_cycle) continue;  // no clock goes back: not a stamp
    stamping += stamp.end_cycle - stamp.begin_cycle;
    all += next.begin_cycle - stamp.begin_cycle;
    const auto phase = phases.find(stamp.line);
    if (phase == phases.end()) continue;
    measured.warps.resize(std::max<std::size_t>(measured.warps.size(), stamp.warp + 1));
    measured.warps[stamp.warp].push_back({stamp.end_cycle, next.begin_cycle, phase->second});
  }
  if (all > 0) measured.stamp_share = static_cast<double>(stamping) / static_cast<double>(all);
  return measured;
}

std::vector<std::uint64_t> phase_cycles(std::size_t phases, const MeasuredPhases& measured) {
  std::vector<std::uint64_t> cycles(phases);
  for (const auto& warp : measured.warps) {
    for (const MeasuredPhases::Span& span : warp) {
      cycles[static_cast<std::size_t>(span.phase)] += span.end - span.begin;
    }
  }
  return cycles;
}

}  // namespace tilescope
