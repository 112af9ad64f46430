#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/checks/checked_block.h"

namespace tilescope {

// What the four warps of a warp group must execute all: its products (wgmma.mma_async) and
// setmaxnreg (PTX ISA: undefined otherwise). And whether the registers that warps ask for with
// setmaxnreg.inc ever become free: an inc waits until others have given back enough by a .dec,
// before which they must not have met who waits. Who leaves gives nothing back (measured:
// docs/findings.md).
class WarpgroupCheck final : public BlockObserver {
 public:
  explicit WarpgroupCheck(CheckedBlock& block);

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void on_block_end() override;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Request {
    std::uint32_t instruction = 0;
    std::uint32_t registers = 0;  // of a thread
    AccessStamp stamp;
  };
  struct WarpRegisters {
    std::uint32_t held = 0;  // of a thread
    std::deque<Request> open;
  };

  // Has the thread met one that waits for registers, and so does not come here before it has them?
  [[nodiscard]] bool follows_waiting(std::uint32_t thread) const;
  // Gives each warp what it asks for, in its order, as long as there is enough.
  void serve();
  void report_waiting();
  bool report_part(std::uint32_t slot, std::size_t group);

  CheckedBlock& block_;
  std::vector<std::uint32_t> slots_;   // by instruction: its row of counts_, or kNone
  std::vector<std::uint32_t> shared_;  // the instructions, by slot
  std::vector<std::uint32_t> counts_;  // [slot][warp]: how often
  std::vector<WarpRegisters> warps_;
  std::uint32_t free_ = 0;  // registers of a lane, of all warps
};

}  // namespace tilescope
