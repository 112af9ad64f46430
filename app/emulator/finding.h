#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/dim3.h"

namespace tilescope {

// Something the kernel does wrong, or the emulator cannot do: docs/findings.md. After kEndless,
// kTrap and kUnsupported the result is not complete.
enum class FindingKind {
  kOutOfBounds,
  kMisaligned,
  kUninitialised,
  kSharedRace,
  kGlobalRace,
  kBarrier,
  kCpAsync,
  kDivision,  // of integers, by zero
  kEndless,
  kTrap,         // the kernel stops itself
  kUnsupported,  // the emulator cannot go on
  kBarrierPlaces,
};
[[nodiscard]] std::string_view name_of(FindingKind kind);  // "out_of_bounds" ...

struct Finding {
  FindingKind kind = FindingKind::kUnsupported;
  std::string message;  // one sentence with the address in terms of the array, and the remedy
  std::uint32_t instruction = 0;  // static index
  Dim3 block;
  Dim3 thread;  // the first thread concerned
  // Where two threads are in each other's way: the other one, and what it does.
  struct Other {
    std::uint32_t instruction = 0;
    Dim3 block;
    Dim3 thread;
  };
  std::optional<Other> other = std::nullopt;
  std::optional<std::uint64_t> address{};  // in global memory, of an access that cannot be made
};

// Against CUDA's rules, but today's GPUs do what was meant: told, and no mistake.
[[nodiscard]] bool is_advice(FindingKind kind);
[[nodiscard]] std::size_t count_mistakes(std::span<const Finding> findings);
[[nodiscard]] const Finding* first_mistake(std::span<const Finding> findings);  // nullptr: none

}  // namespace tilescope
