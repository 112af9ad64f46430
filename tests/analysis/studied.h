#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analysis/study/kernel_study.h"
#include "kernel/test_catalogue.h"

namespace tilescope::testing {

// A catalogue kernel on an H200, as written, with the registers of its machine code.
inline std::shared_ptr<const KernelStudy> studied(const std::string& id,
                                                  const ParameterSet& changes,
                                                  const ParameterSet& extents) {
  const CatalogueEntry& kernel = entry(id);
  const DeviceModel h200 = device(90);
  const auto parameters = complete_parameters(kernel, changes);
  EXPECT_TRUE(parameters.ok());
  const auto instance = instantiate(kernel, *parameters, extents, h200);
  EXPECT_TRUE(instance.ok()) << id;
  StudyRequest request;
  request.instance = *instance;
  request.workers = 2;
  const auto study = study_block(request, {});
  EXPECT_TRUE(study.ok()) << id;
  const auto complete = with_resources(*study, h200, {});
  EXPECT_TRUE(complete.ok()) << id;
  return *complete;
}

}  // namespace tilescope::testing
