#include "emulator/block/barriers.h"

namespace tilescope {

void Barriers::reset(std::uint32_t threads) {
  state_ = {};
  threads_ = threads;
  exited_ = 0;
}

void Barriers::arrive(const Arrival& arrival) {
  State& state = state_[arrival.id];
  state.arrived += arrival.threads;
  state.expected = arrival.expected;
  state.agreeing += arrival.agreeing;
}

bool Barriers::complete(std::uint32_t id) const {
  const State& state = state_[id];
  if (state.arrived == 0) return false;
  if (state.expected != 0) return state.arrived >= state.expected;
  return state.arrived + exited_ >= threads_;
}

}  // namespace tilescope
