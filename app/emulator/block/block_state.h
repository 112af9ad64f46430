#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "emulator/emulate.h"

namespace tilescope {

// A register of a warp at some moment: 32 lanes.
struct RegisterValue {
  std::string name;                       // as in the PTX: "%f12"; in device functions "name:%f12"
  std::uint8_t bytes = 4;                 // of one lane; 0: a predicate, each lane 0 or 1
  bool is_float = false;                  // f32 or f64 by its declaration
  std::array<std::uint64_t, 32> lanes{};  // bits, low bytes
};

// What a block holds after its first events.
struct BlockState {
  std::vector<std::byte> shared;  // the block's shared memory
  std::vector<std::vector<RegisterValue>>
      registers;             // by warp, in order of first mention in the code
  std::uint64_t events = 0;  // executed, at most as many as were asked for
};

// Runs the block again, on private copies of what it writes, and stops after `event_count` events
// of trace_block()'s order. Registers that no event has written yet hold 0.
[[nodiscard]] Result<BlockState> state_at(const Program& program, const Launch& launch,
                                          const DeviceMemory& memory, std::uint64_t linear_block,
                                          std::uint64_t event_count, std::stop_token stop);

}  // namespace tilescope
