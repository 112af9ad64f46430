#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "annotated_kernel.h"
#include "program.h"

// tests/mutations/*.cu: each file is a sound kernel that `-D MUTANT=n` breaks in one way.
namespace tilescope {
namespace {

class Mutations : public testing::TestWithParam<AnnotatedLaunch> {};

TEST_P(Mutations, AreFoundWhereTheyAre) {
  for (const std::string& mistake : mistakes_of(GetParam())) ADD_FAILURE() << mistake;
}

// The sound kernel and the mutants of one file.
TEST(MutationsOfTheProgram, AreFoundAndDecideItsStatus) {
  for (const AnnotatedLaunch& launch : annotated_launches("mutations")) {
    if (launch.file.stem() != "reduction") continue;
    std::string arguments = "trace --json";
    for (const std::string& word : launch.words()) arguments += " '" + word + "'";
    const ProgramRun run = run_tilescope(arguments);
    EXPECT_EQ(run.status, launch.kinds.empty() ? 0 : 2) << run.errors;
    for (const std::string& mistake : mistaken_findings(launch, run.output)) {
      ADD_FAILURE() << mistake << run.errors;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Mutations, testing::ValuesIn(annotated_launches("mutations")),
                         [](const auto& param) { return param.param.name(); });

TEST(MutationSet, IsAsLargeAsItIsSaidToBe) {
  const std::vector<AnnotatedLaunch> all = annotated_launches("mutations");
  const auto sound = std::count_if(
      all.begin(), all.end(), [](const AnnotatedLaunch& launch) { return launch.variant == 0; });
  EXPECT_GE(sound, 12);
  EXPECT_GE(static_cast<std::ptrdiff_t>(all.size()) - sound, 60);
  for (const AnnotatedLaunch& launch : all) {
    EXPECT_EQ(launch.lines.empty(), launch.variant == 0) << launch.name();
  }
}

}  // namespace
}  // namespace tilescope
