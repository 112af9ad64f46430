#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "emulator/finding.h"

namespace tilescope {

// A race of two blocks on global memory: what puts the threads of one in order does not help.
[[nodiscard]] inline bool is_between_blocks(const Finding& finding) {
  return finding.kind == FindingKind::kGlobalRace && finding.other.has_value() &&
         finding.other->block != finding.block;
}

// Findings of a launch, one for each kind and instruction: one between blocks if there is any, of
// those that of the lowest block, so that the number of workers does not show. Thread-safe.
class FindingLog {
 public:
  explicit FindingLog(std::size_t most) : most_(most) {}

  // True when a finding of this block would be kept: asked before a message is made.
  [[nodiscard]] bool wants(FindingKind kind, std::uint32_t instruction, std::uint64_t block);
  void add(std::uint64_t block, Finding finding);
  // Has a block up to this one a finding for which is(kind, instruction)?
  template <class F>
  [[nodiscard]] bool any_up_to(std::uint64_t block, F is) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(entries_, [&](const auto& entry) {
      return entry.second.block <= block && is(entry.first.second, entry.first.first);
    });
  }
  [[nodiscard]] std::vector<Finding> take();  // by instruction

 private:
  struct Entry {
    std::uint64_t block = 0;
    Finding finding;
  };
  std::mutex mutex_;
  std::size_t most_;
  std::map<std::pair<std::uint32_t, FindingKind>, Entry> entries_;
};

}  // namespace tilescope
