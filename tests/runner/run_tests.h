#pragma once

namespace tilescope::testing {

// Runs the tests of this program, as gtest_main does, many in one process. What one of them sets in
// the environment is as it was for the next. A test that ends the process is named on stderr, and
// so is one that takes longer than five minutes, which ends it. Returns main's exit status.
// --without=PATTERN leaves tests out that run elsewhere, unless GTEST_FILTER says what to run.
int run_tests(int argc, char** argv);

}  // namespace tilescope::testing
