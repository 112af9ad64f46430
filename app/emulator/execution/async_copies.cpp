#include "emulator/execution/async_copies.h"

#include <algorithm>
#include <cstring>

#include "emulator/execution/barriers.h"
#include "emulator/execution/observer.h"
#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

constexpr std::size_t kUnit = 16;  // bytes in which bulk copies are followed

unsigned unit_of(const BulkTransfers::Copy& copy) {
  return static_cast<unsigned>(std::min<std::size_t>(copy.data.size(), kUnit));
}

}  // namespace

void PendingWords::reset(std::uint64_t shared_bytes) {
  fine_.assign(shared_bytes / 256 + 1, 0);
  coarse_.assign(shared_bytes / 16384 + 1, 0);
  copies_ = 0;
}

bool PendingWords::may_touch(std::uint64_t first, std::uint64_t last) const {
  for (std::uint64_t block = first / 256; block <= last / 256; ++block) {
    if (((coarse_[block / 64] >> (block % 64)) & 1u) != 0) return true;
  }
  return false;
}

bool PendingWords::touches(std::uint64_t offset, std::uint64_t bytes) const {
  for (std::uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    if (((fine_[word / 64] >> (word % 64)) & 1u) != 0) return true;
  }
  return false;
}

void AsyncCopies::reset(PendingWords* pending, std::uint32_t lanes) {
  static_cast<void>(lanes);
  under_way_.clear();
  free_.clear();
  for (std::uint32_t i = 0; i < pool_.size(); ++i) free_.push_back(i);
  committed_.fill(0);
  issued_ = 0;
  announced_.fill(0);
  pending_ = pending;
}

AsyncCopies::Copy& AsyncCopies::issue(const MicroOp& op, std::uint32_t mask) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  under_way_.push_back(free_.back());
  free_.pop_back();
  Copy& copy = pool_[under_way_.back()];
  copy.instruction = op.instruction;
  copy.mask = mask;
  copy.bytes = op.bytes;
  copy.serial = issued_++;
  copy.group = committed_;
  pending_->copies_changed(1);
  return copy;
}

void AsyncCopies::commit(std::uint32_t mask) {
  for (std::size_t l = 0; l < committed_.size(); ++l) committed_[l] += (mask >> l) & 1u;
}

void AsyncCopies::arrive(Copy& copy, std::uint32_t mask, std::byte* shared) {
  for (const unsigned lane : lanes_in(copy.mask & mask)) {
    std::byte* to = shared + copy.offset[lane];
    const std::byte* from = copy.data[lane].data();
    switch (copy.bytes) {
      case 4:
        std::memcpy(to, from, 4);
        break;
      case 8:
        std::memcpy(to, from, 8);
        break;
      default:
        std::memcpy(to, from, 16);
        break;
    }
    pending_->remove(copy.offset[lane], copy.bytes);
    if (arrivals_ != nullptr) {
      arrivals_->push_back({copy.instruction, warp_, static_cast<std::uint32_t>(lane),
                            copy.offset[lane], copy.bytes, copy.serial < announced_[lane]});
    }
  }
  copy.mask &= ~mask;
}

void AsyncCopies::drop_finished() {
  std::erase_if(under_way_, [&](std::uint32_t index) {
    if (pool_[index].mask != 0) return false;
    free_.push_back(index);
    pending_->copies_changed(-1);
    return true;
  });
}

const AsyncCopies::Copy* AsyncCopies::unfinished(std::uint32_t lanes) const {
  for (const std::uint32_t index : under_way_) {
    const Copy& copy = pool_[index];
    for (const unsigned lane : lanes_in(copy.mask & lanes)) {
      if (copy.serial >= announced_[lane]) return &copy;
    }
  }
  return nullptr;
}

void AsyncCopies::wait(std::uint32_t mask, std::uint32_t newest, std::byte* shared) {
  for (const std::uint32_t index : under_way_) {
    Copy& copy = pool_[index];
    std::uint32_t arriving = 0;
    for (std::size_t l = 0; l < kWarpSize; ++l) {
      const bool arrives = copy.group[l] + newest < committed_[l];
      arriving |= arrives ? 1u << l : 0u;
    }
    if ((arriving & mask) != 0) arrive(copy, arriving & mask, shared);
  }
  drop_finished();
}

void AsyncCopies::wait_until(std::uint32_t mask, std::uint64_t issued, std::byte* shared) {
  for (const std::uint32_t index : under_way_) {
    if (pool_[index].serial < issued) arrive(pool_[index], mask, shared);
  }
  drop_finished();
}

