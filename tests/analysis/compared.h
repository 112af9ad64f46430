#pragma once
#include <memory>
#include <optional>
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/studied.h"

namespace tilescope::testing {

// A catalogue kernel on an H200 with all that a comparison asks for.
struct Compared {
  std::shared_ptr<const KernelStudy> study;
  std::optional<Diagnosis> diagnosis;
  std::optional<Quantity> known = std::nullopt;
  Conditions under = {};
  std::vector<std::pair<Conditions, Quantity>> elsewhere = {};
  [[nodiscard]] ComparedKernel kernel() const {
    return {study.get(), diagnosis ? &*diagnosis : nullptr, known, under, elsewhere};
  }
};

inline Compared compared(const std::string& id, const ParameterSet& changes,
                         const ParameterSet& extents) {
  const auto study = studied(id, changes, extents);
  return {study, diagnose(*study)};
}

}  // namespace tilescope::testing
