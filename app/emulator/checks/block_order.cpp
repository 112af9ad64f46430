#include "emulator/checks/block_order.h"

#include <utility>

namespace tilescope {

void BlockOrder::start_block() {
  publications_.clear();
  acquisitions_.clear();
  touched_ = false;
  waiting_count_ = 0;
}

void BlockOrder::publish(std::uint64_t address, AccessOrder::Published covered) {
  const std::uint32_t time = grid_.publish(address);
  if (!publications_.empty() && publications_.back().covered == covered) return;
  if (publications_.size() < kMost) publications_.push_back({std::move(covered), time});
}

void BlockOrder::acquire(std::uint64_t address) {
  const std::uint32_t time = grid_.observe(address);
  if (time <= (acquisitions_.empty() ? 0 : acquisitions_.back().time)) return;
  if (acquisitions_.empty() || (touched_ && acquisitions_.size() < kMost)) {
    acquisitions_.push_back({time, order_.ticks()});
  } else {
    // Nothing lies between the two that is compared with other blocks, as where a loop waits; or
    // there are too many, and the last stands for those that follow it.
    acquisitions_.back().time = time;
  }
  touched_ = false;
}

std::uint32_t BlockOrder::published_at(const AccessStamp& stamp) const {
  for (const Publication& publication : publications_) {
    if (AccessOrder::covers(publication.covered, stamp)) return publication.time;
  }
  // Too many to be kept: taken to be published with the last one that was.
  return publications_.size() < kMost ? GridUse::kNever : publications_.back().time;
}

std::uint32_t BlockOrder::acquired_at(const AccessStamp& stamp) const {
  std::uint32_t time = 0;
  for (const Acquisition& acquisition : acquisitions_) {
    if (acquisition.ticks[stamp.warp()] > stamp.tick) break;
    time = acquisition.time;
  }
  return time;
}

}  // namespace tilescope
