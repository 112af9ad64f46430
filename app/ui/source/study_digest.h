#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "session/document.h"

namespace tilescope {

// What a line of source costs, for the column beside it.
struct LineHeat {
  float part = 0;     // 0..1 of the costliest line
  float least = 0;    // of part, what could not be spared; 0 for what has no ideal
  std::string words;  // shown on hover; empty: the line has nothing of the column's
};

// Per-line sums over a study, made once when a new one arrives: as issued where that is known and
// wanted, else as written.
struct StudyDigest {
  std::shared_ptr<const KernelStudy> study;
  bool issued = false;                // the sums are those of the machine code
  std::vector<LineCounters> lines;    // those that access memory
  std::vector<LineHeat> source_heat;  // by line - 1
  std::vector<LineHeat> ptx_heat;
  std::vector<LineHeat> machine_heat;  // by line of Program::machine_code()
  // The kernel's line that a line of PTX or machine code comes from, by line - 1; 0: none.
  std::vector<std::uint32_t> ptx_origin;
  std::vector<std::uint32_t> machine_origin;

  void update(const std::shared_ptr<const KernelStudy>& newest, bool as_issued, HeatColumn column);

 private:
  bool asked_issued_ = false;
  HeatColumn column_ = HeatColumn::kSectors;  // of the heats
};

}  // namespace tilescope
