#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/execution/execution_context.h"
#include "emulator/finding.h"

namespace tilescope {

struct Mbarrier;

// Which words of a block's shared memory a cp.async has still to fill: a bit for each 4 bytes, and
// a coarse one for each 256 bytes that says whether any of theirs is set. Two copies to one word
// count as one.
class PendingWords {
 public:
  void reset(std::uint64_t shared_bytes);
  // `offset` is a multiple of `bytes`: 4, 8 or 16. No check of bounds.
  void add(std::uint64_t offset, unsigned bytes) {
    const std::uint64_t word = offset / 4;
    fine_[word / 64] |= bits_of(bytes) << (word % 64);
    coarse_[word / 4096] |= std::uint64_t{1} << (word / 64 % 64);
  }
  void remove(std::uint64_t offset, unsigned bytes) {
    const std::uint64_t word = offset / 4;
    std::uint64_t& fine = fine_[word / 64];
    fine &= ~(bits_of(bytes) << (word % 64));
    if (fine == 0) coarse_[word / 4096] &= ~(std::uint64_t{1} << (word / 64 % 64));
  }
  void copies_changed(int by) { copies_ += by; }
  [[nodiscard]] bool any() const { return copies_ != 0; }
  // May a byte of [first, last] be pending? False is certain.
  [[nodiscard]] bool may_touch(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] bool touches(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  static std::uint64_t bits_of(unsigned bytes) { return (std::uint64_t{1} << (bytes / 4)) - 1; }

  std::vector<std::uint64_t> fine_;
  std::vector<std::uint64_t> coarse_;
  std::int64_t copies_ = 0;  // warp-wide ones under way in the block
};

// The cp.async copies of one warp that have not been waited for. The data is read from global
// memory when the copy is issued and arrives in shared memory when its group is waited for, the
// latest moment that the programming model allows: a missing wait shows.
class AsyncCopies {
 public:
  void reset(PendingWords* pending, std::uint32_t lanes);

  struct Copy {
    std::uint32_t instruction;
    std::uint32_t mask;
    std::uint32_t bytes;
    std::uint64_t serial;                         // how many were issued before it
    std::array<std::uint32_t, kWarpSize> group;   // per lane: its group's number
    std::array<std::uint32_t, kWarpSize> offset;  // into shared memory
    std::array<std::array<std::byte, 16>, kWarpSize> data;
  };
  // A copy with mask, size and groups filled in; offset and data are the caller's, for each lane of
  // the mask, before anything else is issued or waited for.
  Copy& issue(const MicroOp& op, std::uint32_t mask);
  void commit(std::uint32_t mask);
  // All but the `newest` last committed groups of each lane arrive.
  void wait(std::uint32_t mask, std::uint32_t newest, std::byte* shared);
  // Those of the first `issued` that this warp issued arrive.
  void wait_until(std::uint32_t mask, std::uint64_t issued, std::byte* shared);
  [[nodiscard]] std::uint64_t issued() const { return issued_; }
  // What the lane has issued so far is announced at an mbarrier: others may wait for it there.
  void announce(std::uint32_t lane) { announced_[lane] = issued_; }
  void wait_all(std::uint32_t mask, std::byte* shared);
  [[nodiscard]] bool empty() const { return under_way_.empty(); }
  // The oldest copy that one of these lanes has neither waited for nor announced; nullptr: none.
  [[nodiscard]] const Copy* unfinished(std::uint32_t lanes) const;

  // What has arrived, for a check of races; nullptr: nobody asks.
  struct Arrival {
    std::uint32_t instruction = 0;
    std::uint32_t warp = 0;
    std::uint32_t lane = 0;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    bool announced = false;
  };
  void tell_arrivals(std::vector<Arrival>* arrivals, std::uint32_t warp) {
    arrivals_ = arrivals;
    warp_ = warp;
  }
  [[nodiscard]] PendingWords& pending() { return *pending_; }

 private:
  void arrive(Copy& copy, std::uint32_t mask, std::byte* shared);
  void drop_finished();

  std::vector<Copy> pool_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> under_way_;              // in the order of issue
  std::array<std::uint32_t, kWarpSize> committed_{};  // groups so far, per lane
  std::uint64_t issued_ = 0;
  std::array<std::uint64_t, kWarpSize> announced_{};  // the first so many, per lane
  PendingWords* pending_ = nullptr;
  std::vector<Arrival>* arrivals_ = nullptr;
  std::uint32_t warp_ = 0;  // of the arrivals
};

// Tells the observers of a read of shared memory that a cp.async may have still to fill.
void tell_early_read(const MicroOp& op, std::uint32_t mask, ExecutionContext& context,
                     const LaneArray& offset, std::uint64_t bytes);

// Bytes side by side in global and in shared memory, which a bulk copy moves from one to the other.
struct BulkPiece {
  std::uint64_t global = 0;  // address
  std::uint64_t shared = 0;  // offset
  std::uint64_t bytes = 0;
};

// What a block has under way that an mbarrier of its own will announce: bulk copies and
// asynchronous stores into its shared memory, whichever block of its cluster issued them, and
// arrivals that follow a lane's cp.async. Data is read when a copy is issued and lands when its
// mbarrier is next looked at, the latest moment that the programming model allows: a missing wait
// shows.
class BulkTransfers {
 public:
  void reset() { under_way_.clear(); }
  using Combine = void (*)(std::byte* to, const std::byte* from);
  // `barrier` and `to` are offsets into shared memory, within bounds; multiples of 8 and of the
  // data's size, or of 16.
  struct Copy {
    std::uint64_t barrier = 0;
    std::uint64_t to = 0;
    std::vector<std::byte> data;
    Combine combine = nullptr;  // nullptr: replaces what is there
    Finding::Other issuer{};
    std::size_t element_bytes = 0;  // of what is combined; 0: the data is one element
    std::optional<std::uint32_t> counted_bytes{};  // at the mbarrier, where not the data's

    [[nodiscard]] std::uint32_t counted() const {
      return counted_bytes.value_or(static_cast<std::uint32_t>(data.size()));
    }
  };
  [[nodiscard]] static Finding::Other issuer_of(const MicroOp& op, unsigned lane,
                                                const ExecutionContext& context);
  // `context` is the block's own.
  void copy_later(Copy copy, ExecutionContext& context);
  void arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane);
  void land(std::uint64_t barrier, ExecutionContext& context);
  // The copy under way that is to fill one of these bytes; nullptr: there is none.
  [[nodiscard]] const Copy* filler_of(std::uint64_t offset, std::uint64_t bytes) const;
  // The oldest copy under way; nullptr: there is none.
  [[nodiscard]] const Copy* first_copy() const;

 private:
  [[nodiscard]] std::uint32_t surplus_at(std::uint64_t barrier, const Mbarrier& object,
                                         ExecutionContext& context) const;

  struct Transfer {
    Copy copy;                      // of an arrival, the mbarrier alone
    AsyncCopies* copies = nullptr;  // of an arrival
    unsigned lane = 0;
    std::uint64_t until = 0;
  };
  std::vector<Transfer> under_way_;
};

}  // namespace tilescope
