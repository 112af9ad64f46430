#include "emulator/block/block_traits.h"

namespace tilescope {
namespace {

// Does it read shared memory that another block of the cluster may write meanwhile?
bool polls_shared(const MicroOp& op) {
  return op.space == MemorySpace::kShared &&
         (op.access == AccessKind::kAtomic ||
          (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0));
}

}  // namespace

std::uint8_t traits_of(const Code& code, const CodeBlock& block) {
  const bool of_warp = block.barrier == BarrierKind::kWarp ||
                       block.barrier == BarrierKind::kExchange ||
                       block.barrier == BarrierKind::kConvergence;
  std::uint8_t traits = block.kind == EndKind::kBarrier && !of_warp ? kActs : 0;
  bool looks = false;
  bool updates = false;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const MicroOp& op = code.ops[i];
    const bool stores = op.access == AccessKind::kStore || op.access == AccessKind::kStmatrix ||
                        op.access == AccessKind::kAsyncCopy;
    if (stores && op.space != MemorySpace::kLocal) traits |= kActs;
    if (asks_others(op) || (code.cluster.count() > 1 && polls_shared(op))) traits |= kAsksOthers;
    looks |= op.access == AccessKind::kLoad && (op.flags & kPolls) != 0;
    updates |= op.access == AccessKind::kAtomic;
  }
  if (looks && !updates && (traits & kActs) == 0) traits |= kLooks;
  return traits;
}

bool asks_others(const MicroOp& op) {
  const bool strong = op.access == AccessKind::kAtomic ||
                      (op.access == AccessKind::kLoad && (op.flags & kPolls) != 0);
  return strong && (op.space == MemorySpace::kGlobal || op.space == MemorySpace::kGeneric);
}

}  // namespace tilescope
