#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/time/verdicts.h"
#include "emulator/finding_place.h"

namespace tilescope {

// What `trace` found: the study (with resources where the compiler gave them) and what was counted,
// as written and as issued.
struct TraceReport {
  const KernelStudy* study = nullptr;
  const LaunchCounters* written = nullptr;
  const LaunchCounters* issued = nullptr;  // by instruction of study->issued; nullptr: not known
  std::string why_not_issued;              // one sentence, where counters of it are missing
  bool same_result = true;                 // both ways left the same bytes in memory
  const Emulation* emulation = nullptr;    // of the kernel as written
  std::optional<Verification> verification;
  std::optional<Diagnosis> diagnosis;  // of a run that came to its end without findings
  std::string not_modelled;            // why there is none, where that is known: a sentence

  // The counts that are shown first: as issued where they are known.
  [[nodiscard]] const Program& program() const {
    return issued != nullptr ? *study->issued : *study->program;
  }
  [[nodiscard]] const LaunchCounters& counters() const {
    return issued != nullptr ? *issued : *written;
  }
};

[[nodiscard]] inline nlohmann::json triple(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

// One problem: kind, message, block, thread, file and line, and the other thread where there is
// one.
[[nodiscard]] nlohmann::json finding_json(const Program& program, const FindingPlaces& places,
                                          const Finding& finding);

// Each instruction that counts, in the order of the code: its text, source file and line, its line
// in the PTX or in the listing of the machine code, how often warps and lanes executed it, and what
// its accesses cost.
[[nodiscard]] nlohmann::json instructions_json(const Program& program,
                                               const LaunchCounters& counters);

// The JSON that the design specifies, indented.
[[nodiscard]] std::string trace_json(const TraceReport& report);

// Tables for a person: totals, one row per source line, findings.
[[nodiscard]] std::string trace_text(const TraceReport& report);

}  // namespace tilescope
