#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/code.h"
#include "emulator/execution/async_copies.h"

namespace tilescope {

// How lanes that come to a WARPSYNC together go on.
enum class WarpSync : std::uint8_t {
  kTogether,
  kExclusive,  // the lanes of one mask, then those of the next
  kInTurn,     // no waiting: the lanes of one value, then those of the next
};

// The convergence barriers B0 .. B15 of a warp's machine code: for each the lanes that take part in
// it. BSSY adds the lanes that execute it, BREAK takes those that execute it out, a BSYNC that all
// have come to empties it. One whose lanes came out of a register again (BMOV) is executed once
// more when all have come (measured: docs/accuracy.md).
class ConvergenceBarriers {
 public:
  static constexpr std::uint32_t kCount = 16;

  void reset() {
    members_.fill(0);
    restored_ = 0;
  }
  void add(std::uint32_t barrier, std::uint32_t lanes) { members_[barrier] |= lanes; }
  void remove(std::uint32_t barrier, std::uint32_t lanes) {
    members_[barrier] &= ~lanes;
    if (members_[barrier] == 0) settle(barrier);
  }
  void restore(std::uint32_t barrier, std::uint32_t lanes) {
    members_[barrier] = lanes;
    restored_ |= 1u << barrier;
  }
  [[nodiscard]] std::uint32_t members(std::uint32_t barrier) const { return members_[barrier]; }
  void settle(std::uint32_t barrier) { restored_ &= ~(1u << barrier); }
  [[nodiscard]] bool restored(std::uint32_t barrier) const {
    return (restored_ >> barrier & 1u) != 0;
  }

 private:
  std::array<std::uint32_t, kCount> members_{};
  std::uint32_t restored_ = 0;  // a bit a barrier
};

// Registers of functions that are under way in a warp and will run again before they come back: one
// copy of the register file for each depth, of which a lane uses its own cells.
class SavedFrames {
 public:
  void reset() { depths_.clear(); }
  void save(const Code& code, const FrameRows& rows, const std::byte* registers,
            std::uint32_t mask);
  // Those that the lanes saved at the depth where they are (the frame row tells).
  void restore(const Code& code, const FrameRows& rows, std::byte* registers,
               std::uint32_t mask) const;

 private:
  std::vector<std::vector<std::byte>> depths_;
};

// Lanes of a warp that go through the code together.
//
// PTX: where a branch divides a split, it waits at the reconvergence block
// (CodeBlock::reconvergence) and its lanes go on in children, each until it reaches that block. A
// call is a split that waits at its return point for one child. Children are independent: each can
// wait at a barrier by itself while its siblings run, so lanes that wait for one another make
// progress (independent thread scheduling). Lanes that were let go on without such a sibling wait
// for it again where the warp acts together (BarrierKind::kExchange).
//
// Machine code: splits have no parents. Lanes that diverge stay apart until a convergence barrier
// joins them or they come to the same place, as the hardware has it.
struct Split {
  enum class State : std::uint8_t {
    kReady,
    kWaitsForChildren,
    kAtBarrier,
    kAtWarpBarrier,
    kAtExchange,
    kAtConvergence,
    kYielded,
    kGone
  };
  std::uint32_t block = 0;  // basic block that comes next
  std::uint32_t mask = 0;
  std::uint32_t rejoin = kNoBlock;  // where it reconverges with its siblings: the parent goes on
  std::uint32_t parent = kNoBlock;  // index; kNoBlock: none
  std::uint32_t children = 0;
  std::uint32_t barrier = 0;  // id while kAtBarrier or kAtConvergence
  std::uint32_t at = 0;       // basic block of the barrier it waits at
  State state = State::kReady;
  bool is_call = false;
  std::uint32_t members = 0;  // whom a WARPSYNC waits for
  std::uint64_t since = 0;    // machine code: what stopped earlier has the smaller number

  [[nodiscard]] bool at_barrier() const {
    return state == State::kAtBarrier || at_lanes() || state == State::kAtConvergence;
  }
  [[nodiscard]] bool at_lanes() const {  // of its own warp
    return state == State::kAtWarpBarrier || state == State::kAtExchange;
  }
};

// A warp's lanes as a tree of splits, and what they have under way. Invariant: each lane that is
// alive is in exactly one split that is no ancestor of another one with that lane.
struct Warp {
  static constexpr std::size_t kMostSplits = 4096;  // deep recursion ends here

