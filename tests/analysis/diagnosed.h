#pragma once
#include <gtest/gtest.h>

#include <string>

#include "analysis/studied.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/verdicts.h"

namespace tilescope::testing {

// A catalogue kernel on an H200, at its default size, counted as issued, and why it is not faster.
inline Diagnosis diagnosed(const std::string& id, const ParameterSet& changes = {}) {
  const auto study = studied(id, changes, entry(id).default_extents);
  const auto issued = with_issued_counts(study, Counted::kSample, 2, {});
  EXPECT_TRUE(issued.ok()) << id;
  const auto diagnosis = diagnose(**issued);
  EXPECT_TRUE(diagnosis.has_value()) << id;
  return diagnosis.value_or(Diagnosis{});
}

}  // namespace tilescope::testing
