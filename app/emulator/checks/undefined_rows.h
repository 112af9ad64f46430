#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/warp_access.h"

namespace tilescope {

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

template <class F>
void for_lanes(std::uint32_t mask, F see) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    see(static_cast<unsigned>(std::countr_zero(left)));
}

// A shadow of the register files of a block's warps. Costs nothing while all is defined.
class UndefinedRows {
 public:
  void start(std::uint32_t warps, std::uint32_t register_bytes);
  void clear();
  void clear_warp(std::uint32_t warp);
  [[nodiscard]] bool any() const { return any_; }
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
  bool any_ = false;
};

}  // namespace tilescope
