#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "annotated_kernel.h"
#include "kernel/lacks_toolkit.h"

// tests/answers: kernels as people have them and what must be told of each. An answer that is wrong
// today is said to be so, and has to be taken off that list once it is right.
namespace tilescope {
namespace {

class Answers : public testing::TestWithParam<AnnotatedLaunch> {};

TEST_P(Answers, AreRight) {
  const AnnotatedLaunch& launch = GetParam();
  const std::vector<std::string> mistakes = mistakes_of(launch);
  if (std::ranges::any_of(mistakes, lacks_toolkit)) {
    GTEST_SKIP() << "there is no CUDA toolkit, which has what this needs";
  }
  if (launch.wrong_today.empty()) {
    for (const std::string& mistake : mistakes) ADD_FAILURE() << mistake;
  } else if (mistakes.empty()) {
    ADD_FAILURE() << "right now: delete the line 'wrong today' of variant " << launch.variant;
  } else {
    std::cout << launch.name() << " is wrong today: " << launch.wrong_today << '\n';
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Answers, testing::ValuesIn(annotated_launches("answers")),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace tilescope
