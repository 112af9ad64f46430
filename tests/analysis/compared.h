#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "analysis/comparison.h"
#include "kernel/test_catalogue.h"

namespace tilescope::testing {

// A catalogue kernel on an H200 with all that a comparison asks for.
struct Compared {
  std::shared_ptr<const KernelStudy> study;
  std::optional<Diagnosis> diagnosis;
  std::optional<Quantity> known = std::nullopt;
  [[nodiscard]] ComparedKernel kernel() const {
    return {study.get(), diagnosis ? &*diagnosis : nullptr, known};
  }
};

inline Compared compared(const std::string& id, const ParameterSet& changes,
                         const ParameterSet& extents) {
  const CatalogueEntry& chosen = entry(id);
  const DeviceModel h200 = device(90);
  const auto parameters = complete_parameters(chosen, changes);
  EXPECT_TRUE(parameters.ok());
  const auto instance = instantiate(chosen, *parameters, extents, h200);
  EXPECT_TRUE(instance.ok()) << id;
  StudyRequest request;
  request.instance = *instance;
  request.workers = 2;
  auto study = study_block(request, {});
  EXPECT_TRUE(study.ok()) << id;
  auto complete = with_resources(*study, h200, {});
  EXPECT_TRUE(complete.ok()) << id;
  return {*complete, diagnose(**complete)};
}

}  // namespace tilescope::testing
