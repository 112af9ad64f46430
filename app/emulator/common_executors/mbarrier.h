#pragma once
#include <cstdint>

#include "emulator/micro_operation.h"

namespace tilescope {

// An mbarrier object as this emulator keeps it in its 64 bits (PTX ISA, "mbarrier"; the layout is
// opaque to programs).
struct Mbarrier {
  std::uint32_t pending = 0;   // arrivals that the current phase still waits for
  std::uint32_t expected = 0;  // arrivals of the next phase
  std::int32_t bytes = 0;      // of asynchronous copies that the current phase still waits for
  bool phase = false;          // parity of the current phase
  bool valid = false;          // between init and inval

  static constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

  [[nodiscard]] std::uint64_t pack() const;
  [[nodiscard]] static Mbarrier unpack(std::uint64_t word);

  void init(std::uint32_t count);
  void expect(std::uint32_t more_bytes);
  void complete(std::uint32_t fewer_bytes);
  void arrive(std::uint32_t count, bool drops);

 private:
  void turn();  // into the next phase, when nothing is awaited any more
};

// MicroOp::flags of the mbarrier operations.
inline constexpr std::uint8_t kWideAddress = 1;
inline constexpr std::uint8_t kDrops = 2;         // arrive_drop
inline constexpr std::uint8_t kExpectsFirst = 4;  // arrive.expect_tx
inline constexpr std::uint8_t kByParity = 8;      // test_wait.parity
inline constexpr std::uint8_t kNoIncrement = 16;  // cp.async.mbarrier.arrive.noinc
inline constexpr std::uint8_t kInvalidates = 32;  // inval, by the operation of init
inline constexpr std::uint8_t kCompletes = 64;    // complete_tx, by the operation of expect_tx

}  // namespace tilescope
