#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/emulate.h"

namespace tilescope {

class AsyncCopies;
struct ExecutionContext;
struct MicroOp;

// What a block has under way that an mbarrier of its own will announce: bulk copies and
// asynchronous stores into its shared memory, whichever block of its cluster issued them, and
// arrivals that follow a lane's cp.async. Data is read when a copy is issued and lands when its
// mbarrier is next looked at, the latest moment that the programming model allows: a missing wait
// shows.
class BulkTransfers {
 public:
  void reset() {
    under_way_.clear();
    issues_.clear();
  }
  using Combine = void (*)(std::byte* to, const std::byte* from);
  // `barrier` and `to` are offsets into shared memory, within bounds; multiples of 8 and of the
  // data's size, or of 16.
  struct Copy {
    std::uint64_t barrier = 0;
    std::uint64_t to = 0;
    std::vector<std::byte> data;
    Combine combine = nullptr;  // nullptr: replaces what is there
    Finding::Other issuer{};
  };
  [[nodiscard]] static Finding::Other issuer_of(const MicroOp& op, unsigned lane,
                                                const ExecutionContext& context);
  // `context` is the block's own.
  void copy_later(Copy copy, ExecutionContext& context);
  void arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane);
  void land(std::uint64_t barrier, ExecutionContext& context);
  struct Issue {
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    Finding::Other issuer;
  };
  // What was issued since take_issues(), where somebody asks for what is written.
  [[nodiscard]] std::vector<Issue> take_issues() { return std::exchange(issues_, {}); }
  // Who issued the copy under way that is to fill one of these bytes; nullptr: there is none.
  [[nodiscard]] const Finding::Other* filler_of(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  struct Transfer {
    Copy copy;                      // of an arrival, the mbarrier alone
    AsyncCopies* copies = nullptr;  // of an arrival
    unsigned lane = 0;
    std::uint64_t until = 0;
  };
  std::vector<Transfer> under_way_;
  std::vector<Issue> issues_;
};

}  // namespace tilescope
