#include "emulator/checks/block_order.h"

#include <algorithm>
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

std::uint32_t BlockOrder::find_publication(const AccessStamp& stamp) const {
  for (const Publication& publication : publications_) {
    if (AccessOrder::covers(publication.covered, stamp)) return publication.time;
  }
  // Too many to be kept: taken to be published with the last one that was.
  return publications_.size() < kMost ? GridUse::kNever : publications_.back().time;
}

std::uint32_t BlockOrder::find_acquisition(const AccessStamp& stamp) const {
  std::uint32_t time = 0;
  for (const Acquisition& acquisition : acquisitions_) {
    if (acquisition.ticks[stamp.warp()] > stamp.tick) break;
    time = acquisition.time;
  }
  return time;
}

void TicketOrder::start_block(std::uint32_t block) {
  block_ = block;
  draws_.clear();
  touched_ = false;
  reads_.clear();
}

void TicketOrder::draw(std::uint64_t address, const AccessStamp& stamp, bool released,
                       bool answers) {
  if (!draws_.empty() && !touched_) {
    Draw& before = draws_.back();
    if (!before.polls && before.address == address && before.stamp.thread == stamp.thread) {
      before.last = grid_.last_ticket(address);  // it waits
      before.stamp = stamp;
      before.answers = before.answers || answers;
      return;
    }
  }
  if (draws_.size() >= kMostDraws) return;
  Draw draw;
  draw.address = address;
  draw.ticket = draw.last = grid_.draw_ticket(address, block_);
  draw.stamp = stamp;
  draw.answers = answers;
  draw.before = order_.published(stamp.thread, true);
  draw.fenced = released ? draw.before : order_.published(stamp.thread, false);
  draws_.push_back(std::move(draw));
  touched_ = false;
}

void TicketOrder::poll(std::uint64_t address, const AccessStamp& stamp) {
  const auto is_same = [&](const Draw& draw) {
    return draw.polls && draw.address == address && draw.stamp.thread == stamp.thread;
  };
  if (draws_.empty() || !is_same(draws_.back())) {
    std::erase_if(draws_, is_same);
    if (draws_.size() >= kMostDraws) return;
    draws_.emplace_back();
  }
  Draw& draw = draws_.back();
  draw.address = address;
  draw.last = grid_.last_ticket(address);
  draw.stamp = stamp;
  draw.answers = draw.polls = true;
}

void TicketOrder::read(std::uint64_t address, const AccessStamp& stamp) {
  touched_ = true;
  const auto known = std::find_if(draws_.rbegin(), draws_.rend(), [&](const Draw& draw) {
    return draw.answers && order_.ordered(draw.stamp, stamp.thread);
  });
  if (known == draws_.rend() || known->address == address) return;  // the counter itself
  const auto found = reads_.find(address);
  if (found != reads_.end()) {
    found->second = {stamp, known->last};
  } else if (reads_.size() < kMostReads) {
    reads_.emplace(address, Read{stamp, known->last});
  }
}

std::uint32_t TicketOrder::announced_at(const AccessStamp& store) const {
  const auto draw = std::find_if(draws_.begin(), draws_.end(), [&](const Draw& each) {
    return !each.polls && AccessOrder::covers(each.before, store);
  });
  if (draw == draws_.end() || AccessOrder::covers(draw->fenced, store)) return 0;
  return draw->ticket;
}

}  // namespace tilescope
