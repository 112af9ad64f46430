#pragma once
#include <gtest/gtest.h>

#include <string>

#include "analysis/verdicts.h"
#include "kernel/test_catalogue.h"

namespace tilescope::testing {

// A catalogue kernel on an H200, at its default size, counted as issued, and why it is not faster.
inline Diagnosis diagnosed(const std::string& id, const ParameterSet& changes = {}) {
  const CatalogueEntry& kernel = entry(id);
  const DeviceModel h200 = device(90);
  const auto parameters = complete_parameters(kernel, changes);
  EXPECT_TRUE(parameters.ok());
  const auto instance = instantiate(kernel, *parameters, kernel.default_extents, h200);
  EXPECT_TRUE(instance.ok()) << id;
  StudyRequest request;
  request.instance = *instance;
  request.workers = 2;
  auto study = study_block(request, {});
  EXPECT_TRUE(study.ok()) << id;
  auto complete = with_resources(*study, h200, {});
  EXPECT_TRUE(complete.ok()) << id;
  const auto issued = with_issued_counts(*complete, false, 2, {});
  EXPECT_TRUE(issued.ok()) << id;
  const auto diagnosis = diagnose(**issued);
  EXPECT_TRUE(diagnosis.has_value()) << id;
  return diagnosis.value_or(Diagnosis{});
}

}  // namespace tilescope::testing
