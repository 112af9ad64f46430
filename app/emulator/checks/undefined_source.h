#pragma once
#include <cstdint>
#include <variant>

#include "emulator/checks/access_stamp.h"
#include "emulator/program.h"

namespace tilescope {

// A value that a shuffle took from a lane which took no part in it.
struct TakenValue {
  std::uint32_t instruction = 0;  // the shuffle
  std::uint32_t thread = 0;       // that took it
  std::uint32_t from = 0;         // lane
  std::uint32_t members = 0;      // the thread's mask
};

// A read of memory that nobody had written. In shared memory, whether that is a mistake of its own
// or a race with a write that comes too late is known only when the threads have met at a barrier.
struct UnwrittenRead {
  AccessStamp stamp;
  MemorySpace space = MemorySpace::kShared;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;    // of the access
  std::uint64_t missing = 0;  // bit i: byte offset + i
};

// How a thread has come by an undefined value, and whether it has used it.
struct UndefinedSource {
  static constexpr std::uint32_t kUnused = 0xffffffff;
  enum class Verdict : std::uint8_t {
    kOpen,
    kMistake,    // to be reported once the value is used
    kExplained,  // by something else, which has been reported
  };
  std::variant<TakenValue, UnwrittenRead> what;
  Verdict verdict = Verdict::kOpen;
  std::uint32_t use = kUnused;  // the first instruction that does
};

}  // namespace tilescope
