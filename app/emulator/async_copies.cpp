#include "emulator/async_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/finding_log.h"
#include "emulator/lane_access.h"

namespace tilescope {

void PendingWords::reset(std::uint64_t shared_bytes) {
  words_.assign((shared_bytes + 3) / 4, 0);
  pending_ = 0;
}

void PendingWords::mark(std::uint64_t offset, unsigned bytes, int change) {
  for (std::uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    words_[word] = static_cast<std::uint16_t>(words_[word] + change);
    pending_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(change));
  }
}

bool PendingWords::touches(std::uint64_t offset, std::uint64_t bytes) const {
  for (std::uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    if (words_[word] != 0) return true;
  }
  return false;
}

void AsyncCopies::reset(PendingWords* pending) {
  copies_.clear();
  committed_.fill(0);
  pending_ = pending;
}

AsyncCopies::Copy& AsyncCopies::issue(std::uint32_t mask, std::uint8_t bytes) {
  Copy& copy = copies_.emplace_back();
  copy.mask = mask;
  copy.bytes = bytes;
  copy.group = committed_;
  return copy;
}

void AsyncCopies::commit(std::uint32_t mask) {
  for (std::size_t l = 0; l < 32; ++l) committed_[l] += (mask >> l) & 1u;
}

template <class Arrives>
void AsyncCopies::arrive(std::uint32_t mask, std::byte* shared, Arrives arrives) {
  for (Copy& copy : copies_) {
    for (std::uint32_t left = copy.mask & mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (!arrives(lane, copy.group[lane])) continue;
      std::memcpy(shared + copy.offset[lane], copy.data[lane].data(), copy.bytes);
      pending_->mark(copy.offset[lane], copy.bytes, -1);
      copy.mask &= ~(1u << lane);
    }
  }
  std::erase_if(copies_, [](const Copy& copy) { return copy.mask == 0; });
}

void AsyncCopies::wait(std::uint32_t mask, std::uint32_t newest, std::byte* shared) {
  arrive(mask, shared, [&](std::size_t lane, std::uint32_t group) {
    return std::uint64_t{group} + newest < committed_[lane];
  });
}

void AsyncCopies::wait_all(std::uint32_t mask, std::byte* shared) {
  arrive(mask, shared, [](std::size_t, std::uint32_t) { return true; });
}

void report_async_read(const MicroOp& op, std::uint32_t mask, ExecutionContext& context,
                       const LaneArray& offset, std::uint64_t bytes) {
  const PendingWords& pending = context.async->pending();
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (!pending.touches(offset[lane], bytes)) continue;
    report(context, FindingKind::kCpAsync, op, lane,
           fmt::format("reads shared memory at byte {} while a cp.async to it has not been waited "
                       "for: wait for its group (cp.async.wait_group), then synchronise the block",
                       offset[lane]));
    return;
  }
}

}  // namespace tilescope
