#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/program.h"

namespace tilescope {

struct MicroOp;
struct ExecutionContext;

// Executes one decoded instruction for the lanes of `mask` (never 0). `registers` is the warp's
// register file: 32-bit registers are rows of 32 words, 64-bit ones rows of 32 double words,
// 16-bit ones lie zero-extended in 32-bit rows, a predicate is one 32-bit mask.
using Executor = void (*)(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                          ExecutionContext& context);

inline constexpr std::uint32_t kFullMask = 0xffffffff;

// MicroOp::flags of ld and st.
inline constexpr std::uint8_t kWideRows = 1;     // data rows have 64 bits
inline constexpr std::uint8_t kSignExtends = 2;  // narrower elements are sign-extended
inline constexpr std::uint8_t kPolls =
    8;  // volatile, acquire, past the L1 ...: may wait for others
inline constexpr std::uint8_t kUnshown = 4;    // sinks are not told: a parameter of a function
inline constexpr std::uint8_t kWideBase = 16;  // the address's row has 64 bits
// ... of cp.async.
inline constexpr std::uint8_t kSourceSize = 1;    // the third row is the source's size
inline constexpr std::uint8_t kIgnoreSource = 2;  // the third row is a predicate: write zeros
inline constexpr std::uint8_t kNegated = 4;       // ... and is negated
// ... of setp and set: how the result is combined with a further predicate, and the relations of
// the operands for which the test holds.
inline constexpr std::uint8_t kNegatesOther = 1;  // the further predicate
inline constexpr std::uint8_t kCombinesByAnd = 2;
inline constexpr std::uint8_t kCombinesByOr = 4;
inline constexpr std::uint8_t kCombinesByXor = 6;
inline constexpr std::uint8_t kCombinations = 6;  // mask of these
inline constexpr std::uint8_t kIfLess = 8;
inline constexpr std::uint8_t kIfEqual = 16;
inline constexpr std::uint8_t kIfGreater = 32;
inline constexpr std::uint8_t kIfUnordered = 64;  // one of them is a NaN

// One cache line of code. Operands are byte offsets of rows in the register file; immediates have
// constant rows of their own, so that an executor knows one kind of operand only.
struct alignas(64) MicroOp {
  Executor execute = nullptr;
  std::uint32_t guard = 0;             // offset of the predicate; offset 0 holds "always"
  std::uint32_t guard_flip = 0;        // all ones for @!p
  std::array<std::uint32_t, 5> row{};  // destination first
  std::uint32_t instruction = 0;       // static index
  std::int64_t immediate = 0;          // displacement of an address, table of lop3 ...
  std::uint32_t extra = 0xffffffff;    // first of further rows in Code::rows; all ones: none
  std::uint32_t site = 0;              // place in the worker's per-access caches
  std::uint8_t extra_count = 0;
  std::uint8_t bytes = 0;   // of a memory access, per lane
  std::uint8_t flags = 0;   // per executor
  std::uint8_t hidden = 0;  // no instruction of its own: not counted, not traced
  MemorySpace space = MemorySpace::kNone;
  AccessKind access = AccessKind::kNone;
};
static_assert(sizeof(MicroOp) == 64);

}  // namespace tilescope
