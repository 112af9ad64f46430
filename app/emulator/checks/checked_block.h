#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/checks/access_order.h"
#include "emulator/checks/launch_check.h"
#include "emulator/checks/shadow_memory.h"
#include "emulator/common_executors/warp_exchange.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/observer.h"
#include "emulator/execution/thread_block.h"

namespace tilescope {

// What the checkers of one worker's blocks have found: of each instruction and kind the first
// finding is reported, for the blocks come in rising order.
class BlockReports {
 public:
  BlockReports(const ExecutionContext& context, std::size_t instructions)
      : context_(context), reported_(instructions, 0) {}

  // True the first time that it is asked: then the finding is to be added.
  [[nodiscard]] bool is_new(FindingKind kind, std::uint32_t instruction);
  [[nodiscard]] bool was_reported(FindingKind kind, std::uint32_t instruction) const;
  // `other`: what the finding's thread conflicts with, in the same block.
  [[nodiscard]] Finding finding_of(FindingKind kind, std::uint32_t instruction,
                                   std::uint32_t thread, std::string message,
                                   const AccessStamp* other) const;
  void add(FindingKind kind, std::uint32_t instruction, std::uint32_t thread, std::string message,
           const AccessStamp* other = nullptr) const;
  void add(Finding finding) const;
  [[nodiscard]] std::string thread_text(std::uint32_t thread) const;  // "thread (3,0,0)"

 private:
  const ExecutionContext& context_;
  std::vector<std::uint16_t> reported_;  // by instruction, a bit for each kind
};

// The access that the executing instruction makes, as the checkers need it.
struct CheckedAccess {
  const WarpAccess& lanes;
  std::uint32_t instruction = 0;
  const InstructionNote& note;
  AccessStamp stamp;         // but for the thread
  std::uint64_t lowest = 0;  // of the lanes' addresses
  std::uint64_t highest = 0;
  bool reads = false;
  bool writes = false;
  bool has_value = false;  // stored_value() knows what is written

  [[nodiscard]] std::uint64_t end() const { return highest + lanes.bytes_per_lane; }
};

// A block and what its checkers share: notes on the program, the order of its accesses, reports.
struct CheckedBlock {
  CheckedBlock(LaunchCheck& of_launch, ThreadBlock& of_block);

  [[nodiscard]] const StaticInstruction& instruction(std::uint32_t index) const {
    return launch.program().instructions()[index];
  }
  [[nodiscard]] Synchronisation synchronisation(std::uint32_t index) const {
    return instruction(index).synchronisation;
  }
  // Of a lane of the warp that executes: in its block.
  [[nodiscard]] std::uint32_t thread(unsigned lane) const {
    return context.point.warp * kWarpSize + lane;
  }
  // Of the access that is looked at.
  [[nodiscard]] AccessStamp stamp_of(unsigned lane) const {
    AccessStamp stamp = access->stamp;
    stamp.thread = thread(lane) & 0x3ffu;
    return stamp;
  }
  // A lane issues a bulk copy now, which is no access of its warp.
  [[nodiscard]] AccessStamp stamp_beside(std::uint32_t instruction, unsigned lane);
  // The instruction that executes. Precondition: it is watched.
  [[nodiscard]] const WarpStep& step() const { return *block.observers().step(); }

  LaunchCheck& launch;
  const InstructionNotes& notes;
  ThreadBlock& block;
  ExecutionContext& context;
  BlockReports reports;
  AccessOrder order;
  WrittenBytes shared_written;  // of shared memory
  // Of the instruction that executes, once the happens-before checker has seen it.
  std::optional<CheckedAccess> access;
  MemberMasks masks{};  // ... if its lanes name some
};

// Follows what orders the accesses of a block's threads (AccessOrder): barriers, synchronised lanes
// and fences. What passes through memory, strong accesses and mbarriers, the race checker follows.
// The first of the checkers.
class HappensBefore final : public BlockObserver {
 public:
  explicit HappensBefore(CheckedBlock& block) : block_(block) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& step) override;
  void after(const WarpStep& step) override;
  void inspect(ObservedAccess& access) override;
  void on_arrive(const BarrierArrival& arrival) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_cluster_arrive(const Warp& warp, std::uint32_t lanes) override;
  void on_cluster_pass(const Warp& warp, std::uint32_t lanes) override;
  void on_warp_sync(const Warp& warp, std::uint32_t lanes) override;
  void on_exit(const Warp& warp, std::uint32_t lanes) override {
    block_.order.leave(warp.index, lanes);
  }
  [[nodiscard]] std::uint64_t held_bytes() const override { return block_.order.held_bytes(); }

 private:
  void complete_products(std::uint32_t barrier);

  CheckedBlock& block_;
  // By warp: when it committed each group of wgmma that may be under way.
  std::vector<std::vector<std::uint32_t>> products_;
};

// `bytes` (at most 8) of what a lane stores, from byte `first` of its access on. `op` is a st.
[[nodiscard]] std::uint64_t stored_value(const MicroOp& op, const std::byte* registers,
                                         unsigned lane, unsigned first, unsigned bytes,
                                         const ExecutionContext& context);

}  // namespace tilescope
