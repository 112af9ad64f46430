#include "kernel/refusals.h"

#include <algorithm>

namespace tilescope {

std::optional<Refusal> Refusals::find(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, digest, &std::pair<std::string, Refusal>::first);
  if (found == kept_.end()) return std::nullopt;
  return found->second;
}

void Refusals::keep(std::string digest, Refusal refusal) {
  const std::lock_guard lock(mutex_);
  kept_.emplace_back(std::move(digest), std::move(refusal));
  if (kept_.size() > kMost) kept_.pop_front();
}

}  // namespace tilescope
