#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checks/shuffle_flow.h"
#include "emulator/warp_access.h"

namespace tilescope {

// A value that a shuffle took from a lane which took no part in it.
struct TakenValue {
  std::uint32_t instruction = 0;  // the shuffle
  std::uint32_t thread = 0;       // that took it
  std::uint32_t from = 0;         // lane
  std::uint32_t members = 0;      // the thread's mask
};

// Which registers of a block's warps hold such values in which lanes. They do no harm until they
// are stored or used as an address; branches that depend on them are not seen.
class UndefinedLanes {
 public:
  void start_block();
  // Is there any such value in the block?
  [[nodiscard]] bool any() const { return any_; }
  // Has an instruction to do with them, now that there are some?
  [[nodiscard]] bool watches(std::uint32_t instruction) const {
    return any_ && flow_->of[instruction] != ShuffleFlow::Part::kNone;
  }

  struct Shuffle {
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;                      // that execute it
    std::uint32_t undefined = 0;                  // of them, those that take a stranger's value
    std::array<std::uint32_t, kWarpSize> from{};  // the lane that each takes from
    TakenValue first;                             // where `undefined` is not 0
    bool guarded = false;                         // the instruction has a predicate
  };
  void shuffle(const ShuffleFlow& flow, std::uint32_t instruction, std::uint32_t warps,
               const Shuffle& shuffle);
  // Any other instruction that watches() names. Returns what it uses; nullptr: none of these.
  const TakenValue* step(std::uint32_t instruction, std::uint32_t warp, std::uint32_t lanes);

 private:
  struct Register {
    std::uint32_t lanes = 0;
    std::uint32_t value = 0;  // index into values_
  };
  [[nodiscard]] Register& at(std::uint32_t warp, std::uint32_t index) {
    return registers_[std::size_t{warp} * flow_->uses.registers + index];
  }

  const ShuffleFlow* flow_ = nullptr;
  bool any_ = false;
  std::vector<Register> registers_;  // [warp][register]
  std::vector<TakenValue> values_;   // one for each shuffle
};

}  // namespace tilescope
