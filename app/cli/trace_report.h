#pragma once
#include <string>

#include "analysis/kernel_study.h"

namespace tilescope {

// What `trace` found: the study (with resources where the compiler gave them) and the blocks that
// were counted.
struct TraceReport {
  const KernelStudy* study = nullptr;
  const LaunchCounters* counters = nullptr;
  const Emulation* emulation = nullptr;
  std::optional<Verification> verification;
};

// The JSON that the design specifies, indented.
[[nodiscard]] std::string trace_json(const TraceReport& report);

// Tables for a person: totals, one row per source line, findings.
[[nodiscard]] std::string trace_text(const TraceReport& report);

}  // namespace tilescope
