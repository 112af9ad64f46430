#include "emulator/checks/ticket_order.h"

#include <algorithm>
#include <utility>

namespace tilescope {

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
    if (before.address == address && before.stamp.thread == stamp.thread) {  // it waits
      before.last = grid_.last_ticket(address);
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

void TicketOrder::read(std::uint64_t address, const AccessStamp& stamp) {
  touched_ = true;
  const auto known = std::find_if(draws_.rbegin(), draws_.rend(), [&](const Draw& draw) {
    return draw.answers && order_.ordered(draw.stamp, stamp.thread);
  });
  if (known == draws_.rend()) return;
  const auto found = reads_.find(address);
  if (found != reads_.end()) {
    found->second = {stamp, known->last};
  } else if (reads_.size() < kMostReads) {
    reads_.emplace(address, Read{stamp, known->last});
  }
}

std::uint32_t TicketOrder::announced_at(const AccessStamp& store) const {
  const auto draw = std::find_if(draws_.begin(), draws_.end(), [&](const Draw& each) {
    return AccessOrder::covers(each.before, store);
  });
  if (draw == draws_.end() || AccessOrder::covers(draw->fenced, store)) return 0;
  return draw->ticket;
}

}  // namespace tilescope
