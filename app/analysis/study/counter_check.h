#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "core/quantity.h"

namespace tilescope {

// Values of one reading of a GPU's counters, by Nsight Compute's names.
using CounterValues = std::map<std::string, double>;

// One counter of one launch: emulated from the machine code, and read several times from the
// hardware.
struct CheckedCounter {
  std::string name;
  std::uint64_t emulated = 0;
  std::uint64_t least = 0;  // read
  std::uint64_t most = 0;
  // Emulated in the other order, where that differs (metrics_that_depend_on_turns).
  std::optional<std::uint64_t> other_turns = std::nullopt;

  // By turns: it differs, but it also differs here if warps and blocks run in another order.
  // Contended: the hardware counts more than the kernel's accesses need, and another number at each
  // reading. With many active warps the pipe to shared memory repeats passes of warps that wait for
  // each other (docs/accuracy.md); this cannot be predicted from the accesses.
  enum class Verdict : std::uint8_t { kEqual, kByTurns, kContended, kDifferent };
  [[nodiscard]] Verdict verdict() const;
  // Whether its name contains one of `parts`.
  [[nodiscard]] bool is_one_of(std::span<const std::string_view> parts) const;
  // How far the emulated number is from the nearest read one.
  [[nodiscard]] std::uint64_t distance() const;
  // Contention can explain it: it counts shared memory's pipe, and the hardware counts more. From a
  // single reading one cannot know whether the next would be equal.
  [[nodiscard]] bool may_be_contended() const;
};
[[nodiscard]] std::string_view name_of(CheckedCounter::Verdict verdict);  // "equal"

// Readings of a launch of this very machine code and its emulated counters, by name, without those
// that the GPU does not have. Preconditions: study.issued_counters; at least one reading.
[[nodiscard]] std::vector<CheckedCounter> check_counters(const KernelStudy& study,
                                                         std::span<const CounterValues> readings);

// What a view shows of these counters.
struct HardwareCounters {
  std::string device;                 // "NVIDIA H200"
  std::string date;                   // of the reading, UTC: "2026-11-30"; empty: not known
  Source source = Source::kMeasured;  // or kRecorded
  int readings = 0;
  bool whole_grid = false;  // false: the emulated ones are scaled from a sample, and may differ
  std::vector<CheckedCounter> counters;

  // Of the counters whose names contain one of `parts`: how they stand, the worst of them first;
  // kEqual where there is none.
  [[nodiscard]] CheckedCounter::Verdict worst_of(std::span<const std::string_view> parts) const;
  // Of those among them that differ the one that does most; nullptr: none does.
  [[nodiscard]] const CheckedCounter* most_different(std::span<const std::string_view> parts) const;
  // A counter's distance in parts of what it counts of, 0 to 1: of the larger number, but of
  // conflicts of all wavefronts in shared memory, of which they are some.
  [[nodiscard]] double share_of(const CheckedCounter& counter) const;
};

}  // namespace tilescope
