// A kernel of a file states no problem: what is counted of it stands for its size and its rate.
#include "analysis/compare/comparison.h"
#include "analysis/compared.h"
#include "kernel/launch/file_launch.h"

namespace tilescope {
namespace {

using testing::compared;
using testing::Compared;

const std::string kTranspose = R"(
__global__ void turn(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
})";
const std::string kProduct = R"(
__global__ void product(const float* a, const float* b, float* c, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
})";

Compared own(const std::string& source, int n, int tile, int inputs) {
  LaunchText launch;
  launch.grid = std::to_string(n / tile) + "," + std::to_string(n / tile);
  launch.block = std::to_string(tile) + "," + std::to_string(tile);
  const std::string matrix = "f32[" + std::to_string(n * n) + "]";
  for (int i = 0; i < inputs; ++i) launch.arguments.push_back(matrix + "=random:1");
  launch.arguments.push_back(matrix + "=zero");
  launch.arguments.push_back("i32:" + std::to_string(n));
  StudyRequest request;
  const auto instance = launch_file({"own.cu", source}, launch, "");
  EXPECT_TRUE(instance.ok());
  request.instance = *instance;
  const auto study = study_block(request, {});
  EXPECT_TRUE(study.ok());
  const auto complete = with_resources(*study, testing::device(90), {});
  EXPECT_TRUE(complete.ok());
  return {*complete, diagnose(**complete)};
}

ParameterSet square(std::int64_t n) { return {{"ROWS", n}, {"COLS", n}}; }

// Both orders: which one comes first decides nothing.
template <typename Check>
void both_ways(const Compared& a, const Compared& b, const Check& check) {
  check(compare(std::vector{a.kernel(), b.kernel()}), std::size_t{0}, std::size_t{1});
  check(compare(std::vector{b.kernel(), a.kernel()}), std::size_t{1}, std::size_t{0});
}

TEST(ComparedWork, AFilesTransposeOfTheSameSizeIsRatedInItsBytes) {
  const Compared mine = own(kTranspose, 512, 32, 1);
  const Compared tiled = compared("transpose/tiled", {}, square(512));
  both_ways(tiled, mine, [&](const Comparison& comparison, std::size_t t, std::size_t m) {
    EXPECT_EQ(comparison.pairs[t][m].comparable, Comparable::kYes);
    EXPECT_EQ(comparison.works[m].unit, Unit::kBytesPerSecond);
    EXPECT_NEAR(comparison.works[m].amount, 2.0 * 4 * 512 * 512, 1024);
    const MetricRow& throughput = comparison.rows.front();
    ASSERT_EQ(throughput.name, "throughput");
    ASSERT_TRUE(throughput.values[m] && throughput.values[t]);
    EXPECT_EQ(throughput.values[m]->unit, throughput.values[t]->unit);
    EXPECT_NEAR(comparison.pairs[t][m].speedup,
                tiled.diagnosis->bounds.total() / mine.diagnosis->bounds.total(), 1e-9);
  });
}

TEST(ComparedWork, AFileOfAnotherSizeComparesByRateAlone) {
  const Compared mine = own(kTranspose, 256, 32, 1);
  const Compared tiled = compared("transpose/tiled", {}, square(1024));
  both_ways(tiled, mine, [&](const Comparison& comparison, std::size_t t, std::size_t m) {
    const PairComparison& pair = comparison.pairs[t][m];
    EXPECT_EQ(pair.comparable, Comparable::kOtherSize);
    EXPECT_TRUE(pair.differences.empty());
    EXPECT_NEAR(pair.speedup, tiled.diagnosis->bounds.total() / mine.diagnosis->bounds.total() / 16,
                0.01);
    const auto work = std::ranges::find(comparison.rows, "bytes of the launch", &MetricRow::name);
    ASSERT_NE(work, comparison.rows.end());
    EXPECT_NEAR(work->values[t]->value / work->values[m]->value, 16, 0.01);
    EXPECT_TRUE(work->whole_launch);
  });
}

TEST(ComparedWork, AFilesProductIsRatedInFlopBesideAGemmAndInBytesBesideACopy) {
  const Compared mine = own(kProduct, 256, 16, 2);
  const Compared gemm = compared("gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 256}});
  both_ways(gemm, mine, [](const Comparison& comparison, std::size_t g, std::size_t m) {
    EXPECT_EQ(comparison.pairs[g][m].comparable, Comparable::kYes);
    EXPECT_EQ(comparison.works[m].unit, Unit::kFlopPerSecond);
    EXPECT_NEAR(comparison.works[m].amount / comparison.works[g].amount, 1, 0.02);
  });
  const Compared copy = compared("copy/plain", {}, square(256));
  both_ways(copy, mine, [](const Comparison& comparison, std::size_t c, std::size_t m) {
    EXPECT_EQ(comparison.works[m].unit, comparison.works[c].unit);
    EXPECT_EQ(comparison.pairs[c][m].comparable, Comparable::kOtherSize);
  });
}

TEST(ComparedWork, AFilesTransposeAndAGemmAreOtherProblems) {
  const Compared mine = own(kTranspose, 256, 32, 1);
  const Compared gemm = compared("gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 64}});
  both_ways(gemm, mine, [](const Comparison& comparison, std::size_t g, std::size_t m) {
    EXPECT_EQ(comparison.pairs[g][m].comparable, Comparable::kOtherProblem);
    EXPECT_EQ(comparison.pairs[g][m].speedup, 0);
  });
}

TEST(ComparedWork, TwoFilesCompareByWhatTheyMove) {
  const Compared small = own(kTranspose, 256, 32, 1);
  const Compared large = own(kTranspose, 512, 32, 1);
  both_ways(small, large, [](const Comparison& comparison, std::size_t s, std::size_t l) {
    EXPECT_EQ(comparison.pairs[s][l].comparable, Comparable::kOtherSize);
  });
  const Comparison same = compare(std::vector{small.kernel(), small.kernel()});
  EXPECT_EQ(same.pairs[0][1].comparable, Comparable::kYes);
}

TEST(ComparedWork, AFileOfWhichNothingIsCountedIsNotHeldAgainstTheCatalogue) {
  Compared mine = own(kTranspose, 256, 32, 1);
  const Compared tiled = compared("transpose/tiled", {}, square(1024));
  mine.diagnosis.reset();
  mine.known = Quantity{1e-6, Unit::kSeconds, Source::kMeasured};
  both_ways(tiled, mine, [](const Comparison& comparison, std::size_t t, std::size_t m) {
    EXPECT_EQ(comparison.pairs[t][m].comparable, Comparable::kUnknown);
  });
  const Comparison files = compare(std::vector{mine.kernel(), mine.kernel()});
  EXPECT_EQ(files.pairs[0][1].comparable, Comparable::kYes);
}

}  // namespace
}  // namespace tilescope