void AsyncCopies::wait_all(std::uint32_t mask, std::byte* shared) {
  for (const std::uint32_t index : under_way_) arrive(pool_[index], mask, shared);
  drop_finished();
}

void tell_early_read(const MicroOp& op, std::uint32_t mask, ExecutionContext& context,
                     const LaneArray& offset, std::uint64_t bytes) {
  context.observers->tell(&BlockObserver::on_early_read, op, mask, offset, bytes);
}

Finding::Other BulkTransfers::issuer_of(const MicroOp& op, unsigned lane,
                                        const ExecutionContext& context) {
  return {op.instruction, context.block,
          unflatten(context.point.warp * kWarpSize + lane, context.block_extent)};
}

const BulkTransfers::Copy* BulkTransfers::filler_of(std::uint64_t offset,
                                                    std::uint64_t bytes) const {
  for (const Transfer& transfer : under_way_) {
    const Copy& copy = transfer.copy;
    if (copy.to < offset + bytes && offset < copy.to + copy.data.size()) return &copy;
  }
  return nullptr;
}

const BulkTransfers::Copy* BulkTransfers::first_copy() const {
  const auto found = std::ranges::find(under_way_, nullptr, &Transfer::copies);
  return found == under_way_.end() ? nullptr : &found->copy;
}

void BulkTransfers::copy_later(Copy copy, ExecutionContext& context) {
  const unsigned unit = unit_of(copy);
  for (std::uint64_t at = 0; at < copy.data.size(); at += unit)
    context.pending->add(copy.to + at, unit);
  context.pending->copies_changed(1);
  context.observers->tell(&BlockObserver::on_transfer, copy);
  Transfer transfer;
  transfer.copy = std::move(copy);
  under_way_.push_back(std::move(transfer));
}

void BulkTransfers::arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane) {
  Transfer transfer;
  transfer.copy.barrier = barrier;
  transfer.copies = &copies;
  transfer.lane = lane;
  transfer.until = copies.issued();
  copies.announce(lane);
  under_way_.push_back(std::move(transfer));
}

// How many bytes more are under way to an mbarrier that all arrivals have come to than it still
// expects: with these its phase is over before all are there.
std::uint32_t BulkTransfers::surplus_at(std::uint64_t barrier, const Mbarrier& object,
                                        ExecutionContext& context) const {
  std::int64_t bytes = -object.bytes;
  std::uint32_t pending = object.pending;
  const Copy* any = nullptr;
  for (const Transfer& transfer : under_way_) {
    if (transfer.copy.barrier != barrier) continue;
    if (transfer.copies != nullptr) {
      pending -= std::min(pending, 1u);
    } else {
      bytes += transfer.copy.counted();
      any = &transfer.copy;
    }
  }
  if (pending != 0 || bytes <= 0 || any == nullptr) return 0;
  const ByteSurplus surplus{barrier, static_cast<std::uint64_t>(bytes), any->issuer};
  context.observers->tell(&BlockObserver::on_surplus, surplus);
  return static_cast<std::uint32_t>(bytes);
}

void BulkTransfers::land(std::uint64_t barrier, ExecutionContext& context) {
  if (under_way_.empty()) return;
  std::uint64_t word = 0;
  std::memcpy(&word, context.shared + barrier, sizeof word);
  Mbarrier object = Mbarrier::unpack(word);
  // Goes on as if all bytes had been expected, so that no more is said of what follows from it.
  object.expect(surplus_at(barrier, object, context));
  std::erase_if(under_way_, [&](const Transfer& transfer) {
    const Copy& copy = transfer.copy;
    if (copy.barrier != barrier) return false;
    if (transfer.copies != nullptr) {
      transfer.copies->wait_until(1u << transfer.lane, transfer.until, context.shared);
      object.arrive(1, false);
      return true;
    }
    if (copy.combine != nullptr) {
      const std::size_t step = copy.element_bytes != 0 ? copy.element_bytes : copy.data.size();
      for (std::size_t at = 0; at < copy.data.size(); at += step)
        copy.combine(context.shared + copy.to + at, copy.data.data() + at);
    } else {
      std::memcpy(context.shared + copy.to, copy.data.data(), copy.data.size());
    }
    const unsigned unit = unit_of(copy);
    for (std::uint64_t at = 0; at < copy.data.size(); at += unit)
      context.pending->remove(copy.to + at, unit);
    context.pending->copies_changed(-1);
    object.complete(copy.counted());
    return true;
  });
  word = object.pack();
  std::memcpy(context.shared + barrier, &word, sizeof word);
}

}  // namespace tilescope
