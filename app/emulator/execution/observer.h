#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/execution/async_copies.h"
#include "emulator/execution/barriers.h"
#include "emulator/execution/execution_context.h"

namespace tilescope {

struct CodeBlock;
struct Warp;

// An instruction of a warp: `lanes` of it execute it (never 0).
struct WarpStep {
  const MicroOp& op;
  const std::byte* registers;  // the warp's, before the instruction or after it
  std::uint32_t lanes = 0;
  const Warp& warp;
};

// An access to memory on its way through a block's observers, in their order. Who has found all
// there is to say about a lane takes it out of `lanes`; those after it do not look at it again.
struct ObservedAccess {
  const WarpPoint& where;
  const WarpAccess& access;
  std::uint32_t lanes = 0;  // of access.active
  bool ignored = false;     // nobody else is told of it
};

// An access that a lane cannot make.
struct AccessFault {
  enum class Kind : std::uint8_t {
    kOutOfBounds,
    kMisaligned,
    kNoSuchBlock,   // shared memory of a rank that the cluster does not have
    kBlockHasLeft,  // shared memory of a block that has left the kernel
  };
  Kind kind = Kind::kOutOfBounds;
  const MicroOp& op;
  unsigned lane = 0;
  MemorySpace space = MemorySpace::kGlobal;
  std::uint64_t address = 0;  // in its space
  bool writes = false;
  const ExecutionContext* owner = nullptr;  // of shared memory; nullptr: there is none
  std::uint32_t rank = 0;                   // of shared memory: in the cluster
};

// Where a matrix of wmma lies in memory.
struct MatrixPlace {
  std::uint64_t address = 0;
  std::uint64_t pitch_bits = 0;  // from row to row, or column to column
  unsigned element_bits = 0;
  unsigned alignment = 16;  // bytes
};

// Lanes of a split that arrive at a barrier which counts a number of threads, or that name one
// which the block does not have. Of a barrier of the whole block only the release is told.
struct BarrierArrival {
  const CodeBlock& block;  // that ends in the barrier
  const Warp& warp;
  std::uint32_t lanes = 0;
  std::uint32_t named =
      0;  // the number that the instruction gives, whether there is such a barrier
  Barriers::Arrival counted;
};

// Bytes of the block's shared memory that a bulk copy reads from where it is issued on.
struct BulkRead {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  // A copy into another block, of which that block's mbarrier says when it is over; else a store,
  // which is over once the lane has waited for its bulk group.
  bool to_cluster = false;
};

// An mbarrier of the block's own, when somebody looks at it who waits: every arrival of its phase
// has come, and the copies under way to it bring more bytes than are still expected.
struct ByteSurplus {
  std::uint64_t barrier = 0;  // offset into shared memory
  std::uint64_t bytes = 0;    // beyond those expected
  Finding::Other copy;        // one of them
};

// What an observer is told of when an instruction executes.
struct StepEvents {
  bool before = false;
  bool after = false;
  bool accesses = false;
};

// Sees what a block does while it executes: each checker is one. Calls come on the thread that
// executes the block, in the order of execution; what an observer does not need it leaves empty.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;

  // Asked once for each static instruction of the program, so that a call that would do nothing is
  // never made.
  [[nodiscard]] virtual StepEvents needs(std::uint32_t /*instruction*/) const { return {}; }

  // Every warp stands before its first instruction; everything has been executed, or nothing else
  // will be.
  virtual void on_block_begin(std::vector<Warp>& /*warps*/) {}
  virtual void on_block_end() {}

