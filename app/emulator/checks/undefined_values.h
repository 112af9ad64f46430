#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/code.h"
#include "emulator/warp_access.h"

namespace tilescope {

// Of "and" and "or" of predicates, and of a comparison that ends in one: the lanes whose result the
// predicate in op.row[by] decides, whatever the other operand is.
[[nodiscard]] std::uint32_t settled_lanes(const MicroOp& op, const RowUse& use,
                                          const std::byte* registers, unsigned by);
// Of these with a predicate in either row, and of selp: the lanes whose result is not made of what
// op.row[operand] holds, 1 or 2.
[[nodiscard]] std::uint32_t lanes_without(const MicroOp& op, const RowUse& use,
                                          const std::byte* registers, unsigned operand);

// The instructions by which undefined values have come in, as numbered sets.
class OriginSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set kNone = 0;  // the value is defined

  void clear();
  [[nodiscard]] Set of(std::uint32_t instruction);
  // Of a value that is made of two. Past kMostMembers it stays what `a` is.
  [[nodiscard]] Set join(Set a, Set b);
  [[nodiscard]] const std::vector<std::uint32_t>& members(Set set) const { return sets_[set]; }

 private:
  static constexpr std::size_t kMostMembers = 8;
  [[nodiscard]] Set number(std::vector<std::uint32_t> members);
  std::vector<std::vector<std::uint32_t>> sets_{{}};  // sorted
  std::map<std::vector<std::uint32_t>, Set> numbers_;
  std::map<std::pair<Set, Set>, Set> joined_;
};

// Of each lane of one register: where its value comes from, as far as it is undefined.
struct LaneOrigins {
  std::uint32_t lanes = 0;  // that are undefined
  std::array<OriginSets::Set, kWarpSize> of{};

  void put(unsigned lane, OriginSets::Set set) {
    of[lane] = set;
    lanes = set == OriginSets::kNone ? lanes & ~(1u << lane) : lanes | 1u << lane;
  }
};

// A shadow of the register files of a block's warps. Costs nothing while all is defined.
class UndefinedRows {
 public:
  void start(std::uint32_t warps, std::uint32_t register_bytes);
  void clear();
  void clear_warp(std::uint32_t warp);
  [[nodiscard]] bool any() const { return undefined_ != 0; }
  // nullptr: all lanes are defined.
  [[nodiscard]] const LaneOrigins* find(std::uint32_t warp, std::uint32_t row) const;
  // The lanes of `mask` get what stands in `origins`, or become defined.
  void write(std::uint32_t warp, std::uint32_t row, std::uint32_t mask, const LaneOrigins& origins);

 private:
  [[nodiscard]] std::size_t at(std::uint32_t warp, std::uint32_t row) const {
    return std::size_t{warp} * rows_ + row / 4;
  }
  std::uint32_t warps_ = 0;
  std::uint32_t rows_ = 0;             // places of a warp: every fourth byte of its file
  std::vector<std::uint32_t> number_;  // into origins_, by warp and place; 0: never undefined
  std::vector<LaneOrigins> origins_;
  std::size_t undefined_ = 0;  // of origins_, those of which a lane is undefined
};

// What an instruction does with its rows as it executes now: a wgmma that begins its sums does not
// read them.
[[nodiscard]] RowUse used_rows(const MicroOp& op, const RowUse& use, const std::byte* registers);

// Follows undefined values from register to register, and through shared and local memory, until
// something depends on them: before that they do no harm. A choice that does not take one, an "and"
// with what is false, and the elements of a matrix product that others make up stay defined.
class UndefinedValues {
 public:
  using Set = OriginSets::Set;

  void start_block(const Code& code, std::uint32_t warps);
  // Is there any such value in the block's registers?
  [[nodiscard]] bool any() const { return rows_.any(); }

