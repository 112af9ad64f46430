#include "analysis/time/mbarrier_phases.h"

#include <algorithm>

namespace tilescope {

MbarrierPhases::MbarrierPhases(const BlockTrace& trace) {
  const auto await = [this](std::uint32_t event, std::uint32_t phase) {
    std::vector<std::uint32_t>& waiting = waiting_[event];
    if (std::ranges::find(waiting, phase) != waiting.end()) return;
    waiting.push_back(phase);
    ++awaited_[phase];
  };
  for (const MbarrierUse& use : trace.mbarrier_uses) {
    if (use.elsewhere || use.event >= trace.events.size()) continue;
    const std::uint32_t phase = number(use.barrier, use.phase);
    if (use.waits) {
      waited_for_[use.event] = phase;
    } else {
      await(use.event, phase);
    }
  }
  for (const BulkCopy& copy : trace.bulk_copies) {
    if (copy.loads() && copy.lane < kWarpSize && copy.event < trace.events.size())
      await(copy.event, number(copy.barrier, copy.phase));
  }
}

std::uint32_t MbarrierPhases::number(std::uint32_t mbarrier, std::uint32_t phase) {
  const auto next = static_cast<std::uint32_t>(awaited_.size());
  const auto [at, is_new] = numbers_.try_emplace({mbarrier, phase}, next);
  if (is_new) awaited_.push_back(0);
  return at->second;
}

std::uint32_t MbarrierPhases::number_of(std::uint32_t mbarrier, std::uint32_t phase) const {
  const auto found = numbers_.find({mbarrier, phase});
  return found == numbers_.end() ? kNone : found->second;
}

std::uint32_t MbarrierPhases::waited_for_by(std::uint32_t event) const {
  const auto found = waited_for_.find(event);
  return found == waited_for_.end() ? kNone : found->second;
}

std::span<const std::uint32_t> MbarrierPhases::waiting_for(std::uint32_t event) const {
  const auto found = waiting_.find(event);
  return found == waiting_.end() ? std::span<const std::uint32_t>() : found->second;
}

}  // namespace tilescope