  // An instruction before and after it executes, and its accesses, as needs() asks for them. A
  // product of a warp group reads shared memory by itself: which lane has which piece is made up.
  virtual void before(const WarpStep& /*step*/) {}
  virtual void after(const WarpStep& /*step*/) {}
  virtual void inspect(ObservedAccess& /*access*/) {}
  // While the observer follows every instruction (Observers::follow): lanes that an instruction's
  // guard leaves out; lanes that come to the end of Code::blocks[block].
  virtual void on_skip(const WarpStep& /*skipped*/) {}
  virtual void on_code_block_end(std::uint32_t /*block*/, std::uint32_t /*lanes*/,
                                 const Warp& /*warp*/) {}
  virtual void on_operand_read(const WarpPoint& /*where*/, const WarpAccess& /*access*/) {}
  virtual void on_fault(const AccessFault& /*fault*/) {}
  virtual void on_matrix(const MicroOp& /*op*/, unsigned /*lane*/, const MatrixPlace& /*matrix*/) {}

  // Copies and stores into the block's own shared memory that run beside the threads. A bulk copy
  // is issued; a lane from kWarpSize on is another block's. `pieces`: what comes from global
  // memory.
  virtual void on_bulk_copy(const WarpPoint& /*where*/, unsigned /*lane*/,
                            const BulkTransfers::Copy& /*copy*/,
                            std::span<const BulkPiece> /*pieces*/) {}
  // A lane issues a bulk copy out of it.
  virtual void on_bulk_read(const WarpPoint& /*where*/, unsigned /*lane*/,
                            const BulkRead& /*read*/) {}
  // Where it goes in global memory; `reduces`: it is combined with what is there.
  virtual void on_bulk_store(const WarpPoint& /*where*/, unsigned /*lane*/,
                             std::span<const BulkPiece> /*pieces*/, bool /*reduces*/) {}
  // A lane arrives at an mbarrier of the block, or, where it `waits`, goes on because a phase is
  // over; `parity`: that of the phase. A lane from kWarpSize on is another block's.
  virtual void on_mbarrier(const WarpPoint& /*where*/, unsigned /*lane*/, std::uint64_t /*offset*/,
                           bool /*waits*/, bool /*parity*/) {}
  // An mbarrier of the block is to wait for bytes of copies. Lanes as above.
  virtual void on_expect(const WarpPoint& /*where*/, unsigned /*lane*/, std::uint64_t /*offset*/) {}
  virtual void on_surplus(const ByteSurplus& /*surplus*/) {}
  // A transfer will be announced at an mbarrier.
  virtual void on_transfer(const BulkTransfers::Copy& /*copy*/) {}
  // Lanes read what a cp.async has still to fill.
  virtual void on_early_read(const MicroOp& /*op*/, std::uint32_t /*lanes*/,
                             const LaneArray& /*offsets*/, std::uint64_t /*bytes*/) {}
  // A function of the device's run-time library writes there.
  virtual void on_library_store(unsigned /*lane*/, MemorySpace /*space*/, std::uint64_t /*offset*/,
                                unsigned /*bytes*/) {}
  // Another block of the cluster stores there.
  virtual void on_peer_store(const Finding::Other& /*by*/, std::uint64_t /*offset*/,
                             unsigned /*bytes*/) {}

  // Synchronisation. An arrival is told before it is counted, a release before lanes go on;
  // `whole`, where instructions are watched: everybody who has not left the kernel waits there, and
  // has accessed nothing since the arrival.
  virtual void on_arrive(const BarrierArrival& /*arrival*/) {}
  virtual void on_release(std::uint32_t /*barrier*/, bool /*whole*/) {}
  virtual void on_warp_sync(const Warp& /*warp*/, std::uint32_t /*lanes*/) {}
  // Of a kernel that accesses memory between its arrival at the cluster's barrier and its wait:
  // lanes arrive there; lanes go on at once at a wait, for the phase is over.
  virtual void on_cluster_arrive(const Warp& /*warp*/, std::uint32_t /*lanes*/) {}
  virtual void on_cluster_pass(const Warp& /*warp*/, std::uint32_t /*lanes*/) {}
  virtual void on_cluster_sync() {}  // all blocks of the cluster have come to its barrier
  // Lanes come to a warp's barrier with masks that do not name them, but `members`.
  virtual void on_unnamed_lanes(const CodeBlock& /*block*/, const Warp& /*warp*/,
                                std::uint32_t /*lanes*/, std::uint32_t /*members*/) {}

