// The real worker on a machine without a GPU.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "gpu/worker_link.h"

namespace tilescope {
namespace {

TEST(Worker, SaysWhyThereIsNoDeviceInsteadOfFailing) {
  if (::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr) {
    GTEST_SKIP() << "this machine has a driver: tests_gpu_device covers it";
  }
  WorkerSettings settings;
  settings.command = {std::filesystem::read_symlink("/proc/self/exe").string(), "--worker"};
  const auto link = start_worker(settings);
  const auto result = run_and_wait(*link, RunRequest{});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no device: libcuda.so.1 is not installed");
  EXPECT_EQ(result.error().remedy,
            "tilescope trace counts without a GPU, tune --model estimates times");
  EXPECT_EQ(result.error().code, ErrorCode::kMachine);
}

}  // namespace
}  // namespace tilescope
