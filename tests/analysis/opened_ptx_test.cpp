// PTX that was handed in is treated as what it was made from would be: the same machine code, hence
// the same counts as issued, but its lines are its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/studied.h"
#include "analysis/study/kernel_study.h"

namespace tilescope {
namespace {

using testing::studied;

std::shared_ptr<const KernelStudy> counted_as_issued(std::shared_ptr<const KernelStudy> study) {
  const auto counted = with_issued_counts(std::move(study), Counted::kGrid, 2, {});
  EXPECT_TRUE(counted.ok());
  return counted.ok() ? *counted : nullptr;
}

std::shared_ptr<const KernelStudy> opened(const KernelStudy& made) {
  StudyRequest request;
  request.instance = made.instance;
  request.instance.file_name = "opened.ptx";
  request.instance.source = made.compiled->ptx;
  request.instance.kernel = made.compiled->kernel;
  request.workers = 2;
  const auto study = study_block(request, {});
  EXPECT_TRUE(study.ok());
  const auto complete = with_resources(*study, testing::device(90), {});
  EXPECT_TRUE(complete.ok());
  return counted_as_issued(*complete);
}

void expect_same_counts(const LaunchCounters& one, const LaunchCounters& other) {
  EXPECT_EQ(one.executed.warps, other.executed.warps);
  ASSERT_EQ(one.by_instruction.size(), other.by_instruction.size());
  for (std::size_t i = 0; i < one.by_instruction.size(); ++i) {
    EXPECT_EQ(one.by_instruction[i].requests, other.by_instruction[i].requests);
    EXPECT_EQ(one.by_instruction[i].sectors, other.by_instruction[i].sectors);
    EXPECT_EQ(one.by_instruction[i].wavefronts, other.by_instruction[i].wavefronts);
  }
}

class OpenedPtx : public ::testing::TestWithParam<const char*> {};

TEST_P(OpenedPtx, IsCountedAsIssuedByItsOwnLines) {
  const bool transposes = std::string_view(GetParam()).starts_with("transpose");
  const auto made =
      counted_as_issued(studied(GetParam(), {},
                                transposes ? ParameterSet{{"ROWS", 128}, {"COLS", 128}}
                                           : ParameterSet{{"M", 128}, {"N", 128}, {"K", 64}}));
  ASSERT_TRUE(made != nullptr && made->issued_counters != nullptr);
  const auto study = opened(*made);
  ASSERT_NE(study, nullptr);
  ASSERT_NE(study->issued_counters, nullptr) << study->why_not_issued;
  EXPECT_EQ(study->compiled->resources.registers, made->compiled->resources.registers);
  expect_same_counts(*study->issued_counters, *made->issued_counters);

  EXPECT_EQ(study->program->files(), std::vector<std::string>{"opened.ptx"});
  for (const StaticInstruction& written : study->program->instructions()) {
    EXPECT_EQ(written.outermost.line, written.ptx_line);
  }
  // A load of the machine code comes from a load of the PTX.
  const auto& loads = study->program->instructions();
  for (const StaticInstruction& issued : study->issued->instructions()) {
    if (!issued.counts || issued.access != AccessKind::kLoad ||
        issued.space != MemorySpace::kGlobal) {
      continue;
    }
    EXPECT_TRUE(std::ranges::any_of(loads,
                                    [&](const StaticInstruction& written) {
                                      return written.ptx_line == issued.outermost.line &&
                                             written.access == AccessKind::kLoad;
                                    }))
        << issued.text << " of line " << issued.outermost.line;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OpenedPtx,
                         ::testing::Values("gemm/naive", "gemm/register_tile", "transpose/tiled"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace tilescope