  // The end of lanes: they leave the kernel, or stop at what is not emulated.
  virtual void on_exit(const Warp& /*warp*/, std::uint32_t /*lanes*/) {}
  virtual void on_stopped_lanes() {}
  // No lane can go on, for all of them wait at barriers; or at mbarriers that nobody completes.
  virtual void on_deadlock() {}
  virtual void on_endless_wait() {}
  // The block has left the kernel before its cluster has.
  virtual void on_left_cluster() {}

  [[nodiscard]] virtual std::uint64_t held_bytes() const { return 0; }
};

// The observers of a block, each told of what it needs in the order in which they were added. As a
// sink of accesses it passes them on to the one behind it.
class Observers final : public TraceSink {
 public:
  // The observer outlives this.
  void add(BlockObserver& observer) { all_.push_back(&observer); }

  // Asks the observers what they need of a program of so many instructions. `next` sees every
  // access first.
  void watch(std::size_t instructions, TraceSink* next);
  // Of products of warp groups, also where no instruction is watched.
  void want_operand_reads() { wants_operand_reads_ = true; }
  [[nodiscard]] bool wants_operand_reads() const {
    return wants_operand_reads_ || !watched_.empty();
  }
  [[nodiscard]] bool watches_any() const { return !watched_.empty(); }
  // Precondition: watches_any().
  [[nodiscard]] bool watches(const MicroOp& op) const {
    return (watched_[op.instruction].any | followers_) != 0;
  }
  // From here on the observer sees before() and after() of every instruction, or no longer does.
  void follow(const BlockObserver& observer, bool every);

  // The instruction that executes, where it is watched; else nullptr.
  [[nodiscard]] const WarpStep* step() const { return step_; }
  void before(const WarpStep& step) {
    step_ = &step;
    for_each(watched_[step.op.instruction].before | followers_,
             [&](BlockObserver& observer) { observer.before(step); });
  }
  void after(const WarpStep& step) {
    for_each(watched_[step.op.instruction].after | followers_,
             [&](BlockObserver& observer) { observer.after(step); });
    step_ = nullptr;
  }
  void on_skip(const WarpStep& skipped) {
    for_each(followers_, [&](BlockObserver& observer) { observer.on_skip(skipped); });
  }
  void on_code_block_end(std::uint32_t block, std::uint32_t lanes, const Warp& warp) {
    for_each(followers_,
             [&](BlockObserver& observer) { observer.on_code_block_end(block, lanes, warp); });
  }
  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    if (next_ != nullptr) next_->on_access(where, access);
    look_at(where, access);
  }
  void on_operand_read(const WarpPoint& where, const WarpAccess& access) {
    tell(&BlockObserver::on_operand_read, where, access);
    look_at(where, access);
  }
  // Any other event.
  template <class... Parameters, class... Arguments>
  void tell(void (BlockObserver::*event)(Parameters...), Arguments&&... arguments) {
    for (BlockObserver* observer : all_) (observer->*event)(arguments...);
  }
  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  using Set = std::uint32_t;  // bit i: all_[i]
  struct Watched {            // who needs which events of an instruction
    Set any = 0;
    Set before = 0;
    Set after = 0;
    Set accesses = 0;
  };

  template <class F>
  void for_each(unsigned set, F tell) {
    for (; set != 0; set &= set - 1) tell(*all_[static_cast<std::size_t>(std::countr_zero(set))]);
  }
  void look_at(const WarpPoint& where, const WarpAccess& access);

  std::vector<BlockObserver*> all_;
  std::vector<Watched> watched_;  // by static instruction
  Set followers_ = 0;             // of every instruction
  bool wants_operand_reads_ = false;
  const WarpStep* step_ = nullptr;
  TraceSink* next_ = nullptr;
};

}  // namespace tilescope
