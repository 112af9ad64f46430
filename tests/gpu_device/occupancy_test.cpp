#include "analysis/occupancy/occupancy.h"

#include <fmt/format.h>

#include <random>

#include "gpu_device/device_fixture.h"
#include "kernel/random_instances.h"

namespace tilescope {
namespace {

class OccupancyOnDevice : public OnDevice {
 protected:
  // What we say of the kernel that the request launches.
  [[nodiscard]] static Result<Occupancy> ours(const RunRequest& request) {
    const KernelInstance& instance = request.instance;
    const KernelResources& resources = request.compiled->resources;
    return occupancy(testing::device(90),
                     {.threads_per_block =
                          static_cast<int>(instance.block.x * instance.block.y * instance.block.z),
                      .registers_per_thread = resources.registers,
                      .static_shared_bytes = static_cast<int>(resources.static_shared_bytes),
                      .dynamic_shared_bytes = static_cast<int>(instance.dynamic_shared_bytes)});
  }

  void expect_same(RunRequest request, const std::string& what) const {
    request.timing.samples = 1;
    request.timing.reference = false;
    request.timing.verify = false;
    const Result<Occupancy> said = ours(request);
    ASSERT_TRUE(said.ok()) << what << ": " << to_string(said.error());
    const Result<RunResult> result = run(request);
    ASSERT_TRUE(result.ok()) << what << ": " << to_string(result.error());
    EXPECT_EQ(said->blocks_per_multiprocessor, result->blocks_per_multiprocessor) << what;
  }
};

// cuOccupancyMaxActiveBlocksPerMultiprocessor is the driver's, ours comes from cuda_occupancy.h and
// the table of devices.
TEST_F(OccupancyOnDevice, OfEveryCatalogueKernelIsTheDrivers) {
  if (device().compute_capability != 90) GTEST_SKIP() << "the expectations are those of an sm_90";
  for (const std::string& id : testing::catalogue_ids()) {
    const std::string size = id == "transpose/serial" ? "64" : "256";
    expect_same(catalogue_request(id, {}, size), id);
    for (const testing::RandomLaunch& launch :
         testing::random_launches(testing::entry(id), 2, 64, testing::device(90))) {
      expect_same(catalogue_request(id, launch.parameters, size),
                  id + " " + testing::to_text(launch));
    }
  }
}

// A kernel with that many live values and that much shared memory of its own.
std::string source_of(int values, int shared_floats) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(256) k(float* p) {{\n"
      "  __shared__ float s[{1}];\n"
      "  float v[{0}];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < {0}; ++i) v[i] = p[i * 32 + threadIdx.x % 32];\n"
      "  s[threadIdx.x % {1}] = v[0];\n"
      "  __syncthreads();\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < {0}; ++i) p[i * 32 + threadIdx.x % 32] = v[i] + s[i % {1}];\n"
      "}}",
      values, shared_floats);
}

TEST_F(OccupancyOnDevice, OfRandomLaunchesIsTheDrivers) {
  if (device().compute_capability != 90) GTEST_SKIP() << "the expectations are those of an sm_90";
  constexpr int kKernels = 25;
  constexpr int kLaunches = 8;          // of each
  constexpr int kMostShared = 232'448;  // bytes of one block, opted in
  std::mt19937 random(2);               // NOLINT: the same launches each time
  const auto between = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    const int shared_floats = between(1, 12'288);
    RunRequest request =
        source_request(source_of(between(1, 220), shared_floats), {1}, {32}, {"f32[8192]"});
    for (int launch = 0; launch < kLaunches; ++launch) {
      request.instance.block.x = static_cast<std::uint32_t>(between(1, 256));
      request.instance.dynamic_shared_bytes =
          static_cast<std::uint32_t>(launch == 0 ? 0 : between(0, kMostShared - 4 * shared_floats));
      expect_same(request,
                  fmt::format("{} threads, {} registers, {} + {} bytes", request.instance.block.x,
                              request.compiled->resources.registers, 4 * shared_floats,
                              request.instance.dynamic_shared_bytes));
    }
  }
}

}  // namespace
}  // namespace tilescope
