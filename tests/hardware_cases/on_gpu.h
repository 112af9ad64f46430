#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu_device.h"

namespace tilescope {

// Modules of PTX text on this machine's GPU. Skips, saying why, where there is none.
class OnGpu : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite() { gpu_.reset(); }
  void SetUp() override;

  static Result<CUmodule> load(const std::string& ptx);
  static void unload(CUmodule module);

  // Precondition: the test is not skipped.
  static GpuDevice& gpu() { return *gpu_; }

  // Launches a kernel whose arguments are these buffers, and reads all of them back.
  using Bytes = std::vector<std::byte>;
  static Status launch(CUmodule module, const std::string& kernel, unsigned blocks,
                       unsigned threads, std::vector<Bytes>& buffers);

 private:
  static std::unique_ptr<GpuDevice> gpu_;
  static std::string why_not_;
};

}  // namespace tilescope
