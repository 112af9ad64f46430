#include "emulator/execution/barriers.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::uint64_t kCountMask = Mbarrier::kMostArrivals;
constexpr std::uint64_t kBytesMask = (1u << 21) - 1;
constexpr std::uint64_t kValid = std::uint64_t{2} << 62;
constexpr std::uint64_t kValidMask = std::uint64_t{3} << 62;

}  // namespace

void Barriers::reset(std::uint32_t threads) {
  state_ = {};
  in_use_ = 0;
  threads_ = threads;
  exited_ = 0;
  cluster_phase_ = 0;
}

void Barriers::arrive(const Arrival& arrival) {
  State& state = state_[arrival.id];
  in_use_ |= 1u << arrival.id;
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

std::uint64_t Mbarrier::pack() const {
  return (pending & kCountMask) | ((expected & kCountMask) << 20) |
         ((static_cast<std::uint64_t>(bytes) & kBytesMask) << 40) |
         (phase ? std::uint64_t{1} << 61 : 0) | (valid ? kValid : 0);
}

Mbarrier Mbarrier::unpack(std::uint64_t word) {
  Mbarrier object;
  object.pending = static_cast<std::uint32_t>(word & kCountMask);
  object.expected = static_cast<std::uint32_t>((word >> 20) & kCountMask);
  const auto bytes = static_cast<std::int32_t>((word >> 40) & kBytesMask);
  object.bytes = bytes >= (1 << 20) ? bytes - (1 << 21) : bytes;
  object.phase = ((word >> 61) & 1u) != 0;
  object.valid = (word & kValidMask) == kValid;
  return object;
}

void Mbarrier::init(std::uint32_t count) {
  *this = {};
  pending = expected = count & kMostArrivals;
  valid = true;
}
// Sums wrap at the width that the object keeps, as counts beyond it are undefined in PTX.
void Mbarrier::expect(std::uint32_t more_bytes) {
  bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes) + more_bytes);
}
void Mbarrier::complete(std::uint32_t fewer_bytes) {
  bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes) - fewer_bytes);
  end_phase();
}
void Mbarrier::arrive(std::uint32_t count, bool drops) {
  pending -= std::min(count, pending);
  if (drops) expected -= std::min(count, expected);
  end_phase();
}
void Mbarrier::end_phase() {
  if (pending != 0 || bytes != 0) return;
  phase = !phase;
  pending = expected;
}

}  // namespace tilescope
