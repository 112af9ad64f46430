#pragma once
#include <gtest/gtest.h>

#include <string>

#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"
#include "temporary_folder.h"

namespace tilescope::testing {

inline const Catalogue& catalogue() {
  static const Result<Catalogue> kLoaded = load_catalogue({resource_directory() / "kernels"});
  EXPECT_TRUE(kLoaded.ok()) << to_string(kLoaded.error());
  return *kLoaded;
}

inline const CatalogueEntry& entry(const std::string& id) {
  const CatalogueEntry* found = catalogue().find(id);
  EXPECT_NE(found, nullptr) << id;
  return *found;
}

// Whether the instructions of the kernel exist there: wgmma is Hopper's alone, tensor copies begin
// with it, cp.async a generation before.
inline bool runs_on(const CatalogueEntry& kernel, int compute_capability) {
  const auto uses = [&](const char* instruction) {
    return kernel.source.find(instruction) != std::string::npos;
  };
  if (uses("wgmma.mma_async") || uses("setmaxnreg")) return compute_capability == 90;
  if (uses("cp.async.bulk")) return compute_capability >= 90;
  return kernel.id != "gemm/tensor_core" || compute_capability >= 80;
}

// A problem of the catalogue.
inline Problem problem(const std::string& name) {
  for (const Problem& known : catalogue().problems) {
    if (known->name == name) return known;
  }
  ADD_FAILURE() << "no problem " << name;
  return Problem();
}

inline DeviceModel device(int compute_capability) {
  static const auto kTable = load_device_table(resource_directory() / "assets/devices.json");
  EXPECT_TRUE(kTable.ok());
  const DeviceModel* found = find_device(*kTable, compute_capability);
  EXPECT_NE(found, nullptr) << compute_capability;
  return *found;
}

}  // namespace tilescope::testing
