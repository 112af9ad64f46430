#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "corpus.h"
#include "recorded_counters.h"

namespace tilescope {

struct CounterDifference {
  std::string metric;
  std::uint64_t measured = 0;
  std::uint64_t emulated = 0;
};

// One launch, emulated and measured.
struct CounterComparison {
  bool same_code = false;    // false: another compiler made other code, nothing was compared
  std::string finding;       // what the emulator could not do, or found wrong; empty: nothing
  std::size_t compared = 0;  // counters that are not 0 on both sides
  std::vector<CounterDifference> differences;
};

// What is compared: names that metrics_of() gives (analysis/memory/counters.h) and read_counters.py
// reads.
[[nodiscard]] const std::vector<std::string>& compared_metrics();

// Emulates the machine code of the whole launch and compares its counters for equality. Errors:
// those of compiling and disassembling (kMachine: no NVRTC, no nvdisasm).
[[nodiscard]] Result<CounterComparison> compare_counters(const CorpusLaunch& launch,
                                                         const RecordedLaunch& recorded);

}  // namespace tilescope
