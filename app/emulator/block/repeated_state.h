#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/execution/thread_block.h"

namespace tilescope {

// Finds that a block goes round a loop which nothing ends: after rounds in which it read nothing
// that changes, its registers, lanes and shared memory are as they once were, so that it will do
// the same again, for ever. By Brent's method: a state is kept, then the one after twice as many
// rounds.
class RepeatedState {
 public:
  // After a round of all warps. Precondition: of all rounds since forget() TimeSlice::traits has
  // neither kMeetsOthers, nor kReads with kWrites. True: the block was in this state before.
  bool comes_again(const ThreadBlock& block);
  void forget() { rounds_ = 0; }

 private:
  struct Lanes {
    std::uint32_t warp = 0;
    std::vector<std::byte> registers;
    std::vector<Split> splits;
  };
  [[nodiscard]] bool is_kept(const ThreadBlock& block) const;
  void keep(const ThreadBlock& block);

  std::uint64_t rounds_ = 0;  // in a row
  std::vector<Lanes> warps_;  // those that have not left
  std::vector<std::byte> shared_;
};

}  // namespace tilescope