  // An instruction of which `lanes` of a warp execute, and the warp's registers before it.
  struct Step {
    const MicroOp& op;
    const RowUse& use;
    const std::byte* registers;
    std::uint32_t warp;
    std::uint32_t lanes;
  };
  // A lane to whose undefined value the instruction gives a meaning.
  struct Use {
    Set origins = OriginSets::kNone;
    unsigned lane = 0;
  };
  // Before any instruction but a shuffle, and where a basic block ends. Returns what it depends on,
  // until the next call.
  const std::vector<Use>& follow(const Step& step);
  const std::vector<Use>& follow_end(const Step& step);
  // Lanes whose guard keeps them from executing it: what kept them may be undefined.
  const std::vector<Use>& skip(const Step& step);
  // Before a shuffle: whom each lane takes from, and what of that nobody gives.
  void shuffle(const Step& step, const std::array<std::uint32_t, kWarpSize>& from,
               const LaneOrigins& undefined);

  // The executing load has found bytes undefined at the place that lane `lane` names; bit i:
  // byte i of its access.
  void bring(unsigned lane, std::uint64_t missing, Set origins);
  [[nodiscard]] bool brings() const { return !brought_.empty(); }
  void finish_load(const Step& step);  // behind it
  // Lanes read a register that they have not written.
  void leave_unset(std::uint32_t warp, std::uint32_t row, std::uint32_t lanes,
                   std::uint32_t instruction);

  // What the executing store writes at the place that a lane names.
  struct Stored {
    std::uint64_t bytes = 0;  // bit i: byte i of the access is undefined
    Set origins = OriginSets::kNone;
  };
  [[nodiscard]] bool stores() const { return stores_; }
  // Once for each lane whose store is seen; what is left behind the store has gone unseen.
  Stored take_stored(unsigned lane);
  // Behind it: where the rest goes is not followed (a function's parameter). See follow().
  const std::vector<Use>& finish_store();

  // An undefined byte in memory. `place` names one of the block's bytes.
  void keep(std::uint64_t place, Set origins) { kept_[place] = origins; }
  [[nodiscard]] Set kept(std::uint64_t place) const;  // kNone: nobody has written there

  [[nodiscard]] Set origin(std::uint32_t instruction) { return sets_.of(instruction); }
  [[nodiscard]] const std::vector<std::uint32_t>& members(Set set) const {
    return sets_.members(set);
  }
  void forget_warp(std::uint32_t warp) { rows_.clear_warp(warp); }

 private:
  void add_uses(const LaneOrigins& origins, std::uint32_t lanes);
  void use_all(const Step& step);
  // Of all rows that it reads, its guard included, lane by lane.
  [[nodiscard]] LaneOrigins read(const Step& step);
  void join(LaneOrigins& to, std::uint32_t warp, std::uint32_t row, std::uint32_t lanes);
  void write_results(const Step& step, const LaneOrigins& origins);
  [[nodiscard]] LaneOrigins choose(const Step& step);
  [[nodiscard]] LaneOrigins combine(const Step& step);
  [[nodiscard]] LaneOrigins mix(const Step& step);
  void multiply(const Step& step);
  void collect_stored(const Step& step);
  void add_stored(unsigned lane, std::uint64_t bytes, Set origins);
  [[nodiscard]] std::uint32_t further(const MicroOp& op, unsigned index) const {
    return code_->rows[op.extra + index];
  }
  [[nodiscard]] std::uint32_t data_row(const MicroOp& op, unsigned element) const;

  const Code* code_ = nullptr;
  OriginSets sets_;
  UndefinedRows rows_;
  std::vector<Use> uses_;
  struct Brought {
    unsigned lane = 0;
    std::uint64_t missing = 0;
    Set origins = OriginSets::kNone;
  };
  std::vector<Brought> brought_;  // by the executing load
  std::array<Stored, kWarpSize> stored_{};
  bool stores_ = false;
  std::unordered_map<std::uint64_t, Set> kept_;  // by place
};

}  // namespace tilescope
