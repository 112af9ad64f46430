#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
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

inline constexpr int kRecordedCapability = 90;

// prepare_study() of what is compiled already, with the cubin.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> study_of(const CorpusLaunch& launch,
                                                                  CompiledKernel compiled);

// Emulates the machine code of the whole launch and compares its counters for equality. Errors:
// those of compiling and disassembling (kMachine: no NVRTC, no nvdisasm).
[[nodiscard]] Result<CounterComparison> compare_counters(const CorpusLaunch& launch,
                                                         const RecordedLaunch& recorded);
[[nodiscard]] Result<CounterComparison> compare_counters(const CorpusLaunch& launch,
                                                         CompiledKernel code,
                                                         const RecordedLaunch& recorded);

}  // namespace tilescope
