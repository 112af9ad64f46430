#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "gpu/worker_link.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/compile/compile.h"

namespace tilescope {

// A worker on this machine's GPU, one for all tests of a suite: what a test breaks must not reach
// the next one. Skips, saying why, where there is no GPU.
class OnDevice : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  [[nodiscard]] static WorkerLink& link() { return *link_; }
  [[nodiscard]] static const DeviceInfo& device() { return *device_; }

  // A catalogue kernel, by default quick to time.
  [[nodiscard]] RunRequest catalogue_request(const std::string& id, const ParameterSet& changes,
                                             const std::string& size) const;
  // Any CUDA text; arguments as --arg takes them.
  [[nodiscard]] RunRequest source_request(const std::string& source, const Dim3& grid,
                                          const Dim3& block,
                                          const std::vector<std::string>& arguments) const;
  // The same with another kernel's text in place of a catalogue kernel's.
  [[nodiscard]] RunRequest with_source(RunRequest request, const std::string& source) const;

  [[nodiscard]] Result<RunResult> run(RunRequest request) const;

  // A small right kernel runs and is right: the worker is in order.
  void expect_in_order() const;

 private:
  static void compile_into(RunRequest* request);

  static std::unique_ptr<WorkerLink> link_;
  static std::optional<DeviceInfo> device_;
  static std::string why_not_;
  static Catalogue catalogue_;
  static std::vector<DeviceModel> models_;
};

}  // namespace tilescope
