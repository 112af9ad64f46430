#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "build_config.h"
#include "counter_comparison.h"
#include "kernel/compile/assemble.h"

// What the machine code of these launches leaves in memory is what the PTX does, and nothing is
// wrong with the kernels. No hardware has counted those of forms.json.
namespace tilescope {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/corpus";
// Of a buffer's largest value: ptxas may contract a product and a sum that NVRTC left apart.
constexpr double kMostF32 = 1e-4;
constexpr double kMostF64 = 1e-12;

template <typename T>
bool are_close(const std::vector<std::byte>& a, const std::vector<std::byte>& b, double most) {
  std::vector<T> first(a.size() / sizeof(T));
  std::vector<T> second(first.size());
  std::memcpy(first.data(), a.data(), a.size());
  std::memcpy(second.data(), b.data(), b.size());
  double largest = 0;
  for (const T value : first) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return std::ranges::equal(first, second, [&](T x, T y) {
    return std::fabs(static_cast<double>(x) - static_cast<double>(y)) <= most * largest;
  });
}

bool are_equal(const DeviceMemory::Buffer& a, const DeviceMemory::Buffer& b) {
  if (*a.contents == *b.contents) return true;
  if (a.type == ElementType::kF32) return are_close<float>(*a.contents, *b.contents, kMostF32);
  return a.type == ElementType::kF64 && are_close<double>(*a.contents, *b.contents, kMostF64);
}

const std::vector<CorpusLaunch>& applications() {
  static const std::vector<CorpusLaunch> all = [] {
    std::vector<CorpusLaunch> launches;
    for (const char* list : {"applications.json", "turns.json", "forms.json", "calls.json"}) {
      const auto read = read_corpus(kFolder / list);
      if (!read) throw std::runtime_error(to_string(read.error()));
      launches.insert(launches.end(), read->begin(), read->end());
    }
    return launches;
  }();
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const CorpusLaunch& launch : applications()) names.push_back(launch.name);
  return names;
}

class Applications : public testing::TestWithParam<std::string> {};

TEST_P(Applications, LeaveTheSameEitherWay) {
  if (const auto tool = disassembler(); !tool) GTEST_SKIP() << to_string(tool.error());
  const CorpusLaunch& launch = *std::ranges::find(applications(), GetParam(), &CorpusLaunch::name);
  auto compiled = compile({launch.instance, kRecordedCapability, true}, {});
  ASSERT_TRUE(compiled) << to_string(compiled.error());
  const auto study = study_of(launch, *std::move(compiled));
  ASSERT_TRUE(study) << to_string(study.error());
  const auto written = run_grid(**study, 1, {}, Checks::kOn);
  ASSERT_TRUE(written) << to_string(written.error());
  EXPECT_TRUE(written->emulation.complete);
  for (const Finding& finding : written->emulation.findings) ADD_FAILURE() << finding.message;
  const auto with_code = with_machine_code(*study, {});
  ASSERT_TRUE(with_code) << to_string(with_code.error());
  const auto issued = run_issued_grid(**with_code, 1, {});
  ASSERT_TRUE(issued) << to_string(issued.error());
  EXPECT_TRUE(issued->emulation.complete);
  const auto& expected = written->memory->buffers();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(are_equal(expected[i], issued->memory->buffers()[i])) << expected[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Applications, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST(ApplicationList, IsThere) { EXPECT_GT(applications().size(), 100U); }

}  // namespace
}  // namespace tilescope
