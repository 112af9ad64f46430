#include "emulator/execution/finding_log.h"

#include <algorithm>

namespace tilescope {

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
