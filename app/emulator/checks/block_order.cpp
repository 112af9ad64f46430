#include "emulator/checks/block_order.h"

#include <algorithm>
#include <utility>

namespace tilescope {

void BlockOrder::start_block(std::uint32_t block) {
  block_ = block;
  known_.start_block();
  publications_.clear();
  std::ranges::fill(last_of_, Publication{});
  waiting_count_ = 0;
}

void BlockOrder::publish(std::uint64_t address, std::uint32_t thread,
                         AccessOrder::Published covered) {
  Publication& last = last_of_[thread];
  const bool again = last.time != 0 && last.covered == covered;
  const std::uint32_t time =
      grid_.knowledge().publish(address, block_, known_.now(thread), again ? last.time : 0);
  if (again) return;
  last = {std::move(covered), time};
  if (publications_.size() < kMost) publications_.push_back(last);
}

void BlockOrder::acquire(const Waiting& waiting) {
  const std::uint32_t known = grid_.knowledge().observe(waiting.address);
  if (known_.learn(waiting.thread, known, order_.now(waiting.thread / 32)))
    last_ticks_ = order_.ticks();
}

std::uint32_t BlockOrder::find_publication(const AccessStamp& stamp) const {
  for (const Publication& publication : publications_) {
    if (AccessOrder::covers(publication.covered, stamp)) return publication.time;
  }
  // Too many to be kept: taken to be published with the last one that was.
  return publications_.size() < kMost ? GridUse::kNever : publications_.back().time;
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
