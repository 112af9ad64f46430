#include "emulator/checks/undefined_lanes.h"

#include <algorithm>
#include <bit>

namespace tilescope {

void UndefinedLanes::start_block() {
  if (!any_) return;
  any_ = false;
  std::fill(registers_.begin(), registers_.end(), Register{});
  values_.clear();
}

void UndefinedLanes::shuffle(const ShuffleFlow& flow, std::uint32_t instruction,
                             std::uint32_t warps, const Shuffle& shuffle) {
  if (flow.of.empty()) return;
  flow_ = &flow;
  registers_.resize(std::size_t{warps} * flow.uses.registers);
  const RegisterUse& use = flow.uses.by_instruction[instruction];
  if (use.writes.empty()) return;
  Register result{shuffle.undefined, 0};
  const std::size_t operand = shuffle.guarded ? 1 : 0;  // guards are read first
  if (any_ && operand < use.reads.size()) {
    const Register source = at(shuffle.warp, use.reads[operand]);
    for (std::uint32_t left = shuffle.lanes & ~shuffle.undefined; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      if (((source.lanes >> (shuffle.from[lane] & 31u)) & 1u) != 0) result.lanes |= 1u << lane;
    }
    result.value = source.value;
  }
  if (shuffle.undefined != 0) {
    any_ = true;
    const auto known = std::find_if(values_.begin(), values_.end(), [&](const TakenValue& value) {
      return value.instruction == instruction;
    });
    result.value = static_cast<std::uint32_t>(known - values_.begin());
    if (known == values_.end()) values_.push_back(shuffle.first);
  }
  Register& to = at(shuffle.warp, use.writes.front());
  to.lanes = (to.lanes & ~shuffle.lanes) | result.lanes;
  if (result.lanes != 0) to.value = result.value;
}

const TakenValue* UndefinedLanes::step(std::uint32_t instruction, std::uint32_t warp,
                                       std::uint32_t lanes) {
  const RegisterUse& use = flow_->uses.by_instruction[instruction];
  std::uint32_t in_some = 0;
  std::uint32_t in_all = lanes;
  std::uint32_t value = 0;
  for (const std::uint32_t r : use.reads) {
    const Register& source = at(warp, r);
    if ((source.lanes & lanes) != 0) value = source.value;
    in_some |= source.lanes & lanes;
    in_all &= source.lanes;
  }
  const ShuffleFlow::Part part = flow_->of[instruction];
  std::uint32_t result = 0;
  if (part == ShuffleFlow::Part::kPasses) result = in_some;
  if (part == ShuffleFlow::Part::kChooses && in_some != 0) result = in_all;
  for (const std::uint32_t r : use.writes) {
    Register& to = at(warp, r);
    to.lanes = (to.lanes & ~lanes) | result;
    if (result != 0) to.value = value;
  }
  return part == ShuffleFlow::Part::kUses && in_some != 0 ? &values_[value] : nullptr;
}

}  // namespace tilescope
