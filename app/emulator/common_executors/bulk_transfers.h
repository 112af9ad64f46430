#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

class AsyncCopies;
struct ExecutionContext;

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
  };
  // `context` is the block's own.
  void copy_later(Copy copy, ExecutionContext& context);
  void arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane);
  void land(std::uint64_t barrier, ExecutionContext& context);

 private:
  struct Transfer {
    Copy copy;                      // of an arrival, the mbarrier alone
    AsyncCopies* copies = nullptr;  // of an arrival
    unsigned lane = 0;
    std::uint64_t until = 0;
  };
  std::vector<Transfer> under_way_;
};

}  // namespace tilescope
