#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

class AsyncCopies;
struct ExecutionContext;

// What a block has under way that an mbarrier will announce: bulk copies into shared memory and
// arrivals that follow a lane's cp.async. Data is read when a copy is issued and lands when its
// mbarrier is next looked at, the latest moment that the programming model allows: a missing wait
// shows.
class BulkTransfers {
 public:
  void reset() { under_way_.clear(); }
  // `barrier` and `to` are offsets into shared memory; within bounds, multiples of 8 and 16.
  void copy_later(std::uint64_t barrier, std::uint64_t to, std::vector<std::byte> data,
                  ExecutionContext& context);
  void arrive_later(std::uint64_t barrier, AsyncCopies& copies, unsigned lane);
  void land(std::uint64_t barrier, ExecutionContext& context);

 private:
  struct Transfer {
    std::uint64_t barrier = 0;
    std::uint64_t to = 0;
    std::vector<std::byte> data;    // of a copy
    AsyncCopies* copies = nullptr;  // of an arrival
    unsigned lane = 0;
    std::uint64_t until = 0;
  };
  std::vector<Transfer> under_way_;
};

}  // namespace tilescope