  std::uint32_t index = 0;
  std::uint32_t lanes = 0;  // that exist
  std::uint32_t alive = 0;  // that have not exited
  std::byte* registers = nullptr;
  std::byte* local = nullptr;
  std::vector<Split> splits;
  // How its last time slice ended.
  std::uint32_t last_split = kNoBlock;  // which ran when the slice was over
  bool polls = true;                    // it may be waiting for another's write
  bool spins = false;                   // the whole slice went by in a loop that may
  bool acted = false;                   // it has changed memory or come to a barrier in the slice
  bool waits = false;                   // it spins, and the slice changed nothing
  struct Pause {                        // in the middle of a slice
    std::int64_t instructions = -1;     // what was left of it; negative: there is none
    bool polled = false;
    std::uint8_t traits = 0;
  } pause;
  AsyncCopies async;
  SavedFrames saved;
  ConvergenceBarriers convergence;
  std::uint32_t failed_tests = 0;                 // in a row, at mbarriers
  std::array<std::uint32_t, 32> cluster_waits{};  // of each lane so far
  // Machine code.
  bool converges_at_barriers = false;
  std::uint32_t alternate = kNoBlock;  // the other side of the last branch: goes on next
  std::uint64_t stops = 0;             // of splits, so far: Split::since

  void start(std::uint32_t existing, std::uint32_t entry);
  [[nodiscard]] std::uint32_t find_ready() const;  // the youngest; kNoBlock: none
  // The split that begins the warp's next time slice: the one that was running; in PTX, and where
  // it may wait for another's write, the one after it, round-robin.
  std::uint32_t next_split();
  // The split that goes on when the present one cannot. kNoBlock: none can.
  std::uint32_t choose();
  [[nodiscard]] bool done() const { return alive == 0; }

  // Divides a split: `taken` of its lanes go to `target`, the others to `next`; those of PTX
  // reconverge at `reconvergence`. Returns the split to go on with.
  std::uint32_t diverge(std::uint32_t split, std::uint32_t taken, std::uint32_t target,
                        std::uint32_t next, std::uint32_t reconvergence);
  // The lanes call: a child runs from `target`, the split goes on at `next` when it has returned.
  std::uint32_t call(std::uint32_t split, std::uint32_t target, std::uint32_t next);
  // The lanes of `split` come to BSYNC of `barrier` at block `place`. False: they wait.
  bool converge(std::uint32_t split, std::uint32_t place, std::uint32_t barrier);
  // The lanes of `split` come to a WARPSYNC at block `place`, each with its lanes in `members`.
  // False: they wait. Where one group goes after another, the later ones come here again.
  bool synchronise(std::uint32_t split, std::uint32_t place, const std::uint32_t* members,
                   WarpSync how);
  // The lanes of `split` execute YIELD. False: they are not all that are left of the warp, so they
  // stop until no other lanes are ready.
  bool yield(std::uint32_t split);
  // Machine code: splits that wait for nobody any more come to their barrier again.
  void wake_complete();
  // Lets lanes that wait for this split's lanes at a reconvergence point, or for their return, go
  // on without them: what they wait for may be waiting for them (a lock, a flag). False: none wait.
  bool release_waiting(std::uint32_t split);
  // PTX: ready splits that go on at the same place in the same call become part of `split`. Where
  // lanes have waited for each other, those that `release_waiting` had separated come together.
  void gather(std::uint32_t split);
  // Lanes that have come to a split's reconvergence point and wait there for their siblings.
  [[nodiscard]] std::uint32_t waiting_lanes(std::uint32_t split) const;
  // Of the lanes that wait for others, those that have nothing left to do but leave the kernel.
  [[nodiscard]] std::uint32_t leaving_lanes(const std::vector<CodeBlock>& blocks) const;
  // Lets those leave. Returns which did.
  std::uint32_t leave_waiting(const std::vector<CodeBlock>& blocks);
  void rejoin(std::uint32_t split);                            // it reached its rejoin block
  void leave(std::uint32_t split, std::uint32_t lanes);        // exit
  void return_from(std::uint32_t split, std::uint32_t lanes);  // ret; exit where nobody called

 private:
  // `diverge` of machine code: the side with fewer lanes goes on.
  std::uint32_t diverge_apart(std::uint32_t split, std::uint32_t taken, std::uint32_t target,
                              std::uint32_t next);
  [[nodiscard]] bool waits_to_leave(std::uint32_t split,
                                    const std::vector<CodeBlock>& blocks) const;
  // The lanes that wait at `barrier`; ConvergenceBarriers::kCount: at a WARPSYNC for `members`.
  [[nodiscard]] std::uint32_t waiting_at(std::uint32_t barrier, std::uint32_t members) const;
  // The lanes that have executed YIELD and not gone on yet: no BSYNC waits for them.
  [[nodiscard]] std::uint32_t yielded() const;
  // Where every lane waits at a BSYNC for lanes at another one, those that wait longest go on. The
  // code itself never does that: it follows from an order after YIELD that is not the machine's.
  std::uint32_t release_longest();
  [[nodiscard]] static std::uint32_t first_group(std::uint32_t of, const std::uint32_t* members);
  [[nodiscard]] static std::uint32_t group_to_go(std::uint32_t of, const std::uint32_t* members);
  // Splits in the given state at `place` become part of `split`.
  void absorb(std::uint32_t split, Split::State state, std::uint32_t place);
  // The split that called the function which `split` is in. kNoBlock: it is in the kernel.
  [[nodiscard]] std::uint32_t frame_of(std::uint32_t split) const;
  std::uint32_t add(Split split);
  void retire(std::uint32_t split);
};

}  // namespace tilescope
