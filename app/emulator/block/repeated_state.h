#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/execution/thread_block.h"

namespace tilescope {

// Finds that a block goes round a loop which nothing ends: its registers, lanes and memory are as
// they once were, and nobody else can change them, so that it will do the same again, for ever. By
// Brent's method: a state is kept, then the one after twice as many rounds.
class RepeatedState {
 public:
  // After a round of all warps, in which they read or wrote global or local memory, or both: then
  // that is compared, too, if it is not too large. True: the block was in this state before.
  bool comes_again(const ThreadBlock& block, bool reads, bool writes);
  // After how many rounds it did. Precondition: it came again.
  [[nodiscard]] std::uint64_t period() const { return rounds_ - kept_at_; }
  // After one in which others may have changed what it reads.
  void forget() { rounds_ = 0; }

 private:
  struct Lanes {
    std::uint32_t warp = 0;
    std::vector<std::byte> registers;
    std::vector<Split> splits;
  };
  [[nodiscard]] bool is_kept(const ThreadBlock& block) const;
  void keep(const ThreadBlock& block);
  // Keeps the memory the first time after keep(), for it is large and few loops come as far.
  [[nodiscard]] bool is_memory_kept(const ThreadBlock& block);

  std::uint64_t rounds_ = 0;  // in a row
  std::uint64_t kept_at_ = 0;
  bool reads_ = false;  // since keep()
  bool writes_ = false;
  std::vector<Lanes> warps_;  // those that have not left
  std::vector<std::byte> shared_;
  std::vector<std::vector<std::byte>> memory_;  // global regions and the warps' local; or empty
  int comparisons_ = 0;                         // of memory_
};

}  // namespace tilescope
