#include "emulator/execution/finding_log.h"

#include <algorithm>

namespace tilescope {

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
      return "out_of_bounds";
    case FindingKind::kMisaligned:
      return "misaligned";
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kSharedRace:
      return "shared_race";
    case FindingKind::kGlobalRace:
      return "global_race";
    case FindingKind::kBarrier:
      return "barrier";
    case FindingKind::kBarrierPlaces:
      return "barrier_places";
    case FindingKind::kCpAsync:
      return "cp_async";
    case FindingKind::kEndless:
      return "endless";
    case FindingKind::kTrap:
      return "trap";
    case FindingKind::kUnsupported:
      return "unsupported";
  }
  return "";
}

bool is_advice(FindingKind kind) { return kind == FindingKind::kBarrierPlaces; }

std::size_t count_mistakes(std::span<const Finding> findings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& one) { return !is_advice(one.kind); }));
}

const Finding* first_mistake(std::span<const Finding> findings) {
  const auto found =
      std::ranges::find_if(findings, [](const Finding& one) { return !is_advice(one.kind); });
  return found == findings.end() ? nullptr : &*found;
}

bool FindingLog::wants(FindingKind kind, std::uint32_t instruction, std::uint64_t block) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find({instruction, kind});
  if (found != entries_.end()) return block < found->second.block;
  return entries_.size() < most_;
}

void FindingLog::add(std::uint64_t block, Finding finding) {
  const std::scoped_lock lock(mutex_);
  const auto key = std::pair{finding.instruction, finding.kind};
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    const auto order = [](std::uint64_t of, const Finding& which) {
      return std::pair{!is_between_blocks(which), of};
    };
    if (order(block, finding) < order(found->second.block, found->second.finding))
      found->second = {block, std::move(finding)};
  } else if (entries_.size() < most_) {
    entries_.emplace(key, Entry{block, std::move(finding)});
  }
}

std::vector<Finding> FindingLog::take() {
  const std::scoped_lock lock(mutex_);
  std::vector<Finding> findings;
  for (auto& [key, entry] : entries_) findings.push_back(std::move(entry.finding));
  entries_.clear();
  return findings;
}

}  // namespace tilescope
