#include "analysis/lane_states.h"

#include <bit>

namespace tilescope {
namespace {

std::uint64_t count(std::uint32_t lanes) {
  return static_cast<std::uint64_t>(std::popcount(lanes));
}

}  // namespace

std::vector<bool> deciding_instructions(const Program& program) {
  std::vector<bool> decides;
  decides.reserve(program.instructions().size());
  for (const StaticInstruction& instruction : program.instructions()) {
    decides.push_back(instruction.instruction_class == InstructionClass::kControl);
  }
  return decides;
}

LaneStates states_of(const StaticInstruction& instruction, const TraceEvent& event,
                     std::uint32_t existing, std::uint32_t done) {
  LaneStates states;
  const bool decides = instruction.instruction_class == InstructionClass::kControl;
  states.working = decides ? event.present : event.active;
  states.predicated = event.present & ~states.working;
  states.absent = ~existing;
  states.done = existing & done & ~event.present;
  states.waiting = existing & ~event.present & ~states.done;
  return states;
}

LaneSlots& LaneSlots::operator+=(const LaneSlots& other) {
  instructions += other.instructions;
  working += other.working;
  predicated += other.predicated;
  waiting += other.waiting;
  done += other.done;
  absent += other.absent;
  return *this;
}

void LaneSlots::add(const LaneStates& states, std::uint64_t times) {
  instructions += times;
  working += count(states.working) * times;
  predicated += count(states.predicated) * times;
  waiting += count(states.waiting) * times;
  done += count(states.done) * times;
  absent += count(states.absent) * times;
}

double LaneSlots::lost_share() const {
  return instructions == 0 ? 0 : static_cast<double>(lost()) / static_cast<double>(total());
}

}  // namespace tilescope
