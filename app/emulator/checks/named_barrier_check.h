#pragma once
#include <array>
#include <cstdint>

#include "emulator/checks/checked_block.h"
#include "emulator/execution/barriers.h"

namespace tilescope {

// Finds a named barrier at which two groups of warps meet in turn with nothing that puts the one
// group's meeting after the other's: arrivals of one may count for the other (PTX ISA, "bar"). Not
// where some only arrive (bar.arrive): what they miss shows elsewhere.
class NamedBarrierCheck final : public BlockObserver {
 public:
  explicit NamedBarrierCheck(CheckedBlock& block) : block_(block) {}

  void on_block_begin(std::vector<Warp>& warps) override;
  void on_arrive(const BarrierArrival& arrival) override;
  void on_release(std::uint32_t barrier, bool whole) override;

 private:
  // Who came to a barrier; by warp, where its bit is set.
  struct Meeting {
    std::uint32_t warps = 0;
    bool some_only_arrive = false;
    std::array<AccessStamp, 32> arrivals;
  };

  CheckedBlock& block_;
  std::uint32_t used_ = 0;  // barriers of which there is a meeting
  std::array<Meeting, Barriers::kNamed> now_;
  std::array<Meeting, Barriers::kNamed> last_;
};

}  // namespace tilescope
