#pragma once
#include <cstdint>

namespace tilescope {

// Who touched a piece of memory, with which instruction, and when: `tick` is the time of the
// thread's warp, which goes on with every access and every synchronisation; 0: never.
struct AccessStamp {
  static constexpr std::uint32_t kMostInstructions = 1u << 19;

  std::uint32_t thread : 10 = 0;  // linear index in the block
  std::uint32_t strong : 1 = 0;   // volatile, atomic ...
  std::uint32_t atomic : 1 = 0;
  std::uint32_t polls : 1 = 0;  // a load: see InstructionNote; a write: a cp.async has arrived
  std::uint32_t instruction : 19 = 0;
  std::uint32_t tick = 0;

  [[nodiscard]] std::uint32_t warp() const { return thread / 32; }
  [[nodiscard]] std::uint32_t lane() const { return thread % 32; }
};
static_assert(sizeof(AccessStamp) == 8);

}  // namespace tilescope
